"""A first look at a log that nobody has described: its column names and some of its rows, as texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading.arrow_cells import as_text_cells
from audit.reading.delimited import look_ahead
from audit.reading.formats import Format, kind_of, row_logs, whole_bytes
from audit.reading.header import DELIMITERS, HEADER_WITHIN, counted
from audit.reading.lines import blocks
from audit.reading.profile import Profile
from audit.reading.sources import Content, Source
from rules.kit import Pack

#: So many rows are looked at.
ROWS = 500


@dataclass(frozen=True)
class Glimpse:
    """What a log looks like. ``delimiter``, ``sheet`` and ``header_row`` only where a profile has to name them."""

    names: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    format: Format
    encoding: str = "utf-8"
    delimiter: str = ""
    sheet: str = ""
    header_row: int = 0

    @property
    def rows(self) -> int:
        return max(map(len, self.columns), default=0)


def glimpse(source: Source, packs: Sequence[Pack]) -> Glimpse:
    """Look at the first rows. Raises UnreadableInputError."""
    if source.problem:
        raise UnreadableInputError(source.problem)
    content = source.open()
    try:
        kind = kind_of(content)
        if kind is Format.TEXT:
            return _of_text(source, content, packs)
        if kind is Format.SPREADSHEET:
            return _of_sheets(content, packs)
        for log in row_logs(kind, source, content, None, packs, Profile()):
            rows = next(iter(log.rows))()
            columns = tuple(_texts(rows.columns[name]) for name in log.names)
            return Glimpse(tuple(log.names), columns, kind)
        raise UnreadableInputError(errors.EMPTY)
    finally:
        source.close()


def _texts(cells: object) -> tuple[str, ...]:
    return tuple(as_text_cells(cells.slice(0, ROWS)).fill_null("").to_pylist())  # type: ignore[attr-defined]


def _of_text(source: Source, content: Content, packs: Sequence[Pack]) -> Glimpse:
    block = next(blocks(content, lambda: look_ahead(source)), None)
    if block is None:
        raise UnreadableInputError(errors.EMPTY)
    text = block.data.decode("utf-8", "replace")
    if "\0" in text:
        raise UnreadableInputError(errors.NOT_TEXT)
    lines = text.splitlines()[: HEADER_WITHIN + ROWS]

    def cut(delimiter: str) -> list[list[str]]:
        return list(csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter))

    best = max(DELIMITERS, key=lambda d: (_most_alike(cut(d)), -DELIMITERS.index(d)))
    rows = cut(best)
    at = _header_of(rows, packs)
    number = next(
        (place for place, line in enumerate(lines, 1) if next(csv.reader([line], delimiter=best), []) == rows[at]), 1
    )
    return Glimpse(
        *_columns(rows, at),
        Format.TEXT,
        "utf-8" if block.encoding == "utf-8" else block.encoding,
        best,
        header_row=number if at else 0,
    )


def _most_alike(rows: Sequence[Sequence[str]]) -> int:
    """Rows of the width that most have, times that width: the right delimiter makes many rows of many cells."""
    widths = [len(row) for row in rows if len(row) > 1]
    common = max(set(widths), key=widths.count) if widths else 0
    return widths.count(common) * common


def _header_of(rows: Sequence[Sequence[str]], packs: Sequence[Pack]) -> int:
    """The row that holds the names: with most columns of ours, else the first that is filled as far as most are."""
    first = [(at, [str(cell).strip() for cell in row]) for at, row in enumerate(rows[:HEADER_WITHIN])]
    ours = [(counted(names, packs, Profile()), -at) for at, names in first]
    if ours and max(ours)[0] >= 2:
        return -max(ours)[1]
    width = max((sum(bool(cell) for cell in names) for _, names in first), default=0)
    for at, names in first:
        filled = [name for name in names if name]
        if filled and len(filled) * 10 >= width * 9 and not any(name[0].isdigit() for name in filled):
            return at
    return next((at for at, names in first if any(names)), 0)


def _columns(rows: Sequence[Sequence[str]], at: int) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    names = tuple(str(name).strip() for name in rows[at])
    below = [row for row in rows[at + 1 : at + 1 + ROWS] if any(str(cell).strip() for cell in row)]
    columns = tuple(tuple(row[place] if place < len(row) else "" for row in below) for place in range(len(names)))
    kept = [place for place, name in enumerate(names) if name]
    return tuple(names[place] for place in kept), tuple(columns[place] for place in kept)


def _of_sheets(content: Content, packs: Sequence[Pack]) -> Glimpse:
    from audit.reading.spreadsheets import FILE_LIMIT, sheets_of

    best: tuple[int, Glimpse] | None = None
    sheets = sheets_of(whole_bytes(content, FILE_LIMIT))
    for name, rows, first in sheets:
        if not rows:
            continue
        at = _header_of(rows, packs)
        names, columns = _columns(rows, at)
        score = counted(names, packs, Profile()) * 1000 + len(names)
        found = Glimpse(names, columns, Format.SPREADSHEET, "", "", name if len(sheets) > 1 else "", first + at + 1)
        if best is None or score > best[0]:
            best = score, found
    if best is None:
        raise UnreadableInputError(errors.EMPTY)
    return best[1]


def some(values: Sequence[str]) -> str:
    """A few different values, for a comment."""
    different = list(dict.fromkeys(value.strip() for value in values if value.strip()))
    shown = [value if len(value) <= 40 else value[:40] + "…" for value in islice(different, 4)]
    return ", ".join(shown).replace("\n", " ").replace("\r", " ") or "all blank"
