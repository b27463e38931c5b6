"""Logs that hold only results, one row a game (``scope = "results"``): what can be said of them, and what cannot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from rules.batch import Batch
from rules.die.columns import TEAMS
from rules.die.options import House
from rules.kit import VIOLATION, Games, Pack, Per, Phrases, Rule, Verdict, rule
from rules.placing import Bools
from rules.truth import Truth


class Result:
    """The result of a game, as a row has it."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch

    def fact(self, name: str) -> Truth:
        return self.batch.fact(name)

    def said(self) -> dict[str, Any]:
        """What messages may say of a result."""
        by_key = ("missing", "early", "ending", "other")
        phrases = {name: Phrases(self.batch.of_whole(name).cast(pa.string())) for name in by_key}
        nothing = Phrases(pa.array(["nothing"] * self.batch.size, pa.string()))
        return {**phrases, "after": nothing, "sum_logged": self.batch.of_whole("score").cast(pa.string())}


@rule("DIE-12", "Sink (fin de la partie)", VIOLATION, per=Per.GAME, needs=("score_a", "score_b"), reads=("winner",))
def final_score(result: Result) -> Verdict:
    """A game ends when a team reaches 9, and not before."""
    applies = result.fact("scored")
    return Verdict(applies, result.fact("score_wrong"), result.said())


@rule("DIE-24", "Tenue du pointage", VIOLATION, per=Per.GAME, needs=("score_a", "score_b", "winner"))
def winner_entitled(result: Result) -> Verdict:
    """Nothing follows the end of the game, and the recorded winner is the team that has won."""
    return Verdict(result.fact("won"), result.fact("winner_wrong"), result.said())


def _untestable(result: Result) -> Verdict:
    nothing = Truth.constant(result.batch.size, None)
    return Verdict(Truth.constant(result.batch.size, True), nothing, named=Truth.constant(result.batch.size, True))


def for_scope(pack: Pack) -> Pack:
    """The pack as it is for logs of tosses, or for logs of results."""
    if pack.house.get("scope") != "results":
        return pack
    own = {final_score.code: final_score, winner_entitled.code: winner_entitled}
    columns = tuple(replace(c, required=False) if c.name == "toss" else c for c in pack.columns)
    rules = tuple(own.get(r.code) or _put_off(r) for r in pack.rules)
    return replace(pack, columns=columns, rules=rules, view=Result, games=games, apart=None, sections=None)


def _put_off(rule: Rule) -> Rule:
    """A rule that no log of results can be held against: its duty is still stated."""

    def test(result: Result) -> Verdict:
        return _untestable(result)

    test.__doc__ = rule.duty
    return replace(rule, test=test, needs=("toss",), reads=(), also=(), of_game=None, per=Per.GAME)


def games(batch: Batch) -> Games:
    """What the final scores and winners say."""
    house = House.of(batch.pack.house)
    score = [
        batch.column(f"score_{team.lower()}").array.cast(pa.float64()).to_numpy(zero_copy_only=False) for team in TEAMS
    ]
    winner = batch.column("winner").array.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    known = ~np.isnan(score[0]) & ~np.isnan(score[1])
    a, b = (np.nan_to_num(s).astype(np.int64) for s in score)
    past, unended, never = _ended_wrongly(house, a, b, winner, batch)
    sinks_win = house.sink_points is None
    ended = _won(house, np.maximum(a, b), np.minimum(a, b))
    wrong = past | (unended & (not sinks_win)) | (never & ended & (not house.fifa))
    open_ = unended | never
    entitled = np.where(_won(house, a, b), 0, np.where(_won(house, b, a), 1, -1))
    other = (winner >= 0) & (entitled >= 0) & (winner != entitled)
    pairs, which = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
    texts = [f"{x}–{y}" for x, y in pairs.T.tolist()]
    facts = {
        "scored": pa.array(known & ~other),
        "score_wrong": pa.array(wrong, mask=open_ & ~wrong),
        "won": pa.array(known & (winner >= 0)),
        "winner_wrong": pa.array(other & known),
        "missing": _keys(past, "past"),
        "early": _keys(unended & wrong & ~past, "unended"),
        "ending": _keys(unended, "sink_not_told", "no_winner"),
        "other": _keys(other, "other"),
        "score": pa.DictionaryArray.from_arrays(pa.array(which.reshape(-1).astype(np.int32)), pa.array(texts)),
    }
    return Games(facts)


def _won(house: House, own: Any, other: Any) -> Bools:
    """The final score is one that ends the game for a team."""
    won: Bools = (own >= house.target) & (own - other >= house.win_by)
    return won


def _ended_wrongly(house: House, a: Any, b: Any, winner: Any, batch: Batch) -> tuple[Bools, Bools, Bools]:
    """DIE-12 by the final score alone: played past its end; won short of the target; no winner recorded.

    A sink wins at any score, and a FIFA may carry a team past the target while the game goes on; neither stands in a
    log of results.
    """
    high, low = np.maximum(a, b), np.minimum(a, b)
    ended = _won(house, high, low)
    holds = house.fifa and house.fifa_brink in (None, "hold")
    most = max(2, house.sink_points or 0)  # points of one toss
    beyond = most - 1 + (house.fifa_points if holds else 0)
    before = high - most - (house.fifa_points if holds else 0)
    past = (high > house.target + beyond) & ((house.win_by == 1) | (before - low >= house.win_by))
    if house.max_score:
        past = high > house.target
    unended = (winner >= 0) & ~ended
    present = batch.present_by_file("winner")
    never = present & (winner < 0) & ~batch.column("winner").unreadable.array.to_numpy(zero_copy_only=False)
    return past, unended, never


def _keys(where: Bools, key: str, otherwise: str = "nothing") -> Any:
    """A phrase for each result."""
    return pa.array(np.where(where, key, otherwise).astype(object), pa.string())
