"""Every toss as a combination of what is known of it; each different combination is judged once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from rules.die.columns import HANDS
from rules.die.distinct import distinct
from rules.die.judging import BREACH, OPEN, PASS, SILENT, Judged, Known, Touched, judge
from rules.die.log import NOBODY, OF_BOTH, UNKNOWN, A, B, Log
from rules.die.notation import ILLEGAL_PARTS, LEGAL_PARTS
from rules.die.scores import Scores
from rules.die.table import ATTACKER, DEFENDER, STRANGER
from rules.placing import Bools, Ints

#: How a toss was contested: not, by a team that had a challenge left, by one that had none, or nobody knows.
UNCONTESTED, REDONE, NONE_LEFT, UNREAD = range(4)
#: A player is not named at all.
BLANK = 5
_YES, _NO, _OPEN = 1, 0, 2

OUTCOMES = (PASS, BREACH, OPEN, SILENT)


@dataclass
class Combinations:
    """``scores`` gives the score before each toss, for FIFAs that would win."""

    log: Log
    scores: Scores

    # Contests

    @cached_property
    def contest(self) -> Ints:
        """How each toss was contested."""
        log, house = self.log, self.log.house
        challenge = log.codes("challenge")
        made = challenge >= 0
        team = challenge if house.challenge_scope == "per_team" else np.zeros_like(challenge)
        spent = np.zeros(len(log), dtype=np.int64)
        for own in np.unique(team[made]).tolist():
            mine = made & (team == own)
            counted = np.cumsum(mine)
            before_game = (counted - mine)[log.starts][log.game]
            spent[mine] = (counted - before_game)[mine]
        contest = np.where(made, np.where(spent > house.contests, NONE_LEFT, REDONE), UNCONTESTED)
        if house.challenge_effect == "redo_if_low":
            stands = (contest == REDONE) & (self.low == _NO)
            contest[stands] = UNCONTESTED
            contest[(contest == REDONE) & (self.low == _OPEN)] = UNREAD
        contest[log.unread("challenge")] = UNREAD
        return contest

    @cached_property
    def low(self) -> Ints:
        """Ruled low; nobody ruled counts as not."""
        low = np.where(self.log.codes("height") == 1, _YES, _NO)
        low[self.log.unread("height")] = _OPEN
        return low

    # What is known, as whole numbers

    @cached_property
    def _catcher(self) -> Ints:
        """The team of whoever took the die, ``BLANK`` where nobody is named."""
        named = self.log.codes("catch_by") >= 0
        sides = np.where(named, self.log.catcher, BLANK)
        sides[self.log.unread("catch_by")] = UNKNOWN
        return sides

    @cached_property
    def _over(self) -> Ints:
        over = np.where(self.log.codes("over_table") == 1, _YES, _NO)
        over[self.log.unread("over_table")] = _OPEN
        return over

    @cached_property
    def _touches(self) -> tuple[Ints, list[Any]]:
        """A number for what the touches say, and what it stands for: blank, unknown, or by attack A and B."""
        log = self.log
        codes = log.codes("fifa")
        number = np.zeros(len(log), dtype=np.int64)
        kinds: dict[Any, int] = {"blank": 0, None: 1}
        number[log.unread("fifa")] = 1
        rows = np.flatnonzero(codes >= 0)
        a, b = log.of_game("team_a")[log.game], log.of_game("team_b")[log.game]
        cases, which = distinct(codes[rows], log.codes("catch_by")[rows], a[rows], b[rows])
        catchers = log.texts("catch_by")
        told = []
        for code, catcher, team_a, team_b in cases.T.tolist():
            both = self._told(code, catchers[catcher] if catcher >= 0 else None, team_a, team_b)
            told.append(kinds.setdefault(both, len(kinds)))
        number[rows] = np.array(told, dtype=np.int64)[which]
        return number, list(kinds)

    def _told(self, code: int, catcher: str | None, a: int, b: int) -> tuple[Touched, Touched]:
        touches = self.log.touched[code]
        changes = sum(one.player != other.player for one, other in pairwise(touches))
        back = None if catcher is None else catcher == touches[-1].player
        parts = {self._legal(touch.part) for touch in touches}
        legal = False if False in parts else None if None in parts else True
        sides = {self.log.side(a, b, touch.player) for touch in touches}

        def by_defenders(attack: int) -> bool | None:
            if sides & {attack, NOBODY}:
                return False
            return None if sides & {UNKNOWN, OF_BOTH} else True

        return tuple(Touched(changes, back, by_defenders(team), legal) for team in (A, B))  # type: ignore[return-value]

    def _legal(self, part: str) -> bool | None:
        """Legal by the house's list; what football allows and the house leaves out is not; others are not known."""
        if part in self.log.house.fifa_parts:
            return True
        return False if part in ILLEGAL_PARTS or part in LEGAL_PARTS else None

    @cached_property
    def _room(self) -> Ints:
        """Points that both teams lack to the target, as one number; 0 where scores do not stop there."""
        house = self.log.house
        if not house.max_score:
            return np.zeros(len(self.log), dtype=np.int64)
        lacks = [np.clip(house.target - np.nan_to_num(self.scores.before[team], nan=-99), 0, 9) for team in (A, B)]
        room: Ints = (lacks[A] * 10 + lacks[B]).astype(np.int64)
        return room

    @cached_property
    def _brink(self) -> tuple[Ints, Ints]:
        """Whether a full FIFA's points would win for the defence, and what it may be given short of that."""
        log, house = self.log, self.log.house
        before = self.scores.before
        own, other = (np.where(log.attack == A, before[x], before[y]) for x, y in ((B, A), (A, B)))
        score = own + house.fifa_points
        wins = (score >= house.target) & (score - other >= house.win_by)
        unknown = np.isnan(own) | np.isnan(other)
        brink = np.where(unknown, _OPEN, np.where(wins, _YES, _NO))
        cap = np.clip(house.target - 1 - np.nan_to_num(own), 0, 30).astype(np.int64)
        return np.where(self._kept_up, brink, _NO), np.where(self._kept_up & (brink != _NO), cap, 0)

    @cached_property
    def _kept_up(self) -> Bools:
        """The path begins with an air ball, or may: only there a FIFA's points can be due."""
        air = np.array([text.startswith("M") for text in self.log.texts("path")])
        path = self.log.codes("path")
        may: Bools = (path < 0) | air[np.maximum(path, 0)]
        return may

    @property
    def _most(self) -> int:
        house = self.log.house
        return max(3, house.fifa_points, house.sink_points or 0) + 1

    @cached_property
    def _given(self) -> tuple[Ints, Ints]:
        """Points given, cut to what can be told apart; one past the most stands for none recorded."""
        told = []
        for points in self.log.points:
            cut = np.clip(np.nan_to_num(points), -1, self._most).astype(np.int64)
            told.append(np.where(np.isnan(points), self._most + 1, cut) + 1)
        return told[0], told[1]

    # Each different one, once

    @cached_property
    def _coded(self) -> tuple[np.ndarray[Any, Any], Ints]:
        """The different combinations, a column each, and which of them each toss is."""
        log = self.log
        brink, cap = self._brink
        fields = [
            log.codes("path") + 1,
            log.attack,
            self._catcher,
            log.codes("catch_how") + 1,
            self._over,
            self.low,
            self.contest,
            self._touches[0],
            *self._given,
            brink,
            cap,
            self._room,
        ]
        return distinct(*fields)

    @property
    def which(self) -> Ints:
        return self._coded[1]

    @cached_property
    def judged(self) -> list[Judged]:
        """What comes of each different combination, in terms of teams A and B."""
        return [self._judge(*column) for column in self._coded[0].T.tolist()]

    def _judge(self, path: int, attack: int, *rest: int) -> Judged:
        contest = rest[4]
        if contest == NONE_LEFT:
            sunk = path and self._paths[path - 1].endswith(("SF", "SO"))
            ends = frozenset({"", "open"} if sunk else {""})
            return Judged(SILENT, "DIE-15", (), ends, frozenset({False, True}))
        if attack in (A, B):
            return in_teams(self._seen_from(attack, path, *rest), attack)
        both = [in_teams(self._seen_from(team, path, *rest), team) for team in (A, B)]
        return either(both[A], both[B])

    def _seen_from(self, attack: int, *cells: int) -> Judged:
        path, catcher, how, over, low, contest, touched, a, b, brink, cap, room = cells
        unknown = self._most + 2
        given = None if unknown in (a, b) else (a - 1, b - 1)
        kinds = self._touches[1][touched]
        return judge(
            Known(
                path=tuple(self._paths[path - 1].split(">")) if path else None,
                contested=None if contest == UNREAD else contest == REDONE,
                low=None if low == _OPEN else low == _YES,
                catcher=_role(catcher, attack),
                how=HANDS[how - 1] if how else None,
                over_table=None if over == _OPEN else over == _YES,
                touched=kinds[attack] if isinstance(kinds, tuple) else kinds,
                given=given if given is None or attack == A else (given[1], given[0]),
                brink=None if brink == _OPEN else brink == _YES,
                cap=cap,
                room=None if not self.log.house.max_score else divmod(room, 10)[:: 1 if attack == A else -1],  # type: ignore[arg-type]
            ),
            self.log.house,
        )

    @cached_property
    def _paths(self) -> list[str]:
        return self.log.texts("path")

    def each(self, values: Sequence[Any], kind: Any) -> np.ndarray[Any, Any]:
        """One value of each combination, for every toss."""
        return np.array(values, dtype=kind)[self.which] if len(values) else np.zeros(0, dtype=kind)


