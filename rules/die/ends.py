"""The end of a game: when it was due, what is recorded of it, and what follows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rules.die.combinations import NONE_LEFT, REDONE, Combinations
from rules.die.judging import BREACH
from rules.die.log import A, B, Floats, Log
from rules.die.scores import Arithmetic, Scores, wins
from rules.placing import Bools, Ints

NOBODY_WINS, EITHER = -1, 2


@dataclass
class Ends:
    """Ends due and ends recorded, of the tosses in order."""

    log: Log
    scores: Scores
    combined: Combinations
    arithmetic: Arithmetic

    # What each toss is

    @cached_property
    def points_wrong(self) -> Bools:
        wrong: Bools = self.combined.each([j.outcome == BREACH for j in self.combined.judged], bool)
        return wrong

    @cached_property
    def fifa(self) -> Bools:
        fifa: Bools = self.combined.each([j.fifa for j in self.combined.judged], bool)
        return fifa

    @cached_property
    def contested(self) -> Bools:
        redone: Bools = self.combined.contest == REDONE
        return redone

    @cached_property
    def sink_due(self) -> Ints:
        """The team that wins by a sink, ``NOBODY_WINS`` where none does, ``EITHER`` where it cannot be told."""

        def told(ends: frozenset[str]) -> int:
            if ends == {"A"} or ends == {"B"}:
                return "AB".index(next(iter(ends)))
            return EITHER if ends - {""} else NOBODY_WINS

        return self.combined.each([told(j.ends) for j in self.combined.judged], np.int64)

    # The end test

    def _by(self, score: tuple[Floats, Floats], points: tuple[Floats, Floats]) -> Ints:
        """The team that wins by the end test."""
        house = self.log.house
        a, b = (wins(score, points, team, house.target, house.win_by) for team in (A, B))
        return np.where(a, A, np.where(b, B, NOBODY_WINS))

    @cached_property
    def held(self) -> Bools:
        """The end test is held after this toss: no FIFA, not done again, and no sink ends it.

        Where the log does not say where the die went, points for the thrower's team still tell that it was neither.
        """
        points, attack = self.log.points, self.log.attack
        scored = np.where(attack == A, points[A], np.where(attack == B, points[B], 0)) > 0
        no_sink = (self.sink_due == NOBODY_WINS) | ((self.sink_due == EITHER) & ~self.log.sunk & scored)
        tested: Bools = ~self.fifa & ~self.contested & no_sink
        return tested

    @cached_property
    def by_score(self) -> Ints:
        """The team that wins by the logged score."""
        return np.where(self.held, self._by(self.scores.after, self.log.points), NOBODY_WINS)

    @cached_property
    def score_unknown(self) -> Bools:
        """A score or the points are not known, so that the end test cannot be held."""
        after, points = self.scores.after, self.log.points
        return np.isnan(after[A]) | np.isnan(after[B]) | np.isnan(points[A]) | np.isnan(points[B])

    def _also(self, team: Ints) -> Bools:
        """The same team (or nobody) wins by the points due, where those logged are wrong, and by the recomputed score,
        where the arithmetic is."""
        arithmetic = self.arithmetic
        by_due = [
            np.where(self.held, self._by(score, points), NOBODY_WINS)
            for score, points in zip(arithmetic.by_dues, arithmetic.options, strict=True)
        ]
        on_due = (by_due[0] == team) | (by_due[1] == team)
        again = np.where(self.held, self._by(arithmetic.recomputed, self.log.points), NOBODY_WINS)
        agrees: Bools = (~self.points_wrong | on_due) & (~arithmetic.breach | (again == team))
        return agrees

    @cached_property
    def agreed(self) -> Bools:
        """What the end test says of the logged score stands on the corrected ones too."""
        return self._also(self.by_score)

    @cached_property
    def due(self) -> Ints:
        """The team entitled to the end on this toss, sure on every reading; ``NOBODY_WINS`` where there is none."""
        by_sink = np.where(self.sink_due == EITHER, NOBODY_WINS, self.sink_due)
        return np.where(by_sink >= 0, by_sink, np.where(self.agreed, self.by_score, NOBODY_WINS))

    @cached_property
    def last_due(self) -> Ints:
        """By game: the toss on which its end was due first, -1 where none was."""
        log = self.log
        places = np.where(self.due >= 0, np.arange(len(log)), len(log))
        first = np.minimum.reduceat(places, log.starts)
        return np.where(first < len(log), first, -1)

    @cached_property
    def over(self) -> Bools:
        """The game was over before this toss."""
        ended = self.last_due[self.log.game]
        return (ended >= 0) & (np.arange(len(self.log)) > ended)

    @cached_property
    def after_end(self) -> tuple[Ints, Ints]:
        """The first toss after the end of each game that has any, and how many there are."""
        over = self.over
        counts = np.bincount(self.log.game[over], minlength=len(self.log.starts))
        games = np.flatnonzero(counts)
        return self.last_due[games] + 1, counts[games]

    # What is recorded

    @cached_property
    def winner(self) -> Ints:
        return self.log.codes("winner")

    @cached_property
    def tested(self) -> Bools:
        """The file has a column for the winner, and the cell can be read."""
        return self.log.present("winner") & ~self.log.unread("winner") & ~self.over

    @cached_property
    def plain(self) -> Bools:
        """A toss of which only the end test decides whether the game ends."""
        return self.tested & self.held & ~self.low_end

    @cached_property
    def low_end(self) -> Bools:
        """An end for the attack is recorded on a toss ruled low that gives it nothing."""
        rule = self.combined.each([j.rule == "DIE-14" and j.ends == {""} for j in self.combined.judged], bool)
        low: Bools = rule & (self.winner >= 0) & (self.winner == self.log.attack)
        return low

    @cached_property
    def not_ended(self) -> Bools:
        """DIE-12: a team has won by the end test, and no end is recorded."""
        return self.plain & (self.by_score >= 0) & (self.winner < 0) & self.agreed

    @cached_property
    def early(self) -> Bools:
        """DIE-12: an end is recorded, and nobody has won."""
        none = self.plain & (self.by_score < 0) & (self.winner >= 0) & ~self.score_unknown
        return none & self.agreed

    @cached_property
    def wrong_winner(self) -> Bools:
        """DIE-24: the recorded winner is not the team that has won by the end test."""
        wrong: Bools = self.plain & (self.by_score >= 0) & (self.winner >= 0) & (self.winner != self.by_score)
        return wrong & self.agreed

    @cached_property
    def sink_wrong(self) -> tuple[Bools, Bools]:
        """A sink decides the game: no end is recorded; the other team is recorded as the winner."""
        sunk = self.tested & (self.sink_due >= 0) & (self.sink_due != EITHER) & (self.combined.contest != NONE_LEFT)
        return sunk & (self.winner < 0), sunk & (self.winner >= 0) & (self.winner != self.sink_due)

    @cached_property
    def unfinished(self) -> Bools:
        """By game: it has no end, recorded or due, though its file has a column for one."""
        log = self.log

        def of_game(mask: Bools) -> Bools:
            some: Bools = np.logical_or.reduceat(mask, log.starts)
            return some

        last = np.append(log.starts[1:], len(log)) - 1
        ended = of_game((self.winner >= 0) | log.unread("winner")) | (self.last_due >= 0)
        open_: Bools = of_game(log.present("winner")) & ~ended & (self.sink_due[last] != EITHER)
        return open_
