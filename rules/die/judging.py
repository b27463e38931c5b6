"""Judge the points of a toss: fill in what is not known in every possible way, and say under which rule it stands.

All is worked out once for each combination of facts that occurs, so the work grows with what is different in a log.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from rules.die.columns import HANDS
from rules.die.notation import NOT_RECORDED
from rules.die.options import House
from rules.die.table import ATTACKER, DEFENDER, STRANGER, Due, Exchange, Facts, completions, due, landed

PASS, BREACH, OPEN, SILENT = "pass", "breach", "open", "not judged"


@dataclass(frozen=True)
class Touched:
    """What the log says of a FIFA's touches, seen from one attack.

    ``changes`` of player along them; ``back``: the catcher is the last toucher (``None``: not known); ``defenders`` and
    ``legal``: all of them, ``None`` where one is not known and none is known to be otherwise.
    """

    changes: int
    back: bool | None
    defenders: bool | None
    legal: bool | None


@dataclass(frozen=True)
class Known:
    """What the log says of a toss, seen from the thrower's team; ``None``: not known.

    ``catcher`` ``blank``: nobody is named. ``touched`` ``blank``: no touches are recorded. ``given``: points to attack
    and defence. ``brink``: the FIFA's points would win the game; ``cap``: what the defence may still be given short of
    that. ``room``: points that attack and defence lack to the target, where the score stops there.
    """

    path: tuple[str, ...] | None
    contested: bool | None
    low: bool | None
    catcher: str | None
    how: str | None
    over_table: bool | None
    touched: Touched | str | None
    given: tuple[int, int] | None
    brink: bool | None = False
    cap: int = 0
    room: tuple[int, int] | None = None


@dataclass(frozen=True)
class Judged:
    """What comes of a toss. ``rule``: the rule that it stands under. ``awards``: right ones (attack, defence), where a
    few are; ``ends`` and ``agains``: who may win by it, and whether the throw may have to be done again.

    ``reason``: the key of the sentence that says why it cannot be told. ``on_brink``: DIE-13 is open.
    """

    outcome: str
    rule: str
    awards: tuple[tuple[int, int], ...]
    ends: frozenset[str]
    agains: frozenset[bool]
    fifa: bool = False
    reason: str = ""
    on_brink: bool = False


def _or_all(value: object, every: tuple[object, ...]) -> tuple[object, ...]:
    return every if value is None else (value,)


def _exchanges(known: Known, catcher: str, claimed: bool, house: House) -> list[Exchange | None]:
    touched = known.touched
    if isinstance(touched, str):  # blank: without a claim there was no exchange
        return [None, _FULL] if claimed else [None]
    if touched is None:
        return [None, _FULL]
    backs = [touched.back] if touched.back is not None else [True, False]
    if not house.fifa_catch_completes_pass:
        backs = [True]
    return [
        Exchange(touched.changes + (not back), bool(defenders), bool(legal))
        for back, defenders, legal in product(
            backs, _or_all(touched.defenders, (True, False)), _or_all(touched.legal, (True, False))
        )
    ]


_FULL = Exchange(1 << 20, True, True)


def _possible(known: Known, house: House) -> Iterator[Facts]:
    """Every toss that this one may have been."""
    claimed = known.given is not None and known.given[1] > 0
    for contested, low, path in product(
        _or_all(known.contested, (True, False)), _or_all(known.low, (False, True)), completions(known.path)
    ):
        base = Facts(path, bool(contested), bool(low), claimed=claimed)
        if path[-1] not in ("C", "T"):
            for exchange in _exchanges(known, "", claimed, house) if path[0] == "M" else _recorded(known):
                yield replace(base, exchange=exchange)
            continue
        if path[-1] == "T":
            catchers = _or_all(known.catcher if known.catcher != "blank" else DEFENDER, (DEFENDER, ATTACKER))
            hands: tuple[str, ...] = (known.how or "",)
        else:
            catchers = _or_all(None if known.catcher == "blank" else known.catcher, (DEFENDER, ATTACKER, STRANGER))
            hands = (known.how,) if known.how else HANDS
        for catcher, how, over in product(catchers, hands, _or_all(known.over_table, (False, True))):
            exchanges = _exchanges(known, str(catcher), claimed, house) if path[0] == "M" else _recorded(known)
            for exchange in exchanges:
                yield replace(base, catcher=str(catcher), how=how, over_table=bool(over), exchange=exchange)


def _recorded(known: Known) -> list[Exchange | None]:
    """Off an air ball it only matters whether touches are recorded."""
    return [_FULL] if isinstance(known.touched, Touched) else [None]


def cited(t: Facts, given: tuple[int, int], house: House) -> str:
    """The rule that is cited where the points of a toss are wrong: the first that fits."""
    attack, defence = given
    far, short = t.far, t.short
    if attack > 0 and defence > 0:
        return "DIE-05"
    if t.contested:
        return "DIE-15"
    if t.low and (attack > 0 or (far and not (_sunk(t) and house.sink_survives_low))):
        return "DIE-14"
    if _sunk(t):
        return "DIE-17" if t.ending == "SO" and short else "DIE-11"
    if t.kept_up and defence > 0 and not t.air_ball:
        return "DIE-20"
    if t.fifa and (t.kept_up or t.ending == "C") and (attack <= 0 or due(t, house).defence != (0,)):
        return _cited_for_fifa(t, house)
    if t.ending == "C" and t.over_table:
        return "DIE-08" if far and t.how in ("2h", "body") else "DIE-19"
    if t.badly_caught and (far or short):
        return "DIE-08" if far else "DIE-16"
    if t.trapped and (far or short):
        return "DIE-18" if far else "DIE-16"
    if far and "o" in t.path and "f" not in t.path and attack == 2:
        return "DIE-10"
    if far and "f" in t.path and t.ending == "G":
        return "DIE-09"
    if far and {"O", "o"} & set(t.path) and t.ending == "G":
        return "DIE-06"
    if far and t.ending == "C":
        return "DIE-07"
    if short:
        return "DIE-17" if "o" in t.path and t.ending == "C" else "DIE-16"
    return "DIE-05"


def _sunk(t: Facts) -> bool:
    return t.ending in ("SF", "SO")


def _cited_for_fifa(t: Facts, house: House) -> str:
    if not house.fifa or (t.exchange is not None and not t.exchange.by_defenders):
        return "DIE-20"
    if t.exchange is not None and not t.exchange.legal:
        return "DIE-22"
    return "DIE-21"


def _general(house: House, low: bool) -> set[tuple[int, int]]:
    """Awards that no toss goes beyond, where the source is silent on what it is worth."""
    attack = {1, 2} | ({house.sink_points} if house.sink_points else set())
    defence = {1, 2, house.fifa_points} | ({house.sink_points} if house.sink_points else set())
    return {(0, 0), *((0, d) for d in defence)} | (set() if low else {(a, 0) for a in attack})


def _awards(t: Facts, value: Due, known: Known, house: House) -> set[tuple[int, int]]:
    if value.open and value.attack == value.defence == (0,) and not value.end:
        return _general(house, t.low)
    awards = {(a, d) for a in value.attack for d in value.defence if not (a and d)}
    if t.fifa and value.defence == (house.fifa_points,):
        awards = _at_brink(known, house)
    if known.room is not None:
        awards |= {(min(a, known.room[0]), min(d, known.room[1])) for a, d in awards}
    return awards


def _at_brink(known: Known, house: House) -> set[tuple[int, int]]:
    """What the defence may be given for a full FIFA: short of a win its points, at the brink as the house has it."""
    full, capped, none = (0, house.fifa_points), (0, known.cap), (0, 0)
    if known.brink is False:
        return {full}
    if known.brink is None:
        return {full, capped, none}
    settled = {"hold": {full}, "cap": {capped}, "void": {none}}
    return settled[house.fifa_brink] if house.fifa_brink else {none, capped, full}


def judge(known: Known, house: House) -> Judged:
    """The points of a toss against every toss that it may have been."""
    possible = [landed(t, house) for t in _possible(known, house)]
    dues = [due(t, house) for t in possible]
    awards: set[tuple[int, int]] = set()
    for t, value in zip(possible, dues, strict=True):
        awards |= _awards(t, value, known, house)
    ends = frozenset(value.end for value in dues)
    agains = frozenset(value.again for value in dues)
    fifa = all(t.fifa for t in possible)
    silent = {value.open for value in dues} - {""}
    at_brink = known.brink is True and fifa and any(v.defence == (house.fifa_points,) for v in dues)
    on_brink = at_brink and house.fifa_brink is None and all(v.defence == (house.fifa_points,) for v in dues)
    unsettled = on_brink or (known.brink is None and any(v.defence == (house.fifa_points,) for v in dues))
    sure = not silent and (len(awards) == 1 or known.room is not None or on_brink) and not (unsettled and not on_brink)
    first, given = possible[0], known.given
    outcome, rule, reason = OPEN, "", ""
    if given is None:
        rule = cited(first, (0, 0), house)
        reason = "no_points"
        if len(ends) == 1 and "" not in ends:
            outcome = SILENT
    elif given in awards or any(value.anything for value in dues):
        outcome = PASS if sure else OPEN
        rule = cited(first, given, house) if sure else _open_under(known, possible, dues, house)
        reason = "" if sure else _why_open(known, possible, dues)
    else:
        outcome = BREACH
        rule = _wrong_under(known, possible, dues, house)
        if at_brink and house.fifa_brink is not None and given in _around_brink(known, house):
            rule = "DIE-13"
    return Judged(outcome, rule, tuple(sorted(awards)), ends, agains, fifa, reason, on_brink and outcome != BREACH)


def _around_brink(known: Known, house: House) -> set[tuple[int, int]]:
    return {(0, 0), (0, known.cap), (0, house.fifa_points)}


def _wrong_under(known: Known, possible: list[Facts], dues: list[Due], house: House) -> str:
    """The rule of an award that is wrong whatever is not known."""
    assert known.given is not None
    if len(possible) == 1 and not (dues[0].open and dues[0].attack == dues[0].defence == (0,)):
        return cited(possible[0], known.given, house)
    rules = {cited(t, known.given, house) for t in possible}
    one_due = len({(v.attack, v.defence, v.end, v.open) for v in dues}) == 1 and not dues[0].open
    if one_due:
        return cited(possible[0], known.given, house) if len(rules) > 1 else rules.pop()
    if all(t.ending in ("SF", "SO") for t in possible):
        return rules.pop()
    return "DIE-14" if known.low and known.given[0] > 0 and known.given[1] <= 0 else "DIE-05"


def _open_under(known: Known, possible: list[Facts], dues: list[Due], house: House) -> str:
    """The rule under which it stands that the award cannot be told."""
    t = possible[0]
    if known.path is None:
        return "DIE-05"
    if known.path[-1] == NOT_RECORDED:
        return ("DIE-17" if "o" in known.path else "DIE-16") if t.short else "DIE-05"
    silent = {value.open for value in dues}
    if len(silent) == 1 and "" not in silent:
        return silent.pop()
    if t.fifa or (t.air_ball and known.touched is None):
        return _open_fifa(known)
    if any(value.open == "DIE-11" for value in dues):
        return "DIE-11"
    if t.short:
        return "DIE-16"
    return "DIE-18" if known.path[-1] == "T" else "DIE-07" if t.taken else cited(t, (0, 0), house)


def _open_fifa(known: Known) -> str:
    if isinstance(known.touched, Touched):
        if known.touched.defenders is None:
            return "DIE-20"
        if known.touched.legal is None:
            return "DIE-22"
    return "DIE-21"


def _why_open(known: Known, possible: list[Facts], dues: list[Due]) -> str:
    """The key of the sentence that says what is missing."""
    if known.path is None or known.path[-1] == NOT_RECORDED:
        return "path"
    options = {value.option for value in dues}
    if len(options) == 1 and "" not in options:
        return options.pop()
    silent = {value.open for value in dues}
    if len(silent) == 1 and "" not in silent:
        return "silent"
    if possible[0].air_ball:
        return "part" if isinstance(known.touched, Touched) and known.touched.legal is None else "touches"
    if known.contested is None or known.low is None:
        return "unread"
    return "catch" if possible[0].taken else "team"
