"""The tosses of all games in their order, as arrays: what stands in the cells, and what belongs to the game."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from rules.batch import Batch
from rules.die.columns import CATALOGUE, OF_GAME
from rules.die.distinct import distinct
from rules.die.notation import Touch, read_touches
from rules.die.options import House
from rules.kit import FurtherCell
from rules.placing import Bools, Ints

#: Teams as numbers: a team's own, nobody's, not known, a player of both.
A, B, NOBODY, UNKNOWN, OF_BOTH = range(5)
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass
class Log:
    """All audited tosses, game after game. ``batch``: all rows; ``rows``: their places there, in order."""

    batch: Batch

    @cached_property
    def house(self) -> House:
        return House.of(self.batch.pack.house)

    @cached_property
    def rows(self) -> Ints:
        position = self.batch.placed.position
        kept = np.flatnonzero(position >= 0)
        ordered: Ints = kept[np.argsort(position[kept], kind="stable")]
        return ordered

    def __len__(self) -> int:
        return len(self.rows)

    def scattered(self, values: np.ndarray[Any, Any], absent: Any) -> np.ndarray[Any, Any]:
        """Values of the tosses in order, for all rows of the audit."""
        result = np.full(self.batch.size, absent, dtype=values.dtype)
        result[self.rows] = values
        return result

    # Cells

    def codes(self, name: str) -> Ints:
        """A column as whole numbers, -1 where nothing is known. Places of words, codes of texts, yes as 1."""
        array = self.batch.column(name).array
        if pa.types.is_boolean(array.type):
            array = array.cast(pa.int8())
        numbers = array.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        result: Ints = numbers[self.rows]
        return result

    def numbers(self, name: str) -> Floats:
        """A column of whole numbers, NaN where nothing is known."""
        array = self.batch.column(name).array.cast(pa.float64())
        result: Floats = array.to_numpy(zero_copy_only=False)[self.rows]
        return result

    def unread(self, name: str) -> Bools:
        """A value stands there that cannot be read."""
        return self._mask(self.batch.column(name).unreadable.array)

    def _mask(self, array: Any) -> Bools:
        mask: Bools = array.to_numpy(zero_copy_only=False)[self.rows]
        return mask

    def logged(self, name: str) -> Bools:
        """The row's file has a value in this column somewhere."""
        return self.batch.logged_by_file(name)[self.rows]

    def present(self, name: str) -> Bools:
        """The row's file has the column."""
        return self.batch.present_by_file(name)[self.rows]

    def texts(self, name: str) -> list[str]:
        texts: list[str] = self.batch.texts(name).to_pylist()
        return texts

    # Games

    @cached_property
    def first(self) -> Bools:
        """The first toss of its game."""
        table = self.batch.placed.table[self.rows]
        opens = np.ones(len(table), dtype=bool)
        opens[1:] = table[1:] != table[:-1]
        return opens

    @cached_property
    def starts(self) -> Ints:
        """Where each game begins."""
        return np.flatnonzero(self.first)

    @cached_property
    def game(self) -> Ints:
        numbers: Ints = np.cumsum(self.first) - 1
        return numbers

    @cached_property
    def toss(self) -> Ints:
        return self.codes("toss")

    @cached_property
    def gap_before(self) -> Bools:
        """Tosses are missing before this one, or may be; also before the first, where the game began earlier."""
        gap = self.batch.placed.gap_before[self.rows].copy()
        gap[self.first & (self.toss > 1) & ~self.started[self.game]] = True
        return gap

    @cached_property
    def started(self) -> Bools:
        """By game: a score to start from is recorded."""
        return (self.of_game("start_a") >= 0) | (self.of_game("start_b") >= 0)

    def start(self, team: int) -> Ints:
        """By game: the score it starts from, 0 where none is recorded."""
        return np.maximum(self.of_game(("start_a", "start_b")[team]), 0)

    @cached_property
    def excerpt(self) -> Bools:
        """By game: the log says from what score it goes on, so that the opening is not its own."""
        late = self.toss[self.starts] > 1
        return self.started & (late | (self.start(A) > 0) | (self.start(B) > 0))

    @cached_property
    def _of_game(self) -> dict[str, tuple[Ints, Ints]]:
        return {}

    def first_recorded(self, name: str) -> tuple[Ints, Ints]:
        """By game: the first recorded value of a column, and on which toss it stands (-1, -1 where there is none)."""
        if name not in self._of_game:
            codes = self.codes(name)
            nowhere = len(self)
            places = np.where(codes >= 0, np.arange(len(self)), nowhere)
            at = np.minimum.reduceat(places, self.starts)
            found = at < nowhere
            value = np.where(found, codes[np.minimum(at, nowhere - 1)], -1)
            self._of_game[name] = (value, np.where(found, at, -1))
        return self._of_game[name]

    def of_game(self, name: str) -> Ints:
        return self.first_recorded(name)[0]

    def contradictions(self) -> list[FurtherCell]:
        """LOG-5: cells on later rows that say something else of their game than the first that is recorded."""
        cells = []
        for name in OF_GAME:
            codes, (value, _) = self.codes(name), self.first_recorded(name)
            for place in np.flatnonzero((codes >= 0) & (codes != value[self.game])).tolist():
                stands, first = self.said(name, codes[place]), self.said(name, value[self.game[place]])
                expected = CATALOGUE.text("cells", "of_game").format(value=first)
                cells.append(FurtherCell(int(self.rows[place]), name, stands, expected))
        return cells

    def said(self, name: str, code: int) -> str:
        """What a code of a column stands for."""
        column = self.batch.pack.by_name[name]
        if column.coded:
            return str(self.batch.texts(name)[int(code)].as_py())
        return column.words[int(code)] if column.words else str(int(code))

    # Teams

    @cached_property
    def _members(self) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
        """The players behind each code of the two team columns."""
        return tuple([frozenset(text.split("|")) for text in self.texts(name)] for name in ("team_a", "team_b"))  # type: ignore[return-value]

    def teams(self, game: int) -> tuple[frozenset[str], frozenset[str]]:
        """The players of both teams of a game, as recorded; empty where none are."""
        codes = (self.of_game("team_a")[game], self.of_game("team_b")[game])
        a, b = (self._members[team][code] if code >= 0 else frozenset() for team, code in enumerate(codes))
        return a, b

    def side(self, a: int, b: int, player: str) -> int:
        """Which team a player is of, given the codes of the two teams."""
        in_a = a >= 0 and player in self._members[A][a]
        in_b = b >= 0 and player in self._members[B][b]
        if in_a or in_b:
            return OF_BOTH if in_a and in_b else A if in_a else B
        return NOBODY if a >= 0 and b >= 0 else UNKNOWN

    def in_both(self) -> list[FurtherCell]:
        """LOG-5: players that stand in both teams of a game."""
        cells = []
        a_codes, (b_codes, b_at) = self.of_game("team_a"), self.first_recorded("team_b")
        pairs, inverse = distinct(a_codes, b_codes)
        clashes = [
            sorted(self._members[A][a] & self._members[B][b]) if a >= 0 and b >= 0 else [] for a, b in pairs.T.tolist()
        ]
        for game in np.flatnonzero(np.array([bool(c) for c in clashes])[inverse]).tolist():
            both = clashes[int(inverse[game])]
            expected = CATALOGUE.text("cells", "in_both").format(players=", ".join(both))
            row = int(self.rows[b_at[game]])
            cells.append(FurtherCell(row, "team_b", self.said("team_b", int(b_codes[game])), expected))
        return cells

    def sides(self, name: str) -> Ints:
        """Of each toss, the team of the player whom a column names; ``UNKNOWN`` also where it names none."""
        codes = self.codes(name)
        a, b = self.of_game("team_a")[self.game], self.of_game("team_b")[self.game]
        texts = self.texts(name)
        cases, which = distinct(a, b, codes)
        told = [self.side(x, y, texts[p]) if p >= 0 else UNKNOWN for x, y, p in cases.T.tolist()]
        sides: Ints = np.array(told, dtype=np.int64)[which]
        return sides

    @cached_property
    def thrower(self) -> Ints:
        return self.codes("thrower")

    @cached_property
    def attack(self) -> Ints:
        """The team of the thrower."""
        return self.sides("thrower")

    @cached_property
    def catcher(self) -> Ints:
        """The team of whoever took the die."""
        return self.sides("catch_by")

    # Points and scores

    @cached_property
    def sunk(self) -> Bools:
        """The die went into a glass, so that blank points are none."""
        ends = np.array([text.endswith(("SF", "SO")) for text in self.texts("path")])
        path = self.codes("path")
        sunk: Bools = (path >= 0) & ends[np.maximum(path, 0)]
        return sunk

    @cached_property
    def points(self) -> tuple[Floats, Floats]:
        """Points recorded for each team; NaN where they are not known. Blank beside a number is 0."""
        a, b = self.numbers("points_a"), self.numbers("points_b")
        unread_a, unread_b = self.unread("points_a"), self.unread("points_b")
        none = np.isnan(a) & np.isnan(b)
        unknown = unread_a | unread_b | (none & ~self.sunk)
        return tuple(np.where(unknown, np.nan, np.nan_to_num(p)) for p in (a, b))  # type: ignore[return-value]

    @cached_property
    def touched(self) -> list[tuple[Touch, ...]]:
        """The touches behind each code of the FIFA column."""
        return [read_touches(text) if text else () for text in self.texts("fifa")]
