"""Who sits where: the seats of each round, looked up for every roll (BUN-02, BUN-09, BUN-24)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rules.bunco.columns import ROLL, SEAT
from rules.bunco.rows import UNKNOWN, Bools, Ints, Rows

#: More tables than any evening has, to number table and round together.
_TABLES = 1000


@dataclass(frozen=True)
class Seat:
    """The seats of one table in one round: the row, and the players in the order to the left."""

    row: int
    table: int
    people: tuple[int, ...]

    @property
    def teams(self) -> tuple[frozenset[int], frozenset[int]]:
        """Partners sit opposite each other: every other seat is of one team."""
        return frozenset(self.people[0::2]), frozenset(self.people[1::2])


class Seating:
    """The seats of all games and rounds. Of several seat rows for one table and round the first one counts."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    @cached_property
    def seats(self) -> dict[int, dict[int, Seat]]:
        """For each slot (game and round) the tables with their seats."""
        found: dict[int, dict[int, Seat]] = {}
        rows = self.rows
        for row in np.flatnonzero((rows.kind == SEAT) & (rows.slot >= 0) & (rows.table >= 0)).tolist():
            table = int(rows.table[row])
            if rows.who[row] >= 0:
                found.setdefault(int(rows.slot[row]), {}).setdefault(table, Seat(row, table, rows.people(row)))
        return found

    @cached_property
    def _flat(self) -> tuple[Ints, Ints, Ints, Ints]:
        """One entry a seat, by slot, table and player: key, place in the row, number of seats, next on the left."""
        step = -1 if self.rows.house.direction == "right" else 1
        keys, places, sizes, lefts = [], [], [], []
        for slot, tables in self.seats.items():
            for table, seat in tables.items():
                size = len(seat.people)
                for place, player in enumerate(seat.people):
                    keys.append(self._key(slot, table, player))
                    places.append(place)
                    sizes.append(size)
                    lefts.append(seat.people[(place + step) % size])
        order = np.argsort(np.array(keys, dtype=np.int64), kind="stable")
        flat = [np.array(column, dtype=np.int64)[order] for column in (keys, places, sizes, lefts)]
        return flat[0], flat[1], flat[2], flat[3]

    def _key(self, slot: int, table: int, player: int) -> int:
        return (slot * _TABLES + min(table, _TABLES - 1)) * (len(self.rows.players.names) + 1) + player

    @cached_property
    def table(self) -> Ints:
        """The table of each row; a roll that names none is taken to be at its player's seat."""
        rows = self.rows
        table = rows.table.copy()
        homeless = np.flatnonzero((rows.kind == ROLL) & (table < 0) & (rows.slot >= 0) & (rows.player >= 0))
        for row in homeless.tolist():
            player = int(rows.player[row])
            here = [s.table for s in self.seats.get(int(rows.slot[row]), {}).values() if player in s.people]
            if len(here) == 1:
                table[row] = here[0]
        return table

    @cached_property
    def spot(self) -> Ints:
        """A number for each game, round and table, rising; -1 where one of them is not known."""
        pair = self.rows.slot * _TABLES + np.minimum(self.table, _TABLES - 1)
        known = (self.rows.slot >= 0) & (self.table >= 0)
        return np.where(known, pair, UNKNOWN)

    @cached_property
    def seated_spots(self) -> Ints:
        """The spots whose seats are known, ascending."""
        return np.unique(self._flat[0] // (len(self.rows.players.names) + 1))

    @cached_property
    def _entry(self) -> Ints:
        """For each roll its player's entry in the flat list of seats, else -1."""
        rows, keys = self.rows, self._flat[0]
        found = np.full(len(rows), UNKNOWN, dtype=np.int64)
        asked = np.flatnonzero((rows.kind == ROLL) & (self.spot >= 0) & (rows.player >= 0))
        if len(keys) and len(asked):
            wanted = self.spot[asked] * (len(rows.players.names) + 1) + rows.player[asked]
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            found[asked] = np.where(keys[at] == wanted, at, UNKNOWN)
        return found

    @cached_property
    def known(self) -> Bools:
        """The seats at the roll's table are known."""
        spots = self.seated_spots
        if not len(spots):
            return np.zeros(len(self.rows), dtype=bool)
        at = np.minimum(np.searchsorted(spots, self.spot), len(spots) - 1)
        known: Bools = (spots[at] == self.spot) & (self.spot >= 0)
        return known

    @property
    def seated(self) -> Bools:
        """The roll's player sits at its table."""
        return self._entry >= 0

    @cached_property
    def team(self) -> Ints:
        """The roller's team, 0 or 1; -1 where the seat is not known."""
        return self._of_entry(1, 2)

    @cached_property
    def left(self) -> Ints:
        """The player on the roller's left, -1 where not known."""
        return self._of_entry(3)

    def _of_entry(self, column: int, modulo: int = 0) -> Ints:
        values = self._flat[column]
        if not len(values):
            return np.full(len(self.rows), UNKNOWN, dtype=np.int64)
        taken = values[np.maximum(self._entry, 0)]
        return np.where(self.seated, taken % modulo if modulo else taken, UNKNOWN)
