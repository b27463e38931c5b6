"""CSV and TSV: blocks of text to typed blocks of events, quickly where a block is plain, carefully where it is not."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading.header import HEADER_WITHIN, HeaderError
from audit.reading.lines import Block, blocks, count_lines, has_utf8_characters
from audit.reading.profile import Profile
from audit.reading.rows import Row, careful_rows, long_line, split_lines
from audit.reading.sources import Content, Source
from audit.reading.typed import Aside, Layout, TypedBlock, place_cells, read_columns, set_aside_unplaced

Understand = Callable[[str], tuple[str, Layout]]

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True)
class Cut:
    """How the rows of one file are cut: the layout of its columns, what parts them, how many cells a row has."""

    layout: Layout
    delimiter: str
    encoding: str
    width: int

    @property
    def places(self) -> list[int]:
        """The places of the log's columns that are read."""
        return sorted({place for wanted in self.layout.needed for place in wanted.places})


def read_blocks(
    source: Source, content: Content, understand: Understand, profile: Profile
) -> Iterator[tuple[Cut, Block]]:
    """The blocks of a delimited file below its header, each with how it is cut. Raises UnreadableInputError.

    ``understand`` makes a layout of a line and says what parts it. A header without rows yields one empty block.
    """
    cut: Cut | None = None
    for block in blocks(content, lambda: look_ahead(source), profile.encoding):
        if cut is None:
            found = _find_header(block, understand, profile.header_row)
            if found is None:
                continue
            (delimiter, layout), rest, line = found
            cut = Cut(layout, delimiter, block.encoding, _width(rest, delimiter, len(layout.header.names)))
            block = Block(rest, line + 1, block.encoding, block.odd)
        yield cut, block
    if cut is None:
        raise UnreadableInputError(errors.EMPTY)


def _find_header(block: Block, understand: Understand, header_row: int) -> tuple[tuple[str, Layout], bytes, int] | None:
    """The header, what follows it, and its line; ``None`` where the block is blank. Raises UnreadableInputError.

    Without ``header_row`` it is the first line that is a whole header of ours; titles may stand above it.
    """
    at, line, seen = 0, block.line - 1, 0
    closest: UnreadableInputError | None = None
    while seen < HEADER_WITHIN and (match := _LINE.match(block.data, at)):
        at, line = match.end(), line + 1
        if not match[0].strip() or line < header_row:
            continue
        seen += 1
        try:
            return understand(_header_text(match[0], line)), block.data[at:], line
        except HeaderError as error:
            error.line = line
            if not isinstance(closest, HeaderError) or error.ours > closest.ours:
                closest = error
        except UnreadableInputError as error:
            error.line = line
            raise
        if header_row:
            break
    if closest is not None:
        raise closest
    return None


def _header_text(line: bytes, number: int) -> str:
    if b"\0" in line:
        raise UnreadableInputError(errors.NOT_TEXT, number)
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise UnreadableInputError(errors.NOT_TEXT, number) from error


def look_ahead(source: Source) -> bool:
    again = Source(source.label, source.path, source.member)
    try:
        return has_utf8_characters(again.open())
    finally:
        again.close()


def _width(rest: bytes, delimiter: str, header_width: int) -> int:
    """How many cells a row has: the header's, or more where the first row goes on with empty ones."""
    line = next((match[0] for match in _LINE.finditer(rest) if match[0].strip()), b"")
    found = line.count(delimiter.encode()) + 1
    if b'"' in line or found <= header_width:
        return header_width
    extra = line.rstrip(b"\r\n").split(delimiter.encode())[header_width:]
    return found if not any(cell.strip() for cell in extra) else header_width


def type_blocks(cut: Cut, blocks: Sequence[Block]) -> list[TypedBlock]:
    """Cut and type the rows of some blocks: the quick way, or row by row where that cannot account for every line."""
    typed: list[TypedBlock] = []
    quick: list[tuple[Block, Any]] = []
    for block in blocks:
        table = None if block.odd or b"\0" in block.data or long_line(block.data) else _quick(cut, block)
        if table is not None:
            quick.append((block, table))
            continue
        if quick:
            typed.append(_typed_quickly(cut, quick))
            quick = []
        typed.append(_typed_carefully(cut, block))
    if quick:
        typed.append(_typed_quickly(cut, quick))
    return typed


