"""What a game comes to: as it was written down, and as it should have been."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rules.die.games import Played
from rules.die.log import A, B


@dataclass(frozen=True)
class Throw:
    """One toss of a score sheet. ``points`` and ``score`` as recorded (NaN where not known), ``fair`` the corrected
    score. ``sink``: the team that wins by it, if any."""

    number: int
    team: int
    points: tuple[float, float]
    score: tuple[float, float]
    fair: tuple[int, int]
    tink: bool
    fifa: bool
    sink: int
    again: bool
    found: bool


@dataclass(frozen=True)
class Account:
    """One game. ``winner`` as recorded, -1 where none is; ``ended``: the toss on which it ended by the record, and by
    the corrected points who won it and when (``None``: not at all)."""

    game: str
    teams: tuple[str, str]
    throws: Sequence[Throw]
    winner: int
    ended: int | None
    fair_winner: int
    fair_end: int | None
    start: tuple[int, int]
    target: int

    @property
    def score(self) -> tuple[float, float]:
        """The last score that is recorded."""
        return self.throws[-1].score

    @property
    def fair_score(self) -> tuple[int, int]:
        """The corrected score at the corrected end, or at the end of the log."""
        for throw in self.throws:
            if throw.number == self.fair_end:
                return throw.fair
        return self.throws[-1].fair

    @property
    def differs(self) -> bool:
        """The corrected points make another score, another winner or another end."""
        if self.fair_end != self.ended or self.fair_winner != self.winner:
            return True
        return tuple(self.score) != tuple(float(s) for s in self.fair_score)


def games_to_show(played: Played, shown: frozenset[int], most: int) -> list[int]:
    """Games whose findings are shown, and then the first others, in the order of the log; at most ``most``."""
    log = played.log
    cited = np.isin(log.rows, np.fromiter(shown, dtype=np.int64, count=len(shown)))
    with_findings = np.unique(log.game[cited]).tolist()
    others = (game for game in range(len(log.starts)) if game not in set(with_findings))
    chosen = with_findings[:most]
    while len(chosen) < most and (game := next(others, None)) is not None:
        chosen.append(game)
    return sorted(chosen)


def account(played: Played, game: int, found: frozenset[int]) -> Account:
    """The account of a game; ``found``: the rows, by their places in the audit, that findings cite."""
    log, ends, house = played.log, played.ends, played.log.house
    begin = int(log.starts[game])
    end = int(log.starts[game + 1]) if game + 1 < len(log.starts) else len(log)
    (due_a, due_b), (other_a, other_b) = played.options
    paths = log.texts("path")
    path_codes = log.codes("path")
    start = (int(log.start(A)[game]), int(log.start(B)[game]))
    fair, fair_end, fair_winner = list(start), None, -1
    throws = []
    for i in range(begin, end):
        settled = due_a[i] == other_a[i] and due_b[i] == other_b[i]
        points = (float(log.points[A][i]), float(log.points[B][i]))
        worth = (due_a[i], due_b[i]) if settled else tuple(0 if np.isnan(p) else p for p in points)
        if fair_end is None:
            fair = [
                min(s + int(w), house.target) if house.max_score else s + int(w)
                for s, w in zip(fair, worth, strict=True)
            ]
            fair_winner = _wins(fair, worth, house.target, house.win_by) if ends.held[i] else -1
            if ends.sink_due[i] in (A, B):
                fair_winner = int(ends.sink_due[i])
            if fair_winner >= 0:
                fair_end = int(log.toss[i])
        path = paths[path_codes[i]].split(">") if path_codes[i] >= 0 else [""]
        throws.append(
            Throw(
                number=int(log.toss[i]),
                team=int(log.attack[i]),
                points=points,
                score=(float(played.scores.after[A][i]), float(played.scores.after[B][i])),
                fair=(fair[A], fair[B]),
                tink="f" in path or "o" in path,
                fifa=bool(ends.fifa[i]) and sum(p for p in points if p > 0) > 0,
                sink=int(ends.sink_due[i]) if ends.sink_due[i] in (A, B) else -1,
                again=bool(ends.contested[i]),
                found=int(log.rows[i]) in found,
            )
        )
    recorded = [i for i in range(begin, end) if ends.winner[i] >= 0]
    teams = tuple(_names(members) for members in log.teams(game))
    return Account(
        game=log.said("game_id", int(log.codes("game_id")[begin])),
        teams=(teams[A], teams[B]),
        throws=throws,
        winner=int(ends.winner[recorded[0]]) if recorded else -1,
        ended=int(log.toss[recorded[0]]) if recorded else None,
        fair_winner=fair_winner,
        fair_end=fair_end,
        start=start,
        target=house.target,
    )


def _names(members: frozenset[str]) -> str:
    return ", ".join(sorted(members))


def _wins(score: Sequence[int], points: Sequence[float], target: int, win_by: int) -> int:
    """The team that wins by the end test, -1 where none does."""
    for team in (A, B):
        if points[team] > 0 and score[team] >= target and score[team] - score[1 - team] >= win_by:
            return team
    return -1
