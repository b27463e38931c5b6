"""The rows of whole games in their order, as the facts of the pack look at them: NumPy columns, -1 where unknown.

Players are codes into ``names``; a cell that lists players is a code into ``lists``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from rules.bunco.columns import KINDS, MOVE, RESULT, ROLL, SEAT
from rules.bunco.options import House
from rules.catalogue import Catalogue

Ints = np.ndarray[Any, np.dtype[np.integer[Any]]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]

UNKNOWN = -1
YES, NO = 1, 0

_AND = Catalogue("rules").text("blank", "and")

#: Between the players of a list, as the column's grammar spells it.
SEPARATOR = "|"


@dataclass
class Players:
    """All players and lists of players that stand in the log, each text looked at once."""

    names: list[str] = field(default_factory=list)
    lists: list[tuple[int, ...]] = field(default_factory=list)
    _codes: dict[str, int] = field(default_factory=dict)

    def take(self, texts: Iterable[str | None]) -> Ints:
        """A code into ``lists`` for each text, -1 where it names nobody."""
        codes = []
        for text in texts:
            people = text.split(SEPARATOR) if text else []
            if people:
                self.lists.append(tuple(self._code(name) for name in people))
            codes.append(len(self.lists) - 1 if people else UNKNOWN)
        return np.array(codes, dtype=np.int64)

    def _code(self, name: str) -> int:
        if name not in self._codes:
            self._codes[name] = len(self.names)
            self.names.append(name)
        return self._codes[name]

    def said(self, people: tuple[int, ...] | frozenset[int]) -> str:
        """Players by name, in the order of the log."""
        *first, last = [self.names[one] for one in people] or [""]
        return f"{', '.join(first)}{_AND}{last}" if first else last

    @cached_property
    def single(self) -> Ints:
        """For each list the one player that it names, -1 where it names several; a last entry stands for no list."""
        return np.array([people[0] if len(people) == 1 else UNKNOWN for people in self.lists] + [UNKNOWN])


@dataclass(frozen=True)
class Logged:
    """What the file of a row logs at all: kinds of rows, and columns on a kind that hold a known value."""

    kinds: Mapping[int, Bools]
    columns: Mapping[tuple[int, str], Bools]

    def kind(self, kind: int) -> Bools:
        return self.kinds[kind]

    def column(self, kind: int, name: str) -> Bools:
        return self.columns[kind, name]


def logged_here(kind: Ints, known: Mapping[str, Bools], file: Ints) -> Logged:
    """What each row's file logs, from the rows of all files. ``known``: where a column holds a known value."""
    files = int(file.max(initial=-1)) + 1

    def in_file(mask: Bools) -> Bools:
        return np.bincount(file[mask], minlength=files).astype(bool)[file]

    kinds = {code: in_file(kind == code) for code in range(len(KINDS))}
    columns = {
        (code, name): in_file((kind == code) & mask) for name, mask in known.items() for code in range(len(KINDS))
    }
    return Logged(kinds, columns)


#: Columns of which it matters on which kind of row the file fills them.
JUDGED_BY_KIND = (
    "round", "table", "player", "d1", "d2", "d3", "points", "team_total", "called", "score", "opponent_score",
    "from_table", "to_table", "card", "category", "value", "scorer",
)  # fmt: skip


