"""CSV and TSV: blocks of text to typed blocks of events, quickly where a block is plain, carefully where it is not."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from audit import errors
from audit.errors import Said, UnreadableInputError
from audit.reading.cells import Reader, Typed, expected
from audit.reading.header import Header, prove_delimiter
from audit.reading.lines import Block, blocks, count_lines, has_utf8_characters
from audit.reading.rows import ROW_LIMIT, Row, careful_rows, split_lines
from audit.reading.sources import Content, Source
from rules.kit import Column, Kind, Pack

#: Columns of which nearly every row has its own text.
_ALL_DIFFERENT = (Kind.TIME, Kind.TEXT, Kind.INT)


@dataclass(frozen=True)
class Aside:
    """A row set aside: where it stood, why, its bytes, and what of its place could still be read."""

    line: int
    reason: Said
    raw: bytes
    cells: Mapping[str, str] = field(default_factory=dict)


@dataclass
class TypedBlock:
    """Rows of one block as typed columns, with the line on which each begins."""

    columns: dict[str, Typed]
    lines: np.ndarray[Any, Any]
    aside: list[Aside]
    rows_read: int
    filled: int = 0


@dataclass(frozen=True)
class Layout:
    """How the rows of one file are cut into our columns."""

    header: Header
    delimiter: str
    encoding: str
    width: int
    readers: Mapping[str, Reader]
    needed: tuple[tuple[int, Column], ...]


def _needed(header: Header) -> tuple[tuple[int, Column], ...]:
    evidence = header.pack.roles.evidence
    return tuple(
        (place, column)
        for place, column in enumerate(header.columns)
        if column and (column.kind is not Kind.TEXT or column.name == evidence)
    )


def read_blocks(
    source: Source,
    content: Content,
    wanted: Pack | None,
    packs: Sequence[Pack],
    readers_for: Callable[[Pack], Mapping[str, Reader]],
) -> Iterator[tuple[Layout, Block]]:
    """The blocks of a delimited file below its header, each with the layout. Raises UnreadableInputError.

    A header without rows yields one empty block.
    """
    layout: Layout | None = None
    for block in blocks(content, lambda: _look_ahead(source)):
        if layout is None:
            line, rest, skipped = _first_line(block.data)
            if not line:
                continue
            if b"\0" in line:
                raise UnreadableInputError(errors.NOT_TEXT, block.line + skipped)
            delimiter, header = _header(line, block, wanted, packs)
            width = _width(rest, delimiter, len(header.names))
            layout = Layout(header, delimiter, block.encoding, width, readers_for(header.pack), _needed(header))
            block = Block(rest, block.line + skipped + 1, block.encoding, block.odd)
        yield layout, block
    if layout is None:
        raise UnreadableInputError(errors.EMPTY)


def _look_ahead(source: Source) -> bool:
    again = Source(source.label, source.path, source.member)
    try:
        return has_utf8_characters(again.open())
    finally:
        again.close()


def _header(line: bytes, block: Block, wanted: Pack | None, packs: Sequence[Pack]) -> tuple[str, Header]:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableInputError(errors.NOT_TEXT, block.line) from error
    return prove_delimiter(text.rstrip("\r\n"), wanted, packs)


def _first_line(data: bytes) -> tuple[bytes, bytes, int]:
    """The first line that is not blank, what follows it, and how many blank lines stand before it."""
    skipped = 0
    at = 0
    pattern = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
    while match := pattern.match(data, at):
        at = match.end()
        if match[0].strip():
            return match[0], data[at:], skipped
        skipped += 1
    return b"", b"", skipped


def _width(rest: bytes, delimiter: str, header_width: int) -> int:
    """How many cells a row has: the header's, or more where the first row goes on with empty ones."""
    line, _, _ = _first_line(rest)
    found = line.count(delimiter.encode()) + 1
    if b'"' in line or found <= header_width:
        return header_width
    extra = line.rstrip(b"\r\n").split(delimiter.encode())[header_width:]
    return found if not any(cell.strip() for cell in extra) else header_width


