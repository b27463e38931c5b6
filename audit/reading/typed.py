"""Rows of texts to rows of typed cells: what every format comes to, once its rows are cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit import errors
from audit.errors import Said, UnreadableInputError
from audit.reading.arrow_cells import read_cells
from audit.reading.cells import Reader, Typed, expected
from audit.reading.header import Header, Wanted, kept
from rules.kit import Column, Kind

#: A day or a time of which nobody can say, undeclared, which number is the month.
_UNDECLARED = r"^\d{1,2}[/.-]\d{1,2}[/.-](\d{4}|\d{2})\b"


@dataclass(frozen=True)
class Aside:
    """A row set aside: where it stood, why, its bytes, and what of its place could still be read."""

    line: int
    reason: Said
    raw: bytes
    cells: Mapping[str, str] = field(default_factory=dict)


@dataclass
class TypedBlock:
    """Rows as typed columns, with their lines. ``joined``: further rows that became part of another's event."""

    columns: dict[str, Typed]
    lines: np.ndarray[Any, Any]
    aside: list[Aside]
    rows_read: int
    joined: int = 0


@dataclass(frozen=True)
class Layout:
    """How the columns of one log become ours."""

    header: Header
    readers: Mapping[str, Reader]

    @property
    def needed(self) -> tuple[Wanted, ...]:
        """What is wanted of the log's columns, but for remarks."""
        pack = self.header.pack
        return tuple(wanted for wanted in self.header.wanted if any(kept(column, pack) for column in wanted.columns))

    def reader(self, column: Column) -> Reader:
        return self.readers[column.name]


def read_columns(layout: Layout, at: Callable[[int], Any], rows: int) -> dict[str, Typed]:
    """Our columns, typed, from the log's columns by their places. Raises UnreadableInputError for undeclared dates."""
    columns: dict[str, Typed] = {}
    for wanted in layout.needed:
        cells = at(wanted.places[0]) if len(wanted.places) == 1 else _together([at(place) for place in wanted.places])
        if len(wanted.columns) == 1:
            column = wanted.columns[0]
            columns[column.name] = read_cells(layout.reader(column), cells)
            _refuse_undeclared(column, columns[column.name], rows)
        else:
            columns |= _apart(layout, wanted.columns, as_texts(cells))
    for name, text in layout.header.constants.items():
        column = layout.header.pack.by_name[name]
        same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), pa.array([text], pa.string()))
        columns[name] = layout.reader(column).read(same.cast(pa.string()) if column.kind is Kind.TIME else same)
    return columns


def as_texts(cells: Any) -> Any:
    """A column of texts, whatever was in it."""
    return cells if pa.types.is_string(cells.type) else cells.cast(pa.string())


def _together(cells: Sequence[Any]) -> Any:
    """Cells that make one together, such as a day and a time; blank where all are."""
    parts = [pc.utf8_trim_whitespace(as_texts(one).fill_null("")) for one in cells]
    return pc.utf8_trim_whitespace(pc.binary_join_element_wise(*parts, pa.scalar(" ")))


def _apart(layout: Layout, columns: Sequence[Column], texts: Any) -> dict[str, Typed]:
    """One cell that tells of several dice, in the order of ``columns``: ``3-4-2``, ``3 4 2`` or ``342``."""
    coded = texts.dictionary_encode()
    different = coded.dictionary.to_pylist()
    pieces = [pieces_of_cell(text, len(columns)) for text in different]
    broken = np.array([found is None for found in pieces] or [False])
    codes = coded.indices.fill_null(0).to_numpy(zero_copy_only=False)
    bad = np.flatnonzero(broken[codes]) if len(different) else np.zeros(0, dtype=np.int64)
    typed = {}
    for place, column in enumerate(columns):
        own = pa.array([found[place] if found else "" for found in pieces], pa.string())
        one = layout.reader(column).read(pa.DictionaryArray.from_arrays(coded.indices, own))
        if place == 0:
            one.unreadable.extend((int(row), different[codes[row]].strip()) for row in bad)
            one.unreadable.sort()
        else:
            one.unnamed.extend(int(row) for row in bad)  # the cell is named once, under the first
        typed[column.name] = one
    return typed


def pieces_of_cell(text: str, wanted: int) -> list[str] | None:
    """What one cell says of each die; ``None`` where it does not tell of so many."""
    text = text.strip().strip("()[]")
    if text in ("", "-", "--", "?"):
        return [""] * wanted
    pieces = [piece for piece in re.split(r"[^0-9A-Za-z.]+", text) if piece]
    if len(pieces) == 1 and len(text) == wanted and text.isdigit():
        pieces = list(text)
    return pieces if len(pieces) == wanted else None


def _refuse_undeclared(column: Column, typed: Typed, rows: int) -> None:
    """Days and months are never told apart row by row: a column of them is declared, or the file is refused."""
    if column.kind not in (Kind.TIME, Kind.DATE) or not typed.unreadable:
        return
    undeclared = [text for _, text in typed.unreadable if re.match(_UNDECLARED, text)]
    known = rows - typed.array.null_count + len(typed.unreadable)
    if len(undeclared) * 2 > known:
        raise UnreadableInputError(errors.undeclared(column.name, undeclared[0], column.kind is Kind.TIME))


Find = Callable[[int], tuple[int, bytes, Mapping[str, str]]]


def set_aside_unplaced(layout: Layout, typed: TypedBlock, find: Find) -> TypedBlock:
    """Set aside the rows that lack what the pack requires: an id, a table, a readable time.

    ``find`` gives, for a row, its line, its bytes, and what it says of its own place; nothing but blanks is no row.
    """
    required = [column for column in layout.header.columns if column.required and column.name in typed.columns]
    absent = np.zeros(len(typed.lines), dtype=bool)
    for column in required:
        array = typed.columns[column.name].array
        if array.null_count:
            absent |= ~array.is_valid().to_numpy(zero_copy_only=False)
    if not absent.any():
        return typed
    for row in np.flatnonzero(absent).tolist():
        line, raw, place = find(row)
        if not raw:
            typed.rows_read -= 1  # a line of nothing but delimiters is a blank line
            continue
        typed.aside.append(Aside(line, _why_unplaced(required, typed, row), raw, place))
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
            [int(renumber[row]) for row in column.unnamed if not absent[row]],
            column.zone,
        )


def _why_unplaced(required: Sequence[Column], typed: TypedBlock, row: int) -> Said:
    for column in required:
        if not typed.columns[column.name].array[row].is_valid:
            for bad_row, text in typed.columns[column.name].unreadable:
                if bad_row == row:
                    return errors.unreadable_value(column.name, text, expected(column, text))
            return errors.no_value(column.name)
    raise AssertionError("row is placed")


def place_cells(layout: Layout, at: Callable[[int], str]) -> dict[str, str]:
    """What a row that was set aside says of where it stood; ``at`` gives the text at a place, or none."""
    roles = layout.header.pack.roles
    wanted = {roles.site, roles.order, roles.event_id, roles.seq, roles.time, roles.day} - {""}
    said = {
        each.columns[0].name: layout.reader(each.columns[0]).ours(" ".join(at(place).strip() for place in each.places))
        for each in layout.needed
        if len(each.columns) == 1 and each.columns[0].name in wanted
    }
    return said | {name: text for name, text in layout.header.constants.items() if name in wanted}