def _typed_quickly(cut: Cut, run: Sequence[tuple[Block, Any]]) -> TypedBlock:
    """Type blocks that were cut the quick way, all at once: the work per column is done once for all of them."""
    joined = pa.concat_tables([table for _, table in run])
    at = {place: number for number, place in enumerate(cut.places)}
    columns = read_columns(cut.layout, lambda place: _whole(joined.column(at[place])), joined.num_rows)
    lines = np.concatenate([np.arange(block.line, block.line + table.num_rows, dtype=np.int32) for block, table in run])
    typed = TypedBlock(columns, lines, [], joined.num_rows)
    return set_aside_unplaced(cut.layout, typed, _Finder(cut, lines, [block for block, _ in run]))


def _whole(column: Any) -> Any:
    """One array of a column in chunks."""
    if not pa.types.is_dictionary(column.type):
        return column.combine_chunks()
    chunks = column.unify_dictionaries().chunks
    indices = pa.concat_arrays([chunk.indices for chunk in chunks])
    return pa.DictionaryArray.from_arrays(indices, chunks[0].dictionary)


def _quick(cut: Cut, block: Block) -> Any:
    """The block as a table, or ``None`` where rows and lines do not match one to one."""
    data = block.data
    lines = block.line_count
    if data.endswith((b"\n\n", b"\r\r", b"\n\r\n")):
        data = data.rstrip(b"\r\n")  # blank lines at the end
        lines = count_lines(data)
    if not data:
        return None
    names = [str(place) for place in range(cut.width)]
    coded = pa.dictionary(pa.int32(), pa.string())
    plain = _own_texts(cut)
    types = {str(place): pa.string() if place in plain else coded for place in cut.places}
    extra = [str(place) for place in range(len(cut.layout.header.names), cut.width)]
    types.update(dict.fromkeys(extra, pa.string()))
    try:
        table = pacsv.read_csv(
            pa.BufferReader(pa.py_buffer(data)),
            read_options=pacsv.ReadOptions(column_names=names, block_size=len(data) + 1, use_threads=False),
            parse_options=pacsv.ParseOptions(
                delimiter=cut.delimiter, newlines_in_values=True, ignore_empty_lines=False
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
    return table.select(range(len(cut.places)))


def _own_texts(cut: Cut) -> set[int]:
    """Places of columns of which nearly every row has its own text, or that make one with others."""
    return {
        place
        for wanted in cut.layout.needed
        for place in wanted.places
        if len(wanted.places) > 1 or any(cut.layout.reader(column).own_texts for column in wanted.columns)
    }


def _typed_carefully(cut: Cut, block: Block) -> TypedBlock:
    good: list[Row] = []
    aside: list[Aside] = []
    for row in careful_rows(block, cut.delimiter, cut.width):
        if row.reason:
            aside.append(Aside(row.line, row.reason, _as_stored(row.raw, block), _place(cut, row.cells)))
        else:
            good.append(row)
    columns = read_columns(
        cut.layout, lambda place: pa.array([row.cells[place] for row in good], pa.string()), len(good)
    )
    lines = np.array([row.line for row in good], dtype=np.int32)
    typed = TypedBlock(columns, lines, aside, len(good) + len(aside))
    return set_aside_unplaced(cut.layout, typed, _Finder(cut, lines, [block], good))


def _place(cut: Cut, cells: Sequence[str]) -> dict[str, str]:
    return place_cells(cut.layout, lambda place: cells[place] if place < len(cells) else "")


def _as_stored(raw: bytes, block: Block) -> bytes:
    """The bytes as they stand in the file."""
    if block.odd or block.encoding == "utf-8":
        return raw
    return raw.decode("utf-8").encode(block.encoding)


class _Finder:
    """Finds the line, the bytes and the cells of a row."""

    def __init__(
        self, cut: Cut, lines: np.ndarray[Any, Any], blocks: Sequence[Block], rows: Sequence[Row] | None = None
    ) -> None:
        self._cut, self._lines, self._blocks, self._rows = cut, lines, blocks, rows
        self._first_lines = [block.line for block in blocks]
        self._split: dict[int, list[bytes]] = {}

    def __call__(self, row: int) -> tuple[int, bytes, Mapping[str, str]]:
        line = int(self._lines[row])
        block, found = self._row(row, line)
        if found is None or not any(cell.strip() for cell in found.cells):
            return line, b"", {}
        return line, _as_stored(found.raw, block), _place(self._cut, found.cells)

    def _row(self, row: int, line: int) -> tuple[Block, Row | None]:
        place = bisect_right(self._first_lines, line) - 1
        block = self._blocks[place]
        if self._rows is not None:
            return block, self._rows[row]
        if place not in self._split:
            self._split[place] = split_lines(block.data)
        single = Block(self._split[place][line - block.line], line, block.encoding, block.odd)
        return block, next(iter(careful_rows(single, self._cut.delimiter, self._cut.width)), None)
