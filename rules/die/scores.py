"""The running score: before and after each toss, as logged, and what its arithmetic allows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rules.die.log import A, B, Floats, Log
from rules.placing import Bools


@dataclass
class Scores:
    """Scores of the tosses in order. NaN where a score cannot be known."""

    log: Log

    @cached_property
    def logged(self) -> tuple[Floats, Floats]:
        return self.log.numbers("score_a"), self.log.numbers("score_b")

    def capped(self, score: Floats) -> Floats:
        """At the most the target, where the house has the score stop there."""
        return np.minimum(score, self.log.house.target) if self.log.house.max_score else score

    @cached_property
    def after(self) -> tuple[Floats, Floats]:
        """The score after each toss: as logged, else recomputed from the points."""
        return self._after(A), self._after(B)

    @cached_property
    def before(self) -> tuple[Floats, Floats]:
        """The score before each toss, by the row before it; not known across a gap."""
        return tuple(self._before(team, self.after[team]) for team in (A, B))  # type: ignore[return-value]

    def _start(self, team: int) -> Floats:
        """By toss: the score from which its game starts, NaN where the log begins in the middle without one."""
        log = self.log
        start = log.start(team).astype(np.float64)
        start[log.gap_before[log.starts]] = np.nan
        return start[log.game]

    def _before(self, team: int, after: Floats) -> Floats:
        log = self.log
        before = np.empty(len(log))
        before[1:] = after[:-1]
        before[log.first] = self._start(team)[log.first]
        before[log.gap_before] = np.nan
        return before

    def _after(self, team: int) -> Floats:
        log = self.log
        name = ("score_a", "score_b")[team]
        logged, points = self.logged[team], log.points[team]
        unread = log.unread(name)
        value = np.where(log.first, self._start(team) + points, np.nan)
        value = np.where(np.isnan(logged), value, logged)
        value[unread | (log.gap_before & np.isnan(logged))] = np.nan
        anchored = log.first | ~np.isnan(logged) | unread | log.gap_before
        places = np.arange(len(log))
        anchor = np.maximum.accumulate(np.where(anchored, places, 0))
        sums, gaps = np.cumsum(np.nan_to_num(points)), np.cumsum(np.isnan(points))
        after = value[anchor] + (sums - sums[anchor])
        after[gaps > gaps[anchor]] = np.nan
        return self.capped(after)


@dataclass
class Arithmetic:
    """DIE-23: whether each logged score follows from the one before it.

    ``options``: the awards (team A, team B) that are due of each toss, one or two of them, NaN where it is not settled.
    """

    scores: Scores
    options: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]

    @property
    def log(self) -> Log:
        return self.scores.log

    def _sum(self, points: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        before = self.scores.before
        return tuple(self.scores.capped(before[team] + points[team]) for team in (A, B))  # type: ignore[return-value]

    @cached_property
    def by_points(self) -> tuple[Floats, Floats]:
        """L: the score before, and the points logged."""
        return self._sum(self.log.points)

    @cached_property
    def by_dues(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """D: the score before, and the points due."""
        return self._sum(self.options[0]), self._sum(self.options[1])

    def _holds(self, expected: tuple[Floats, Floats]) -> Bools:
        """The logged score, as far as it is logged, is the expected one."""
        logged = self.scores.logged
        fits = [np.isnan(logged[team]) | (logged[team] == expected[team]) for team in (A, B)]
        both: Bools = fits[A] & fits[B]
        return both

    @cached_property
    def applies(self) -> Bools:
        """A score is logged, and what it should be is known."""
        logged, expected = self.scores.logged, self.by_points
        there = ~np.isnan(logged[A]) | ~np.isnan(logged[B])
        known = [np.isnan(logged[team]) | ~np.isnan(expected[team]) for team in (A, B)]
        result: Bools = there & known[A] & known[B]
        return result

    @cached_property
    def _judged(self) -> tuple[Bools, Floats, Floats]:
        """Breaches, and R: the line recomputed from the last row that held."""
        held = self._holds(self.by_points) | self._holds(self.by_dues[0]) | self._holds(self.by_dues[1]) | ~self.applies
        again = [self.by_points[team].copy() for team in (A, B)]
        breach = ~held
        log = self.log
        for game in np.unique(log.game[breach]).tolist():
            begin = int(log.starts[game])
            end = int(log.starts[game + 1]) if game + 1 < len(log.starts) else len(log)
            self._follow(begin, end, held, again, breach)
        return breach, again[A], again[B]

    def _follow(self, begin: int, end: int, held: Bools, again: list[Floats], breach: Bools) -> None:
        """Recompute the line of one game from where its arithmetic failed."""
        points, logged, after = self.log.points, self.scores.logged, self.scores.after
        line: list[float] | None = None
        for i in range(begin, end):
            if line is not None:
                line = [float(self._cap(line[team] + points[team][i])) for team in (A, B)]
                again[A][i], again[B][i] = line
            holds = bool(held[i]) or (
                line is not None and all(np.isnan(logged[team][i]) or logged[team][i] == line[team] for team in (A, B))
            )
            breach[i] = not holds
            if holds:
                line = None
            elif line is None:
                line = [float(self.by_points[team][i]) for team in (A, B)]
            if self.log.gap_before[i] or np.isnan(after[A][i]):
                line = None if holds else line

    def _cap(self, value: float) -> float:
        return min(value, self.log.house.target) if self.log.house.max_score else value

    @property
    def breach(self) -> Bools:
        return self._judged[0]

    @property
    def recomputed(self) -> tuple[Floats, Floats]:
        return self._judged[1], self._judged[2]


def wins(score: tuple[Any, Any], points: tuple[Any, Any], team: int, target: int, win_by: int) -> Any:
    """The end test: points go to the team, it has reached the target, and leads by enough. False where not known."""
    other = 1 - team
    reached = (points[team] > 0) & (score[team] >= target) & (score[team] - score[other] >= win_by)
    return reached & ~(np.isnan(score[team]) | np.isnan(score[other]))