def _role(side: int, attack: int) -> str | None:
    if side == BLANK:
        return "blank"
    if side in (UNKNOWN, OF_BOTH):
        return None
    return STRANGER if side == NOBODY else ATTACKER if side == attack else DEFENDER


def in_teams(judged: Judged, attack: int) -> Judged:
    """The same with awards and ends of team A and team B instead of attack and defence."""
    sides = {"attack": "AB"[attack], "defence": "AB"[1 - attack]}
    awards = judged.awards if attack == A else tuple(sorted((b, a) for a, b in judged.awards))
    ends = frozenset(sides.get(end, end) for end in judged.ends)
    return Judged(judged.outcome, judged.rule, awards, ends, judged.agains, judged.fifa, judged.reason, judged.on_brink)


def either(one: Judged, other: Judged) -> Judged:
    """A toss of which it is not known which team threw: judged as far as both agree."""
    awards = tuple(sorted({*one.awards, *other.awards}))
    ends, agains = one.ends | other.ends, one.agains | other.agains
    if one.outcome == other.outcome == BREACH:
        rule = one.rule if one.rule == other.rule == "DIE-14" else "DIE-05"
        return Judged(BREACH, rule, awards, ends, agains, one.fifa and other.fifa)
    if one.outcome == other.outcome == PASS and one.awards == other.awards:
        return Judged(PASS, one.rule, awards, ends, agains, one.fifa and other.fifa)
    told = other if one.outcome == BREACH else one
    outcome = SILENT if one.outcome == other.outcome == SILENT else OPEN
    return Judged(outcome, told.rule, awards, ends, agains, one.fifa and other.fifa, "team")
