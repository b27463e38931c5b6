"""Logs whose format cuts the rows itself (spreadsheets, JSON, Parquet): runs of rows, and how they are typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from audit.reading.arrow_cells import as_text_cells
from audit.reading.cells import Typed
from audit.reading.header import kept
from audit.reading.typed import Aside, Layout, TypedBlock, place_cells, read_columns, set_aside_unplaced
from rules.kit import Kind

#: The most characters of one cell.
CELL_LIMIT = 1_000_000


@dataclass
class Rows:
    """A run of rows: the log's columns by name, of any Arrow type, and where each row stands in the file.

    ``raw`` gives what stands in a row, to be shown. ``aside``: rows that could not be cut. ``spoilt``: cells, by
    column, of which nothing can be known, as text; ``dates``: cells that are dates among others that are none;
    ``against``: what further rows of the event say otherwise. ``joined``: rows that became part of another's event.
    ``size`` is for the progress alone.
    """

    columns: dict[str, Any]
    lines: np.ndarray[Any, Any]
    raw: Callable[[int], bytes]
    aside: list[Aside] = field(default_factory=list)
    spoilt: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    dates: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    against: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    size: int = 0
    joined: int = 0

    def __len__(self) -> int:
        return len(self.lines)


@dataclass(frozen=True)
class RowLog:
    """One log of a file: its name among several, its column names, its rows, and what is to be said of it.

    ``open_ended``: further columns may turn up on later rows.
    """

    names: Sequence[str]
    rows: Iterator[Callable[[], Rows]]
    part: str = ""
    notes: tuple[str, ...] = ()
    open_ended: bool = False


def type_rows(layout: Layout, rows: Rows, every: bool) -> TypedBlock:
    """Type a run of rows. ``every``: with a column for whatever the pack knows, since another run may have it."""
    names = layout.header.names
    columns = read_columns(layout, lambda place: rows.columns[names[place]], len(rows))
    for wanted in layout.needed:
        for place in wanted.places:
            first = columns[wanted.columns[0].name]
            _spoil(first, rows.spoilt.get(names[place], {}))
            if wanted.columns[0].kind is Kind.ID:  # a spreadsheet made a date of it: what was it?
                _spoil(first, rows.dates.get(names[place], {}))
            first.unreadable.extend(rows.against.get(names[place], {}).items())
            first.unreadable.sort()
    if every:
        _fill_up(layout, columns, len(rows))
    typed = TypedBlock(columns, rows.lines, rows.aside, len(rows) + len(rows.aside) + rows.joined, rows.joined)

    def find(row: int) -> tuple[int, bytes, Mapping[str, str]]:
        place = place_cells(layout, lambda at: _text(rows.columns[names[at]], row))
        return int(rows.lines[row]), rows.raw(row), place

    return set_aside_unplaced(layout, typed, find)


def _text(cells: Any, row: int) -> str:
    return as_text_cells(cells.slice(row, 1))[0].as_py() or ""


def _spoil(typed: Typed, cells: Mapping[int, str]) -> None:
    """Make nothing of cells that hold what nobody wrote."""
    fresh = {row: text for row, text in cells.items() if row not in {bad for bad, _ in typed.unreadable}}
    if not fresh:
        return
    typed.unreadable.extend(fresh.items())
    typed.unreadable.sort()
    mask = np.zeros(len(typed.array), dtype=bool)
    mask[list(fresh)] = True
    keep = pa.array(np.arange(len(typed.array)), mask=mask)
    typed.array = typed.array.take(keep)
    if typed.offset is not None:
        typed.offset = typed.offset.take(keep)


def _fill_up(layout: Layout, columns: dict[str, Typed], rows: int) -> None:
    pack = layout.header.pack
    for column in pack.columns:
        if column.name not in columns and not column.derived and kept(column, pack):
            reader = layout.reader(column)
            nothing = pa.nulls(rows, pa.string())
            columns[column.name] = reader.read(nothing if reader.own_texts else nothing.dictionary_encode())
