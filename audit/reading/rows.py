"""The careful way through a block of delimited text: row by row, with line numbers, nothing swallowed."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass

from audit import errors
from audit.errors import Said
from audit.reading.lines import Block

#: A row may hold this many characters, over this many lines.
ROW_LIMIT = 1_000_000
ROW_LINES = 500

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def long_line(data: bytes) -> bool:
    """Whether some line may be longer than a row can be."""
    at = 0
    while len(data) - at > ROW_LIMIT:
        end = data.rfind(b"\n", at, at + ROW_LIMIT)
        if end < 0:
            return True
        at = end + 1
    return False


@dataclass(frozen=True)
class Row:
    """One row. ``reason`` says why, where it is to be set aside; ``raw`` is as stored."""

    line: int
    cells: list[str]
    raw: bytes
    reason: Said | None = None


def split_lines(data: bytes) -> list[bytes]:
    """Physical lines with their ends; CR, LF and CRLF each end one."""
    return _LINE.findall(data)


def _decode(raw: bytes, encoding: str) -> str | None:
    """The line's text. An odd block still has the file's own bytes; any other is UTF-8."""
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


class _UnclosedError(Exception):
    pass


def _quoted(lines: list[bytes], start: int, encoding: str, delimiter: str) -> tuple[list[str], int]:
    """Cells of the row that begins at ``start`` and how many lines it takes. Raises _UnclosedError."""
    taken = 0
    size = 0

    def feed() -> Iterator[str]:
        nonlocal taken, size
        for raw in lines[start : start + ROW_LINES]:
            text = _decode(raw, encoding)
            size += len(raw)
            if text is None or size > 4 * ROW_LIMIT:
                raise _UnclosedError
            taken += 1
            yield text

    reader = csv.reader(feed(), delimiter=delimiter, strict=True)
    try:
        return next(reader), taken
    except (csv.Error, StopIteration) as error:
        if taken == 1 and "expected after" in str(error):
            return next(csv.reader([_decode(lines[start], encoding) or ""], delimiter=delimiter)), 1
        raise _UnclosedError from error


def careful_rows(block: Block, delimiter: str, width: int) -> Iterator[Row]:
    """All rows of a block but blank ones; those that cannot be split into ``width`` cells carry their reason.

    A row with further cells that are all empty is read. A quote that swallows whole rows is taken for one that was
    never closed: only the line that opened it is set aside.
    """
    csv.field_size_limit(max(csv.field_size_limit(), 64 << 20))
    encoding = block.encoding if block.odd else "utf-8"
    lines = split_lines(block.data)
    at = 0
    while at < len(lines):
        raw, line = lines[at], block.line + at
        taken = 1
        text = _decode(raw, encoding)
        if text is None:
            yield Row(
                line,
                _loosely(raw, delimiter),
                raw,
                errors.bad_bytes("UTF-8" if encoding == "utf-8" else "Windows-1252"),
            )
        elif not text.strip():
            pass
        elif "\0" in text:
            yield Row(line, _loosely(raw, delimiter), raw, errors.NUL_IN_ROW)
        elif '"' not in text:
            yield _checked(Row(line, text.rstrip("\r\n").split(delimiter), raw), width)
        else:
            try:
                cells, taken = _quoted(lines, at, encoding, delimiter)
                row = _checked(Row(line, cells, b"".join(lines[at : at + taken])), width)
                if row.reason and taken > 1:
                    raise _UnclosedError
                yield row
            except _UnclosedError:
                taken = 1
                yield Row(line, _loosely(raw, delimiter), raw, errors.OPEN_QUOTE)
        at += taken


def _loosely(raw: bytes, delimiter: str) -> list[str]:
    """The cells of a row that is set aside, as far as they can be told: enough to see where it stood."""
    return raw.decode("utf-8", "backslashreplace").rstrip("\r\n").split(delimiter)


def _checked(row: Row, width: int) -> Row:
    if len(row.raw) > ROW_LIMIT and len(row.raw.decode("utf-8", "replace")) > ROW_LIMIT:
        return Row(row.line, row.cells, row.raw, errors.too_long(ROW_LIMIT))
    if len(row.cells) > width and not any(cell.strip() for cell in row.cells[width:]):
        return Row(row.line, row.cells[:width], row.raw)
    if len(row.cells) != width:
        return Row(row.line, row.cells, row.raw, errors.wrong_width(len(row.cells), width))
    return row
