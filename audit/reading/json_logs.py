"""JSON Lines and JSON arrays: one object a row, nested as the house likes; a line that is no object is set aside."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json as pajson

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading.lines import Block, count_lines
from audit.reading.nested import flat, flattened
from audit.reading.parquet_logs import one_array
from audit.reading.rows import ROW_LIMIT, long_line, split_lines
from audit.reading.rowwise import Rows
from audit.reading.typed import Aside

_SPACE = re.compile(r"[ \t\r\n]*")
#: Elements of an array that are typed together.
_TOGETHER = 20_000
#: The most bytes of a JSON document, which is read whole: an array, or an object with one in it.
DOCUMENT_LIMIT = 1 << 30


class _TwiceError(ValueError):
    """A name that stands twice in one object."""


class LineReader:
    """Reads the blocks of one log in JSON Lines: with Arrow where all is plain, else line by line."""

    def __init__(self, parts: frozenset[str]) -> None:
        self._parts = parts
        self._texts: Any = None  # names that hold texts, as far as blocks have shown

    def rows(self, block: Block) -> Rows:
        """The rows of a block."""
        return self._quick(block) or _carefully(block, self._parts)

    def _quick(self, block: Block) -> Rows | None:
        data = block.data
        if block.odd or long_line(data) or b"\\u0000" in data or b"\0" in data:
            return None
        trimmed = data.rstrip(b"\r\n\t ")
        if not trimmed or _has_blank_line(trimmed):
            return None
        lines = count_lines(trimmed)
        table = self._table(trimmed)
        if table is None or len(table) != lines:
            return None
        columns = {name: one_array(table.column(name)) for name in table.column_names}
        pieces: list[bytes] = []

        def raw(row: int) -> bytes:
            if not pieces:
                pieces.extend(split_lines(trimmed))
            return pieces[row].rstrip(b"\r\n")

        return Rows(columns, np.arange(block.line, block.line + lines, dtype=np.int64), raw, size=len(data))

    def _table(self, data: bytes) -> Any:
        """The block as a flat table; ``None`` where a type would not say what the text says.

        Arrow makes instants of texts that look so, unless it is told that they are texts.
        """
        for _ in range(2):
            try:
                table = _arrow(data, self._texts)
            except (pa.ArrowException, ValueError):
                return None
            flat = flattened(table)
            if all(_plain(kind) for kind in flat.schema.types):
                return flat
            fields = [_as_text(field) for field in table.schema]
            self._texts = pa.schema([field for field in fields if field is not None])
        return None


def _has_blank_line(data: bytes) -> bool:
    """A line without a character, which Arrow would pass over; looked for by the breaks, since nearly all of the bytes
    are none."""
    if b"\r" in data:
        return any(blank in data for blank in (b"\n\n", b"\n\r", b"\r\r")) or data[0] in b"\r\n"
    breaks = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))
    return data[0] == ord("\n") or bool((np.diff(breaks) == 1).any())


def _arrow(data: bytes, texts: Any) -> Any:
    return pajson.read_json(
        io.BytesIO(data),
        read_options=pajson.ReadOptions(use_threads=False, block_size=len(data) + 1),
        parse_options=pajson.ParseOptions(explicit_schema=texts),
    )


def _as_text(field: Any) -> Any:
    """A field of texts, or of structs with some; ``None`` where it holds something else."""
    kind = field.type
    if pa.types.is_string(kind) or pa.types.is_timestamp(kind):
        return pa.field(field.name, pa.string())
    if pa.types.is_struct(kind):
        inner = [_as_text(kind.field(place)) for place in range(kind.num_fields)]
        return pa.field(field.name, pa.struct([one for one in inner if one is not None]))
    return None


def _plain(kind: Any) -> bool:
    """A type that says what the text says: no instants, no numbers that may have been rounded."""
    if pa.types.is_list(kind):
        return _plain(kind.value_type)
    return any(is_(kind) for is_ in (pa.types.is_string, pa.types.is_integer, pa.types.is_boolean, pa.types.is_null))


def _carefully(block: Block, parts: frozenset[str]) -> Rows:
    encoding = block.encoding if block.odd else "utf-8"
    entries: list[tuple[int, bytes, Any]] = []
    aside: list[Aside] = []
    for number, raw in enumerate(split_lines(block.data), start=block.line):
        if not raw.strip():
            continue
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            aside.append(Aside(number, errors.bad_bytes("UTF-8"), raw))
            continue
        _take(entries, aside, number, raw, text)
    return _rows(entries, aside, parts, len(block.data))


def _take(entries: list[tuple[int, bytes, Any]], aside: list[Aside], line: int, raw: bytes, text: str) -> None:
    if len(text) > ROW_LIMIT:
        aside.append(Aside(line, errors.too_long(ROW_LIMIT), raw))
        return
    try:
        entry = _decoder().decode(text.strip())
    except _TwiceError as error:
        aside.append(Aside(line, errors.name_twice(str(error)), raw))
    except (ValueError, RecursionError):
        aside.append(Aside(line, errors.NOT_JSON, raw))
    else:
        _keep(entries, aside, line, raw.rstrip(b"\r\n"), entry)


def _keep(entries: list[tuple[int, bytes, Any]], aside: list[Aside], line: int, raw: bytes, entry: Any) -> None:
    if not isinstance(entry, Mapping):
        aside.append(Aside(line, errors.NO_OBJECT, raw))
    elif b"\0" in raw or b"\\u0000" in raw:
        aside.append(Aside(line, errors.NUL_IN_ROW, raw))
    else:
        entries.append((line, raw, entry))


def _decoder() -> json.JSONDecoder:
    """Numbers stay texts, to the letter."""
    return json.JSONDecoder(object_pairs_hook=_once, parse_int=str, parse_float=str, parse_constant=str)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return entry


def _rows(entries: Sequence[tuple[int, bytes, Any]], aside: list[Aside], parts: frozenset[str], size: int) -> Rows:
    cells = [flat(entry, parts) for _, _, entry in entries]
    names = dict.fromkeys(name for row in cells for name in row)
    columns = {_clean(name): pa.array([_text(row.get(name)) for row in cells], pa.string()) for name in names}
    raws = [raw for _, raw, _ in entries]
    lines = np.array([line for line, _, _ in entries], dtype=np.int64)
    return Rows(columns, lines, lambda row: raws[row], aside, size=size)


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return _clean(str(value))


def _clean(text: str) -> str:
    """As text that can be written: half a character, which JSON can spell, becomes its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def is_one_document(head: bytes) -> bool:
    """An array, or an object that does not end with its first line: no JSON Lines."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text.startswith(b"{"):
        return text.startswith(b"[")
    first = text.splitlines()[0].strip()
    return not first.endswith(b"}") and len(text.splitlines()) > 1


def document_rows(blocks: Iterable[Block], parts: frozenset[str]) -> Iterator[Callable[[], Rows]]:
    """The rows of an array, or of the one array of objects in an object. Raises UnreadableInputError."""
    pieces, size = [], 0
    for block in blocks:
        size += len(block.data)
        if block.odd:
            raise UnreadableInputError(errors.bad_bytes("UTF-8").text, block.line)
        if size > DOCUMENT_LIMIT:
            raise UnreadableInputError(errors.too_large(DOCUMENT_LIMIT))
        pieces.append(block.data)
    text = b"".join(pieces).decode("utf-8")
    elements = _Elements(text)
    entries: list[tuple[int, bytes, Any]] = []
    aside: list[Aside] = []
    for line, raw, entry in elements:
        if len(raw) > ROW_LIMIT:
            aside.append(Aside(line, errors.too_long(ROW_LIMIT), raw))
        else:
            _keep(entries, aside, line, raw, entry)
        if len(entries) + len(aside) >= _TOGETHER:
            yield partial(_rows, entries, aside, parts, sum(len(raw) for _, raw, _ in entries))
            entries, aside = [], []
    yield partial(_rows, entries, aside, parts, sum(len(raw) for _, raw, _ in entries))


class _Elements:
    """The elements of an array in a text, with the line on which each begins and how it is written."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = _decoder()
        self._line, self._counted = 1, 0

    def __iter__(self) -> Iterator[tuple[int, bytes, Any]]:
        at = self._skip(0)
        if self._text.startswith("{", at):
            at = self._array_in_object(at)
        if not self._text.startswith("[", at):
            raise self._broken(at)
        at = self._skip(at + 1)
        if self._text.startswith("]", at):
            return
        while True:
            begin = at
            entry, at = self._value(at)
            raw = self._text[begin:at].encode("utf-8", "surrogatepass")
            yield self._line_at(begin), raw, entry
            at = self._skip(at)
            if self._text.startswith("]", at):
                return
            if not self._text.startswith(",", at):
                raise self._broken(at)
            at = self._skip(at + 1)

    def _array_in_object(self, at: int) -> int:
        """Where the one array of objects begins."""
        found = []
        at = self._skip(at + 1)
        while not self._text.startswith("}", at):
            _, at = self._value(at)
            at = self._skip(at)
            if not self._text.startswith(":", at):
                raise self._broken(at)
            begin = at = self._skip(at + 1)
            value, at = self._value(at)
            if isinstance(value, list) and any(isinstance(element, Mapping) for element in value):
                found.append(begin)
            at = self._skip(at)
            at = self._skip(at + 1) if self._text.startswith(",", at) else at
            if at >= len(self._text):
                raise self._broken(at)
        if len(found) != 1:
            raise UnreadableInputError(errors.NO_ARRAY)
        return found[0]

    def _value(self, at: int) -> tuple[Any, int]:
        try:
            return self._decoder.raw_decode(self._text, at)
        except _TwiceError as error:
            raise UnreadableInputError(errors.name_twice(str(error)).text, self._line_at(at)) from error
        except (ValueError, RecursionError) as error:
            raise self._broken(getattr(error, "pos", at)) from error

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at

    def _line_at(self, at: int) -> int:
        self._line += self._text.count("\n", self._counted, at)
        self._counted = max(at, self._counted)
        return self._line

    def _broken(self, at: int) -> UnreadableInputError:
        return UnreadableInputError(errors.BROKEN_JSON, self._text.count("\n", 0, at) + 1)
