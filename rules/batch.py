"""A run of events of one file, as the rules see it: typed columns, neighbours, numbers, what the file logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from rules.numbers import Numbers
from rules.truth import (
    Choice,
    Choices,
    Face,
    FaceSet,
    Flag,
    Ident,
    Moment,
    Number,
    Text,
    Truth,
    Values,
)

if TYPE_CHECKING:
    from rules.kit import Column, Pack
    from rules.placing import Carried, Placing

#: How each kind of cell is stored.
STORED: Mapping[str, Any] = {
    "id": pa.int32(),
    "text": pa.string(),
    "int": pa.int64(),
    "bool": pa.bool_(),
    "time": pa.timestamp("us", "UTC"),
    "date": pa.date32(),
    "choice": pa.uint8(),
    "list of choices": pa.uint16(),
    "face": pa.uint8(),
    "list of faces": pa.uint8(),
    "notation": pa.int32(),
}


def _typed(column: Column, array: Any, unreadable: np.ndarray[Any, Any] | None) -> Values:
    match column.kind.value:
        case "bool":
            return Flag(array, unreadable)
        case "choice":
            return Choice(array, column.words, unreadable)
        case "list of choices":
            return Choices(array, column.words, unreadable)
        case "face":
            return Face(array, unreadable)
        case "list of faces":
            return FaceSet(array, unreadable)
        case "time":
            return Moment(array, unreadable)
        case "id" | "notation":
            return Ident(array, unreadable)
        case "int":
            return Number(array, unreadable)
        case _:
            return Text(array, unreadable)


@dataclass
class Neighbour:
    """Another event, one for each event of the batch: the last, the next, or the one that it names."""

    index: np.ndarray[Any, Any]
    carried: Carried
    times: np.ndarray[Any, Any]

    @cached_property
    def exists(self) -> Truth:
        return Truth.of_mask(self.index >= 0)

    def truth(self, name: str) -> Truth:
        """A carried fact of the other event; unknown where there is no other event."""
        return Truth(self._seen(name))

    def ident(self, name: str) -> Ident:
        return Ident(self._seen(name))

    @cached_property
    def _seen(self) -> Callable[[str], Any]:
        return self.carried.of(self.index)

    @property
    def time(self) -> Moment:
        """When the other event was; unknown where there is no other event."""
        instant = pa.array(self.times[np.maximum(self.index, 0)], mask=self.index < 0)
        return Moment(instant.cast(STORED["time"]))


@dataclass
class Batch:
    """Events ``start`` to ``start + size`` of the audit, all from one file; for ``Pack.games`` all events of all files.

    ``arrays`` holds the typed columns that the file has, ``unreadable`` the rows of cells that could not be read,
    ``logged`` the columns that hold at least one known value anywhere in the file. ``texts_of`` gives the texts behind
    the codes of a coded column. ``sequence`` holds the columns that only the whole shows (``Pack.sequence``,
    ``Pack.games``).
    """

    pack: Pack
    start: int
    size: int
    arrays: Mapping[str, Any]
    unreadable: Mapping[str, np.ndarray[Any, Any]]
    logged: frozenset[str]
    numbers: Numbers
    logged_of_file: tuple[frozenset[str], ...] = ()
    columns_of_file: tuple[frozenset[str], ...] = ()
    file_of: np.ndarray[Any, Any] | None = None
    placing: Placing | None = None
    carried: Carried | None = None
    sequence: Mapping[str, Any] = field(default_factory=dict)
    texts_of: Callable[[str], Any] | None = None
    _columns: dict[str, Values] = field(default_factory=dict)

    @property
    def end(self) -> int:
        return self.start + self.size

    def column(self, name: str) -> Values:
        """The column ``name``; all unknown where the file does not have it."""
        if name not in self._columns:
            column = self.pack.by_name[name]
            array = self.arrays.get(name)
            if array is None:
                array = pa.nulls(self.size, STORED[column.kind.value])
            mask = None
            if name in self.unreadable:
                mask = np.zeros(self.size, dtype=bool)
                mask[self.unreadable[name]] = True
            self._columns[name] = _typed(column, array, mask)
        return self._columns[name]

    def logs(self, name: str) -> bool:
        """The event's file holds at least one known value in this column."""
        return name in self.logged

    def logs_truth(self, name: str) -> Truth:
        return Truth.constant(self.size, self.logs(name))

    def number(self, name: str) -> Any:
        """The number in force on each event's day."""
        return self.numbers.on(name, self.column(self.pack.roles.day).array)

    def fact(self, name: str) -> Truth:
        """A fact that only the whole audit shows (the pack's ``sequence`` or ``games``)."""
        return Truth(self.of_whole(name))

    def of_whole(self, name: str) -> Any:
        """A column that only the whole audit shows, of whatever type, for these events."""
        return self.sequence[name].slice(self.start, self.size)

    def texts(self, name: str) -> Any:
        """The texts behind the codes of a coded column, as an Arrow array with at least one entry."""
        if self.texts_of is None:
            raise RuntimeError("this batch has no texts")
        return self.texts_of(name)

    def logged_by_file(self, name: str) -> np.ndarray[Any, Any]:
        """For each event whether its own file holds at least one known value in the column."""
        return self._by_file(name, self.logged_of_file)

    def present_by_file(self, name: str) -> np.ndarray[Any, Any]:
        """For each event whether its own file has a column of that name, with values or without."""
        return self._by_file(name, self.columns_of_file)

    def _by_file(self, name: str, names: tuple[frozenset[str], ...]) -> np.ndarray[Any, Any]:
        if self.file_of is None:
            raise RuntimeError("this batch has not been placed")
        files = np.array([name in own for own in names] or [False])
        mask: np.ndarray[Any, Any] = files[self.file_of[self.start : self.end]]
        return mask

    @property
    def placed(self) -> Placing:
        if self.placing is None:
            raise RuntimeError("this batch has not been placed")
        return self.placing

    def place_truth(self, mask: np.ndarray[Any, Any]) -> Truth:
        """A mask over the whole audit, for this batch."""
        return Truth.of_mask(mask[self.start : self.end])

    def neighbour(self, index: np.ndarray[Any, Any]) -> Neighbour:
        """The events at ``index`` (over the whole audit; negative where there is none)."""
        if self.carried is None:
            raise RuntimeError("this batch has not been placed")
        return Neighbour(index[self.start : self.end], self.carried, self.placed.time)

    def neighbour_logs(self, index: np.ndarray[Any, Any], name: str) -> Truth:
        """Whether the file of the other event has the column; false where there is no other event."""
        if self.file_of is None:
            raise RuntimeError("this batch has not been placed")
        files = np.array([name in logged for logged in self.logged_of_file] or [False])
        here = index[self.start : self.end]
        return Truth.of_mask((here >= 0) & files[self.file_of[np.maximum(here, 0)]])
