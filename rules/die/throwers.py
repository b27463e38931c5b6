"""Who throws: the opening, the throw that is done again, and the order of throwers where a house has one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rules.die.combinations import NONE_LEFT, Combinations
from rules.die.distinct import distinct
from rules.die.ends import Ends
from rules.die.log import A, B, Log
from rules.placing import Bools, Ints

TIE, NO_ROLLS, UNEQUAL = -1, -2, -3


@dataclass
class Throwers:
    log: Log
    combined: Combinations
    ends: Ends

    # The opening

    @cached_property
    def roll_winner(self) -> Ints:
        """By game: who won the roll, by its last pair; or ``TIE``, ``NO_ROLLS``, ``UNEQUAL`` (lists of two lengths)."""
        log = self.log
        faces = [[text.split("|") for text in log.texts(name)] for name in ("roll_a", "roll_b")]
        cases, which = distinct(log.of_game("roll_a"), log.of_game("roll_b"))

        def won(a: int, b: int) -> int:
            if a < 0 or b < 0:
                return NO_ROLLS
            rolls = faces[A][a], faces[B][b]
            if len(rolls[A]) != len(rolls[B]):
                return UNEQUAL
            last = int(rolls[A][-1]), int(rolls[B][-1])
            return TIE if last[A] == last[B] else A if last[A] > last[B] else B

        told = [won(a, b) for a, b in cases.T.tolist()]
        winners: Ints = np.array(told, dtype=np.int64)[which]
        return winners

    @cached_property
    def opening(self) -> Bools:
        """The first toss of a game whose log begins with it."""
        log = self.log
        return log.first & (log.toss <= 1) & ~log.excerpt[log.game]

    @cached_property
    def first_thrower(self) -> tuple[Bools, Bools]:
        """DIE-03: the wrong team threw first; or it cannot be told."""
        log, house = self.log, self.log.house
        won = self.roll_winner[log.game]
        choice = log.of_game("choice")[log.game]
        unread = np.logical_or.reduceat(log.unread("choice"), log.starts)[log.game] & (choice < 0)
        told = self.opening & (log.attack <= B)
        by_winner = log.attack == won
        first, side, none = choice == 0, choice == 1, (choice < 0)
        known = told & (won >= 0)
        wrong = known & ((first & ~by_winner) | (side & by_winner & (not house.side_winner_may_throw_first)))
        fine_without = by_winner & none & ~unread
        open_ = told & (won != TIE) & ((won < 0) | (none & ~fine_without))
        return wrong, open_

    # Again by the same player

    @cached_property
    def again(self) -> Bools:
        """The toss before this one was to be thrown again, and nothing is missing between."""
        return self._before(self.combined.each([j.agains == {True} for j in self.combined.judged], bool))

    @cached_property
    def perhaps_again(self) -> Bools:
        unsure = self.combined.each([True in j.agains and False in j.agains for j in self.combined.judged], bool)
        return self._before(unsure | (self.combined.contest == NONE_LEFT))

    def _before(self, mask: Bools) -> Bools:
        log = self.log
        before = np.zeros(len(log), dtype=bool)
        before[1:] = mask[:-1]
        shares = log.batch.placed.shares_id[log.rows]
        before[log.first | log.gap_before | shares | self.ends.over] = False
        return before

    @cached_property
    def other_again(self) -> Bools:
        """DIE-15: it is another player who throws again."""
        thrower = self.log.thrower
        before = np.roll(thrower, 1)
        other: Bools = self.again & (thrower >= 0) & (before >= 0) & (thrower != before)
        return other

    # Order of throwers

    @cached_property
    def out_of_turn(self) -> Bools:
        """DIE-04: by the house's order of throwers it was somebody else's turn."""
        wrong = np.zeros(len(self.log), dtype=bool)
        if self.log.house.turn_order is None:
            return wrong
        pairs = self.log.house.turn_order == "pairs"
        team = self.log.attack.tolist()
        thrower = self.log.thrower.tolist()
        restart = (self.log.first | self.log.gap_before).tolist()
        again, perhaps = self.again.tolist(), self.perhaps_again.tolist()
        skip = (self.ends.over | self.log.batch.placed.shares_id[self.log.rows]).tolist()
        turn = _Turn(pairs)
        for i, here in enumerate(restart):
            if here:
                size = self._sizes[self.log.game[i]]
                turn = _Turn(pairs, size, sure=bool(self.log.first[i]) and not self.log.gap_before[i])
            if skip[i]:
                continue
            if perhaps[i] or team[i] > B or thrower[i] < 0:
                turn.lose()
                continue
            if again[i]:
                turn.take_back()
                turn.note(team[i], thrower[i])
                continue
            wrong[i] = not turn.fits(team[i], thrower[i])
            turn.note(team[i], thrower[i])
        return wrong

    @cached_property
    def _sizes(self) -> list[tuple[int, int]]:
        """By game: how many players each team has."""
        return [(len(a), len(b)) for a, b in map(self.log.teams, range(len(self.log.starts)))]


class _Turn:
    """Whose turn it is. Where it is not known, anybody's."""

    def __init__(self, pairs: bool, sizes: tuple[int, int] = (2, 2), sure: bool = True) -> None:
        self._pairs, self._sizes, self._sure = pairs, sizes, sure
        self._last: tuple[int, int, int] | None = None  # team, player, how many of the team in a row
        self._before: tuple[int, int, int] | None = None

    def fits(self, team: int, player: int) -> bool:
        """Whether it is this player's turn."""
        if self._last is None:
            return True
        last, mate, count = self._last
        if not self._pairs:
            return team != last
        if count == 0:  # where in its pair the last throw was is not known
            return team != last or player != mate
        full = count >= min(2, self._sizes[last])
        return team != last if full else team == last and player != mate

    def note(self, team: int, player: int) -> None:
        """The player threw, whosever turn it was."""
        self._before = self._last
        same = self._last is not None and self._last[0] == team
        count = self._last[2] + 1 if same and self._last else 1
        if self._last is None and not self._sure:
            count = 0
        self._last = (team, player, min(count, 2))
        self._sure = True

    def take_back(self) -> None:
        """The last throw is done again: it does not count as a turn."""
        self._last = self._before

    def lose(self) -> None:
        """From here on it is anybody's turn."""
        self._last = self._before = None
        self._sure = False