def type_blocks(layout: Layout, blocks: Sequence[Block]) -> list[TypedBlock]:
    """Cut and type the rows of some blocks: the quick way, or row by row where that cannot account for every line."""
    typed: list[TypedBlock] = []
    quick: list[tuple[Block, Any]] = []
    for block in blocks:
        table = None if block.odd or b"\0" in block.data or _long_line(block.data) else _quick(layout, block)
        if table is not None:
            quick.append((block, table))
            continue
        if quick:
            typed.append(_typed_quickly(layout, quick))
            quick = []
        typed.append(_typed_carefully(layout, block))
    if quick:
        typed.append(_typed_quickly(layout, quick))
    return typed


def _typed_quickly(layout: Layout, run: Sequence[tuple[Block, Any]]) -> TypedBlock:
    """Type blocks that were cut the quick way, all at once: the work per column is done once for all of them."""
    joined = pa.concat_tables([table for _, table in run])
    columns = {
        column.name: layout.readers[column.name].read(_whole(joined.column(place)))
        for place, (_, column) in enumerate(layout.needed)
    }
    lines = np.concatenate([np.arange(block.line, block.line + table.num_rows, dtype=np.int32) for block, table in run])
    typed = TypedBlock(columns, lines, [], joined.num_rows)
    return _set_aside_unplaced(layout, typed, [block for block, _ in run])


def _whole(column: Any) -> Any:
    """One array of a column in chunks."""
    if not pa.types.is_dictionary(column.type):
        return column.combine_chunks()
    chunks = column.unify_dictionaries().chunks
    indices = pa.concat_arrays([chunk.indices for chunk in chunks])
    return pa.DictionaryArray.from_arrays(indices, chunks[0].dictionary)


def _long_line(data: bytes) -> bool:
    at = 0
    while len(data) - at > ROW_LIMIT:
        end = data.rfind(b"\n", at, at + ROW_LIMIT)
        if end < 0:
            return True
        at = end + 1
    return False


def _quick(layout: Layout, block: Block) -> Any:
    """The block as a table, or ``None`` where rows and lines do not match one to one."""
    data = block.data
    lines = block.line_count
    if data.endswith((b"\n\n", b"\r\r", b"\n\r\n")):
        data = data.rstrip(b"\r\n")  # blank lines at the end
        lines = count_lines(data)
    if not data:
        return None
    names = [str(place) for place in range(layout.width)]
    coded = pa.dictionary(pa.int32(), pa.string())
    types = {str(place): pa.string() if _own_texts(layout, column) else coded for place, column in layout.needed}
    extra = [str(place) for place in range(len(layout.header.names), layout.width)]
    types.update(dict.fromkeys(extra, pa.string()))
    try:
        table = pacsv.read_csv(
            pa.BufferReader(pa.py_buffer(data)),
            read_options=pacsv.ReadOptions(column_names=names, block_size=len(data) + 1, use_threads=False),
            parse_options=pacsv.ParseOptions(
                delimiter=layout.delimiter, newlines_in_values=True, ignore_empty_lines=False
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                strings_can_be_null=False,
                check_utf8=not block.ascii,
            ),
        )
    except pa.ArrowInvalid:
        return None
    if table.num_rows != lines:
        return None
    if any(pc.max(pc.binary_length(table[name])).as_py() for name in extra):
        return None
    return table.select(range(len(layout.needed)))


def _own_texts(layout: Layout, column: Column) -> bool:
    return column.kind in _ALL_DIFFERENT or column.name == layout.header.pack.roles.event_id


def _typed_carefully(layout: Layout, block: Block) -> TypedBlock:
    good: list[Row] = []
    aside: list[Aside] = []
    for row in careful_rows(block, layout.delimiter, layout.width):
        if row.reason:
            aside.append(Aside(row.line, row.reason, _as_stored(row.raw, block), _place_cells(layout, row.cells)))
        else:
            good.append(row)
    columns = {}
    for place, column in layout.needed:
        texts = pa.array([row.cells[place] for row in good], pa.string())
        if not _own_texts(layout, column):
            texts = texts.dictionary_encode()
        columns[column.name] = layout.readers[column.name].read(texts)
    lines = np.array([row.line for row in good], dtype=np.int32)
    typed = TypedBlock(columns, lines, aside, len(good) + len(aside))
    return _set_aside_unplaced(layout, typed, [block], {row.line: row for row in good})