@dataclass
class Rows:
    """Rows of whole games, game after game, each in the order of its ``seq``; further rows of an id are left out.

    ``round`` and ``table`` are as recorded; ``dice`` 0 where a face is not known; ``called`` 1, 0 or -1. ``value``,
    ``score`` and the like come with a mask, since any whole number may stand there. ``gap_before``: rows are missing,
    or may be, before this one. ``bad_dice``: a die's cell cannot be read (LOG-5 names it).
    """

    house: House
    players: Players
    game: Ints
    kind: Ints
    seq: Ints
    round: Ints
    table: Ints
    who: Ints
    against: Ints
    scorer: Ints
    dice: Ints
    bad_dice: Bools
    points: Ints
    points_known: Bools
    total: Ints
    total_known: Bools
    called: Ints
    score: Ints
    score_known: Bools
    opponent_score: Ints
    opponent_score_known: Bools
    from_table: Ints
    to_table: Ints
    card: Ints
    category: Ints
    value: Ints
    value_known: Bools
    gap_before: Bools
    logged: Logged

    def __len__(self) -> int:
        return len(self.kind)

    def of(self, *kinds: int) -> Bools:
        """Where a row is of one of ``kinds``."""
        return np.isin(self.kind, kinds)

    def part(self, keep: Bools) -> Rows:
        """Some of the rows: whole games."""
        kinds = {kind: mask[keep] for kind, mask in self.logged.kinds.items()}
        columns = {key: mask[keep] for key, mask in self.logged.columns.items()}
        arrays = {
            one.name: getattr(self, one.name)[keep]
            for one in fields(self)
            if isinstance(getattr(self, one.name), np.ndarray)
        }
        return replace(self, **arrays, logged=Logged(kinds, columns))

    @cached_property
    def player(self) -> Ints:
        """The one player that a row names, -1 where it names nobody or several."""
        return self.players.single[self.who]

    def people(self, row: int) -> tuple[int, ...]:
        """The players that a row names."""
        code = self.who[row]
        return self.players.lists[code] if code >= 0 else ()

    def opponents(self, row: int) -> tuple[int, ...]:
        """The opponents that a row names."""
        code = self.against[row]
        return self.players.lists[code] if code >= 0 else ()

    # Where a row belongs

    @cached_property
    def opens_game(self) -> Bools:
        """The first row of its game."""
        first = np.ones(len(self), dtype=bool)
        first[1:] = self.game[1:] != self.game[:-1]
        return first

    @cached_property
    def game_start(self) -> Ints:
        """For each row the place of the first row of its game."""
        return np.maximum.accumulate(np.where(self.opens_game, np.arange(len(self)), 0))

    @cached_property
    def games(self) -> list[tuple[int, int]]:
        """First and past-the-last row of each game."""
        starts = np.flatnonzero(self.opens_game).tolist()
        return list(zip(starts, [*starts[1:], len(self)], strict=True))

    @cached_property
    def stretch(self) -> Ints:
        """A number that changes where a game begins and where rows are missing."""
        return np.cumsum(self.opens_game | self.gap_before)

    @cached_property
    def known_round(self) -> Ints:
        """The round of each row: as recorded, else that of its neighbours.

        A roll lies between two rolls of one round. A seat is taken before a round, all else written down after it.
        """
        round_ = self.round.copy()
        blank = (round_ < 0) & (self.kind >= SEAT)
        if not blank.any():
            return round_
        line = np.arange(len(self))
        known = self.round >= 0
        before = np.maximum.accumulate(np.where(known, line, -1))
        after = np.minimum.accumulate(np.where(known, line, len(self))[::-1])[::-1]
        has_before = before >= self.game_start
        has_after = after < len(self)
        has_after[has_after] = self.game[after[has_after]] == self.game[has_after]
        earlier = np.where(has_before, self.round[np.maximum(before, 0)], UNKNOWN)
        later = np.where(has_after, self.round[np.minimum(after, len(self) - 1)], UNKNOWN)
        agree = np.where(~has_before, later, np.where(~has_after | (earlier == later), earlier, UNKNOWN))
        told = np.select([self.kind == ROLL, self.kind == SEAT], [agree, np.where(has_after, later, earlier)], earlier)
        round_[blank] = told[blank]
        return round_

    @cached_property
    def _odd_ones_out(self) -> tuple[Bools, Ints]:
        """Rolls with another round between two rolls of one round, and the rounds in which all rows are judged."""
        r = self.known_round
        found = np.zeros(len(self), dtype=bool)
        theirs = r.copy()
        rolls = self._rolls_in_sequence
        if len(rolls) < 3:
            return found, theirs
        here, before, after = rolls[1:-1], rolls[:-2], rolls[2:]
        among = (self.game[before] == self.game[after]) & (r[before] == r[after]) & (r[here] != r[before])
        if self.house.seq_by_table:
            among &= self.table[before] == self.table[after]
        # of a run of alternating rounds every other one is the odd one out
        place = np.arange(len(among))
        start = np.maximum.accumulate(np.where(among & ~np.r_[False, among[:-1]], place, 0))
        odd = among & ((place - start) % 2 == 0)
        found[here[odd]] = True
        theirs[here[odd]] = r[before[odd]]
        return found, theirs

    @cached_property
    def _rolls_in_sequence(self) -> Ints:
        """Rolls of a known round as they follow each other: with a number for each table, at their table only."""
        rolls = np.flatnonzero((self.kind == ROLL) & (self.known_round >= 0))
        if self.house.seq_by_table:
            rolls = rolls[np.lexsort((rolls, self.table[rolls], self.game[rolls]))]
        return rolls

    @property
    def lone(self) -> Bools:
        """BUN-03: a roll with another round between two rolls of one round, whose round is taken to be theirs."""
        return self._odd_ones_out[0]

    @property
    def played(self) -> Ints:
        """The round in which a row is judged: the known one, of a lone roll that of the rolls around it."""
        return self._odd_ones_out[1]

    @cached_property
    def beyond(self) -> Bools:
        """The row is of a round that the game does not have."""
        outside: Bools = (self.played > self.house.last_round) | (self.played == 0)
        return outside

    @cached_property
    def backward(self) -> Bools:
        """BUN-03: a roll of a round after rolls of a later one."""
        rolls = self._rolls_in_sequence
        found = np.zeros(len(self), dtype=bool)
        group = _grouped(self.game[rolls], *([self.table[rolls]] if self.house.seq_by_table else []))
        span = int(self.played.max(initial=0)) + 1
        reached = np.maximum.accumulate(group * span + self.played[rolls]) - group * span
        found[rolls] = self.played[rolls] < reached
        return found

    @cached_property
    def slot(self) -> Ints:
        """A number for each game and round, rising; -1 where the round is not known."""
        span = int(self.played.max(initial=0)) + 2
        pair = (np.cumsum(self.opens_game) - 1) * span + self.played
        codes = np.unique(pair, return_inverse=True)[1] if len(self) else pair
        return np.where(self.played >= 0, codes, UNKNOWN)

    @cached_property
    def number_of_tables(self) -> Ints:
        """How many tables each row's game has: as the house says, else those at which somebody sits or plays."""
        if self.house.tables:
            return np.full(len(self), self.house.tables, dtype=np.int64)
        group = np.cumsum(self.opens_game) - 1
        most = np.zeros(int(group[-1]) + 1 if len(group) else 0, dtype=np.int64)
        sits = self.of(SEAT, RESULT, ROLL)
        np.maximum.at(most, group[sits], self.table[sits])
        np.maximum.at(most, group[self.kind == MOVE], np.where(most[group] > 0, 0, self.from_table)[self.kind == MOVE])
        tables: Ints = np.maximum(most, 1)[group]
        return tables


def _grouped(*keys: Ints) -> Ints:
    """A number for each run of equal keys, rising."""
    if not len(keys[0]):
        return keys[0]
    new = np.zeros(len(keys[0]), dtype=bool)
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.cumsum(new)
