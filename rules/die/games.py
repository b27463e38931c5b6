"""All that only whole games show, as columns over the whole audit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from rules.batch import Batch
from rules.die.columns import CATALOGUE
from rules.die.combinations import NONE_LEFT, OUTCOMES, REDONE, Combinations
from rules.die.distinct import distinct
from rules.die.ends import EITHER, Ends
from rules.die.judging import BREACH, OPEN, PASS, Judged
from rules.die.log import OF_BOTH, A, B, Floats, Log
from rules.die.scores import Arithmetic, Scores
from rules.die.throwers import NO_ROLLS, TIE, UNEQUAL, Throwers
from rules.kit import Games
from rules.placing import Bools

#: Reasons why an award is open that no record could settle: the page, or the house, would have to speak.
PAGE_SILENT = ("silent", "illegal_catch_value", "short_into_far_glass", "rebound_self_sink", "line")

#: Rules under which points are judged.
POINTS = tuple(f"DIE-{number:02d}" for number in range(5, 23))


@dataclass
class Played:
    """All games of an audit, worked out."""

    batch: Batch

    @cached_property
    def log(self) -> Log:
        return Log(self.batch)

    @cached_property
    def scores(self) -> Scores:
        return Scores(self.log)

    @cached_property
    def combined(self) -> Combinations:
        return Combinations(self.log, self.scores)

    @cached_property
    def options(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """The awards that are due of each toss: one, or two of which the source leaves it open; NaN elsewhere."""
        judged = self.combined.judged

        def award(place: int, team: int) -> Floats:
            told = [j.awards[min(place, len(j.awards) - 1)][team] if 0 < len(j.awards) <= 2 else np.nan for j in judged]
            return self.combined.each(told, np.float64)

        return (award(0, A), award(0, B)), (award(1, A), award(1, B))

    @cached_property
    def arithmetic(self) -> Arithmetic:
        return Arithmetic(self.scores, self.options)

    @cached_property
    def ends(self) -> Ends:
        return Ends(self.log, self.scores, self.combined, self.arithmetic)

    @cached_property
    def throwers(self) -> Throwers:
        return Throwers(self.log, self.combined, self.ends)

    # Columns over the audit

    def mask(self, values: Bools) -> Any:
        return pa.array(self.log.scattered(values, False))

    def tri(self, true: Bools, open_: Bools) -> Any:
        """Facts that are true, not known, or false."""
        return pa.array(self.log.scattered(true, False), mask=self.log.scattered(open_ & ~true, False))

    def texts(self, values: Iterable[str], which: Any) -> Any:
        """Texts by the numbers of tosses; null on rows that are none."""
        numbers = self.log.scattered(np.asarray(which, dtype=np.int32), -1)
        return pa.DictionaryArray.from_arrays(pa.array(numbers, mask=numbers < 0), pa.array(list(values), pa.string()))

    def of_combinations(self, told: list[str]) -> Any:
        """A text of each combination, for every toss."""
        values = sorted(set(told)) or [""]
        place = {value: number for number, value in enumerate(values)}
        return self.texts(values, self.combined.each([place[value] for value in told], np.int32))

    def on_games(self, values: Bools) -> Bools:
        """Facts of games, on the first toss of each."""
        result = np.zeros(len(self.log), dtype=bool)
        result[self.log.starts] = values
        return result

    def facts(self) -> dict[str, Any]:
        return {**self._points(), **self._ends(), **self._throwers(), **self._games()}

    def _points(self) -> dict[str, Any]:
        combined, ends = self.combined, self.ends
        judged = combined.judged
        rule = combined.each([POINTS.index(j.rule) if j.rule in POINTS else -1 for j in judged], np.int8)
        outcome = combined.each([OUTCOMES.index(j.outcome) for j in judged], np.int8)
        outcome[ends.over] = OUTCOMES.index("not judged")
        reasons = sorted({j.reason for j in judged})
        catch = combined.each([j.reason == "catch" for j in judged], bool)
        silent = combined.each([j.reason in PAGE_SILENT for j in judged], bool)
        unlogged = ~self.log.logged("catch_by") | ~self.log.logged("catch_how")
        return {
            "rule": pa.array(self.log.scattered(rule, np.int8(-1))),
            "points_pass": self.mask(outcome == OUTCOMES.index(PASS)),
            "points_breach": self.mask(outcome == OUTCOMES.index(BREACH)),
            "points_open": self.mask(outcome == OUTCOMES.index(OPEN)),
            "points_named": self.mask(self._ambiguous),
            "points_not_logged": self.mask(self._no_points | (catch & unlogged)),
            "page_silent": self.mask(silent),
            "why_open": self.texts(reasons or [""], combined.each([reasons.index(j.reason) for j in judged], np.int32)),
            "due": self.of_combinations([said_due(j) for j in judged]),
            "swapped": self.mask(self._swapped),
            "given": self._given(),
            "brink_open": self.mask(combined.each([j.on_brink for j in judged], bool) & ~ends.over),
        }

    @cached_property
    def _ambiguous(self) -> Bools:
        """A player who stands in both teams threw or caught: LOG-5 on the team names that gap."""
        log = self.log
        caught = (log.codes("catch_by") >= 0) & (log.catcher == OF_BOTH)
        either: Bools = (log.attack == OF_BOTH) | caught
        return either

    @cached_property
    def _no_points(self) -> Bools:
        """The file records no points at all: that is not logged, and no gap of a row."""
        none = ~self.log.logged("points_a") & ~self.log.logged("points_b")
        unknown: Bools = none & np.isnan(self.log.points[A])
        return unknown

    @cached_property
    def _swapped(self) -> Bools:
        """The right number went to the wrong team."""
        (a, b), (c, d) = self.options
        given = self.log.points
        one: Bools = ((given[A] == b) & (given[B] == a)) | ((given[A] == d) & (given[B] == c))
        swapped: Bools = one & (given[A] != given[B])
        return swapped

    def _given(self) -> Any:
        """The points recorded, in words."""
        points = self.log.points
        wide = [np.nan_to_num(p, nan=-999).astype(np.int64) for p in points]
        pairs, which = distinct(*wide)
        return self.texts([said_points(a, b) for a, b in pairs.T.tolist()], which)

    def _ends(self) -> dict[str, Any]:
        ends, arithmetic, contest = self.ends, self.arithmetic, self.combined.contest
        live = ~ends.over
        recorded = ends.tested & (ends.winner >= 0)
        missing, other = ends.sink_wrong
        first, counts = ends.after_end
        number = np.zeros(len(self.log), dtype=np.int64)
        number[first] = counts
        unknown = ends.plain & ends.score_unknown & (ends.winner >= 0)
        sunk = ends.sink_due != -1
        return {
            "sink": self.mask(live & (ends.sink_due >= 0) & (ends.sink_due != EITHER)),
            "sink_no_end": self.mask(missing),
            "sink_other": self.mask(other),
            "end_tested": self.mask(ends.plain),
            "not_ended": self.mask(ends.not_ended),
            "early": self.mask(ends.early),
            "end_open": self.mask(unknown & ~sunk),
            "end_named": self.mask(self.log.gap_before | self.log.unread("score_a") | self.log.unread("score_b")),
            "wrong_winner": self.mask(ends.wrong_winner),
            "winner_tested": self.mask(ends.plain & (ends.by_score >= 0) & (ends.winner >= 0)),
            "fifa": self.mask(ends.fifa & live & ~ends.contested),
            "fifa_end": self.mask(recorded & ends.fifa & ~ends.contested),
            "contested": self.mask(ends.contested & live),
            "contested_end": self.mask(recorded & ends.contested),
            "none_left": self.mask((contest == NONE_LEFT) & live),
            "contest_made": self.mask(((contest == NONE_LEFT) | (contest == REDONE)) & live),
            "low_end": self.mask(recorded & ends.low_end & ~ends.contested),
            "after_end": self.mask(number > 0),
            "after_count": pa.array(self.log.scattered(number, 0)),
            "live": self.mask(live),
            "sum_tested": self.mask(arithmetic.applies & live),
            "sum_wrong": self.mask(arithmetic.breach & live),
            "sum_due": self._lines(arithmetic.by_points),
            "sum_before": self._lines(self.scores.before),
            "sum_logged": self._lines(self.scores.after),
        }

    def _lines(self, score: tuple[Floats, Floats]) -> Any:
        """Scores as ``5–2``, with a mark where one is not known."""
        wide = [np.nan_to_num(s, nan=-999).astype(np.int64) for s in score]
        pairs, which = distinct(*wide)
        told = ["–".join("?" if x == -999 else str(x) for x in pair) for pair in pairs.T.tolist()]
        return self.texts(told, which)

    def _throwers(self) -> dict[str, Any]:
        throwers, log = self.throwers, self.log
        wrong, open_ = throwers.first_thrower
        thrower = log.thrower
        mate = np.roll(thrower, 1)
        names = log.texts("thrower") or [""]
        return {
            "opening": self.mask(throwers.opening & (throwers.roll_winner[log.game] != TIE) & (thrower >= 0)),
            "first_thrower_wrong": self.tri(wrong, open_),
            "again": self.mask(throwers.again),
            "other_again": self.mask(throwers.other_again),
            "thrower_before": self.texts(names, np.where(throwers.again, mate, -1)),
            "turn_kept": self.mask((thrower >= 0) & ~self.ends.over),
            "out_of_turn": self.mask(throwers.out_of_turn),
        }

    def _games(self) -> dict[str, Any]:
        log, won = self.log, self.throwers.roll_winner
        scope_unread = np.logical_or.reduceat(log.unread("log_scope"), log.starts)
        scope = log.of_game("log_scope")
        complete = (scope == 0) | ((scope < 0) & ~scope_unread)
        height = log.of_game("min_height") >= 0
        return {
            "game": self.mask(log.first),
            "height_agreed": self.mask(self.on_games(height)),
            "height_open": self.mask(self.on_games(~height & complete & ~log.excerpt)),
            "rolled": self.mask(self.on_games((won != NO_ROLLS) & (won != UNEQUAL) & ~log.excerpt)),
            "tied": self.mask(self.on_games((won == TIE) & ~log.excerpt)),
            "complete": self.mask(self.on_games(complete)),
            "unfinished": self.mask(self.on_games(self.ends.unfinished & complete)),
        }


def said_points(a: int, b: int) -> str:
    """Points for both teams in words."""
    if -999 in (a, b):
        return CATALOGUE.text("points", "unknown")
    told = [CATALOGUE.text("points", "to").format(points=p, team=team) for p, team in ((a, "A"), (b, "B")) if p]
    return CATALOGUE.text("points", "and").join(told) or CATALOGUE.text("points", "none")


def said_due(judged: Judged) -> str:
    """What is due in words."""
    if judged.ends in ({"A"}, {"B"}):
        return CATALOGUE.text("points", "game").format(team=next(iter(judged.ends)))
    told = [said_points(a, b) for a, b in judged.awards]
    if not told or len(told) > 3:
        return CATALOGUE.text("points", "open")
    return CATALOGUE.text("points", "or").join(told)


def games(batch: Batch) -> Games:
    """``Pack.games``: the facts of whole games, and cells that contradict others of their game."""
    played = Played(batch)
    cells = (*played.log.contradictions(), *played.log.in_both())
    return Games({**played.facts(), "played": played}, cells)


def apart(batch: Batch, further: Any, instead: Any) -> Any:
    """``Pack.apart``: rows of one toss that are two throws at a time, by two players of one team (DIE-04)."""
    code = batch.column("thrower").array.fill_null(-1).to_numpy(zero_copy_only=False)
    texts = batch.texts("thrower").to_pylist()
    teams = {name: batch.column(name).array.to_pylist() for name in ("team_a", "team_b")}
    members = {name: [set(text.split("|")) for text in batch.texts(name).to_pylist()] for name in teams}
    table = np.asarray(batch.column("game_id").array.fill_null(-1))
    result = np.zeros(len(further), dtype=bool)
    seen: set[tuple[int, int]] = set()
    for place, (row, first) in enumerate(zip(further.tolist(), instead.tolist(), strict=True)):
        one, other = int(code[row]), int(code[first])
        if min(one, other) < 0 or one == other or (first, one) in seen:
            continue
        pair = {texts[one], texts[other]}
        for name in teams:
            own = _recorded(teams[name], table, row, first)
            if own is not None and pair <= members[name][own]:
                result[place] = True
                seen.add((first, one))
    return result


def _recorded(values: list[int | None], game: Any, row: int, first: int) -> int | None:
    """The first recorded value of a game's column, looking at these rows before the others of their game."""
    for at in (first, row):
        if values[at] is not None:
            return values[at]
    return next((values[at] for at in np.flatnonzero(game == game[row]).tolist() if values[at] is not None), None)