def _as_stored(raw: bytes, block: Block) -> bytes:
    """The bytes as they stand in the file."""
    if block.odd or block.encoding == "utf-8":
        return raw
    return raw.decode("utf-8").encode(block.encoding)


def _place_cells(layout: Layout, cells: Sequence[str]) -> dict[str, str]:
    """What a row that was set aside says of its own place, as far as it has cells there."""
    roles = layout.header.pack.roles
    wanted = {roles.site, roles.order, roles.event_id, roles.seq, roles.time, roles.day} - {""}
    return {
        column.name: cells[place].strip()
        for place, column in layout.needed
        if column.name in wanted and place < len(cells)
    }


def _set_aside_unplaced(
    layout: Layout, typed: TypedBlock, blocks: Sequence[Block], rows: Mapping[int, Row] | None = None
) -> TypedBlock:
    """Set aside the rows that lack what the pack requires: an id, a table, a readable time."""
    required = [column for _, column in layout.needed if column.required]
    absent = np.zeros(len(typed.lines), dtype=bool)
    for column in required:
        array = typed.columns[column.name].array
        if array.null_count:
            absent |= ~array.is_valid().to_numpy(zero_copy_only=False)
    if not absent.any():
        return typed
    find = _Finder(layout, blocks, rows)
    for row in np.flatnonzero(absent).tolist():
        line = int(typed.lines[row])
        raw, cells = find(line)
        if not any(cell.strip() for cell in cells):
            typed.rows_read -= 1  # a line of nothing but delimiters is a blank line
            continue
        reason = _why_unplaced(required, typed, row)
        typed.aside.append(Aside(line, reason, raw, _place_cells(layout, cells)))
    _drop(typed, absent)
    typed.aside.sort(key=lambda aside: aside.line)
    return typed


def _drop(typed: TypedBlock, absent: np.ndarray[Any, Any]) -> None:
    """Leave out the rows that are set aside."""
    keep = pa.array(np.flatnonzero(~absent))
    renumber = np.cumsum(~absent) - 1
    typed.lines = typed.lines[~absent]
    for name, column in typed.columns.items():
        typed.columns[name] = Typed(
            column.array.take(keep),
            [(int(renumber[row]), text) for row, text in column.unreadable if not absent[row]],
            None if column.offset is None else column.offset.take(keep),
        )


class _Finder:
    """Finds the bytes and cells of the row that begins on a line."""

    def __init__(self, layout: Layout, blocks: Sequence[Block], rows: Mapping[int, Row] | None) -> None:
        self._layout, self._blocks, self._rows = layout, blocks, rows
        self._first_lines = [block.line for block in blocks]
        self._split: dict[int, list[bytes]] = {}

    def __call__(self, line: int) -> tuple[bytes, Sequence[str]]:
        """The row's bytes as stored, and its cells; no cells where the line is blank."""
        place = bisect_right(self._first_lines, line) - 1
        block = self._blocks[place]
        if self._rows is not None:
            row: Row | None = self._rows[line]
        else:
            if place not in self._split:
                self._split[place] = split_lines(block.data)
            single = Block(self._split[place][line - block.line], line, block.encoding, block.odd)
            row = next(iter(careful_rows(single, self._layout.delimiter, self._layout.width)), None)
        return (_as_stored(row.raw, block), row.cells) if row else (b"", [])


def _why_unplaced(required: Sequence[Column], typed: TypedBlock, row: int) -> Said:
    for column in required:
        if not typed.columns[column.name].array[row].is_valid:
            for bad_row, text in typed.columns[column.name].unreadable:
                if bad_row == row:
                    return errors.unreadable_value(column.name, text, expected(column, text))
            return errors.no_value(column.name)
    raise AssertionError("row is placed")
