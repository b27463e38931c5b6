"""The decision table of a toss: from what happened to what it is worth. First line that fits decides.

It is read over facts that are all known; what the log leaves out is filled in every possible way (``judging``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from rules.die.notation import NOT_RECORDED
from rules.die.options import House

FAR = ("F", "f", "SF")
OWN = ("O", "o", "SO")

DEFENDER, ATTACKER, STRANGER = "defender", "attacker", "stranger"


@dataclass(frozen=True)
class Exchange:
    """The touches of a FIFA, as far as they count: passes (changes of player, the catcher's hand among them if the
    house lets it complete one), whether all touchers defend, whether all parts of the body are legal."""

    passes: int
    by_defenders: bool
    legal: bool


@dataclass(frozen=True)
class Facts:
    """One toss, all known.

    ``contested``: by a team that had a challenge left, and so that the throw is done again. ``catcher`` and ``how`` say
    who took the die and with what, where somebody did. ``exchange``: the touches of a FIFA; ``None`` where there are
    none. ``claimed``: the defence was given points.
    """

    path: tuple[str, ...]
    contested: bool = False
    low: bool = False
    catcher: str = DEFENDER
    how: str = ""
    over_table: bool = False
    exchange: Exchange | None = None
    claimed: bool = False

    @property
    def first(self) -> str:
        return self.path[0]

    @property
    def ending(self) -> str:
        return self.path[-1]

    @cached_property
    def far(self) -> bool:
        """It landed on the defence's half or glass first."""
        return self.first in FAR

    @cached_property
    def short(self) -> bool:
        """It landed on the thrower's own half or glass first."""
        return self.first in OWN

    @cached_property
    def air_ball(self) -> bool:
        """It missed table and glasses."""
        return self.first == "M"

    @cached_property
    def kept_up(self) -> bool:
        """The defence kept it up: touches are recorded, or the path has a kick."""
        return self.exchange is not None or "K" in self.path

    @cached_property
    def fifa(self) -> bool:
        return self.air_ball and (self.kept_up or self.claimed)

    @cached_property
    def legal_catch(self) -> bool:
        """Caught by a defender in one hand, not over the table."""
        return self.ending == "C" and self.catcher == DEFENDER and self.how == "1h" and not self.over_table

    @cached_property
    def trapped(self) -> bool:
        """Brought to rest by pressure, also where a catch was by an object."""
        return self.ending == "T" or (self.ending == "C" and self.how == "obj")

    @cached_property
    def badly_caught(self) -> bool:
        """Caught with two hands or the body."""
        return (self.ending == "C" and self.how in ("2h", "body")) or (self.ending == "T" and self.how == "body")

    @cached_property
    def taken(self) -> bool:
        return self.ending in ("C", "T")

    def value(self, house: House) -> int:
        """1, or 2 for a tink."""
        if "f" not in self.path:
            return 1
        if house.tink_needs_table:
            after_table = "F" in self.path and "f" in self.path[self.path.index("F") :]
            return 2 if after_table else 1
        return 2


@dataclass(frozen=True)
class Due:
    """What a toss is worth.

    ``attack``, ``defence``: the awards that are right; of several the source does not say which. ``end``: who wins the
    game by it, ``attack`` or ``defence``. ``again``: the same player throws again. ``open``: the rule under which it
    stands that the source is silent; ``option``: what the house may set about it. ``anything``: then no award is wrong.
    """

    attack: tuple[int, ...] = (0,)
    defence: tuple[int, ...] = (0,)
    end: str = ""
    again: bool = False
    open: str = ""
    option: str = ""
    anything: bool = False


NOTHING = Due()
AGAIN = Due(again=True)


def attack(*points: int) -> Due:
    return Due(attack=points)


def defence(*points: int) -> Due:
    return Due(defence=points)


def silent(rule: str, option: str = "", anything: bool = False) -> Due:
    """The source is silent: nothing can be said of the award but that a toss never gives as much as three."""
    return Due(open=rule, option=option, anything=anything)


Condition = Callable[[Facts, House], bool]
Worth = Due | Callable[[Facts, House], Due]


@dataclass(frozen=True)
class Line:
    """A line of the table, with its number in the specification."""

    number: str
    condition: Condition
    worth: Worth

    def due(self, t: Facts, house: House) -> Due:
        return self.worth if isinstance(self.worth, Due) else self.worth(t, house)


def _sink(side: str, house: House) -> Due:
    """A sink wins the game, or is worth the points that the house gives it."""
    points = house.sink_points
    if points is None:
        return Due(end=side)
    return attack(points) if side == "attack" else defence(points)


def _sink_for_attack(t: Facts, house: House) -> Due:
    return _sink("attack", house)


def _sink_for_defence(t: Facts, house: House) -> Due:
    return _sink("defence", house)


def _low(t: Facts, house: House) -> Due:
    """A toss ruled low counts for nothing; a house may have it thrown again."""
    return AGAIN if house.low_toss == "redo" else NOTHING


def _fifa(t: Facts, house: House) -> Due:
    return defence(house.fifa_points)


def _fifa_on_low(t: Facts, house: House) -> Due:
    """The page does not say whether a FIFA counts off a toss that was ruled low."""
    return Due(defence=(0, house.fifa_points), open="DIE-20")


def _short_then_far_glass(t: Facts, house: House) -> Due:
    if house.short_into_far_glass == "attack_wins":
        return _sink("attack", house)
    if house.short_into_far_glass == "dead":
        return NOTHING
    points = (0,) if house.sink_points is None else (0, house.sink_points)
    return Due(attack=points, end="open", open="DIE-11", option="short_into_far_glass")


def _rebound(t: Facts, house: House) -> Due:
    if house.rebound_self_sink is not None:
        return _sink("defence", house)
    points = {0, house.sink_points or 0, t.value(house)}
    return Due(
        tuple(sorted(points)),
        (0, *filter(None, (house.sink_points,))),
        "open",
        open="DIE-11",
        option="rebound_self_sink",
    )


def _bad_catch(t: Facts, house: House, rule: str) -> Due:
    """A toss that was caught badly: after a tink the source has "a point" for the one and "two" for the other."""
    value = t.value(house)
    if value == 1 or house.illegal_catch_value == "one":
        return attack(1)
    if house.illegal_catch_value == "toss_value":
        return attack(value)
    return Due(attack=(1, value), open=rule, option="illegal_catch_value")


def complete(t: Facts, house: House) -> bool:
    """A full exchange by defenders with legal parts of the body, finished by a legal catch."""
    exchange = t.exchange
    return (
        exchange is not None
        and exchange.passes >= house.fifa_min_passes
        and exchange.legal
        and exchange.by_defenders
        and t.legal_catch
    )


def _landed_after_exchange(t: Facts, house: House) -> bool:
    """A die that was kept up in the air came down on table or glass, or the path does not begin with where it was."""
    on_table = any(step in (*FAR, *OWN, "L") for step in t.path[1:])
    return t.first == "K" or (t.air_ball and t.kept_up and on_table)


def _low_exchange(t: Facts, house: House) -> bool:
    return t.fifa and t.low and t.claimed and house.fifa and complete(t, house)


def _survives(t: Facts, house: House) -> bool:
    return house.sink_survives_low and t.ending in ("SF", "SO")


def _by_hands_or_body(t: Facts, house: House) -> Due:
    return _bad_catch(t, house, "DIE-08")


def _by_object(t: Facts, house: House) -> Due:
    return _bad_catch(t, house, "DIE-18")


def _over_table(t: Facts, house: House) -> Due:
    return attack(1 if house.over_table_catch == "one" else t.value(house))


def _dropped(t: Facts, house: House) -> Due:
    return attack(t.value(house))


def _trap(t: Facts) -> bool:
    """A defender brought a short die to rest with body or object."""
    return t.catcher == DEFENDER and (t.ending == "T" or (t.ending == "C" and t.how in ("body", "obj")))


# fmt: off
#: The table of the specification, in its order; line 21 goes before line 5, line 22 before line 15. Lines 1 and 3 need
#: the game (``games``). Far half and far glass are the defence's, own half and own glass the thrower's.
TABLE: tuple[Line, ...] = (
    #    no.    what happened                                                       what it is worth
    Line("2",   lambda t, h: t.contested,                                           AGAIN),
    Line("21",  lambda t, h: t.first == "L" and h.line == "redo",                   AGAIN),
    Line("21",  lambda t, h: t.first == "L",                                        silent("DIE-05", "line")),
    Line("4",   lambda t, h: t.low and t.far and not _survives(t, h),               _low),
    Line("20*", _landed_after_exchange,                                             silent("DIE-20", anything=True)),
    Line("5",   lambda t, h: t.ending == "SF" and not t.short,                      _sink_for_attack),
    Line("6",   lambda t, h: t.ending == "SF",                                      _short_then_far_glass),
    Line("7",   lambda t, h: t.ending == "SO" and t.short,                          _sink_for_defence),
    Line("8",   lambda t, h: t.ending == "SO" and t.far,                            _rebound),
    Line("9",   lambda t, h: t.air_ball and not t.fifa,                             NOTHING),
    Line("24*", _low_exchange,                                                      _fifa_on_low),
    Line("10",  lambda t, h: t.fifa and h.fifa and not t.low and complete(t, h),    _fifa),
    Line("11",  lambda t, h: t.air_ball,                                            NOTHING),
    Line("12",  lambda t, h: t.short and t.legal_catch and "o" not in t.path,       defence(1)),
    Line("13",  lambda t, h: t.short and t.legal_catch,                             defence(2)),
    Line("14*", lambda t, h: t.short and h.short_trap == "attack_point" and _trap(t), attack(1)),
    Line("14",  lambda t, h: t.short,                                               NOTHING),
    Line("22",  lambda t, h: t.far and t.ending == "C" and t.catcher != DEFENDER,   silent("DIE-07")),
    Line("22",  lambda t, h: t.far and t.ending == "T" and t.catcher != DEFENDER,   silent("DIE-18")),
    Line("15",  lambda t, h: t.far and t.legal_catch,                               NOTHING),
    Line("16",  lambda t, h: t.far and t.ending == "G",                             _dropped),
    Line("17",  lambda t, h: t.far and t.badly_caught,                              _by_hands_or_body),
    Line("18",  lambda t, h: t.far and t.trapped,                                   _by_object),
    Line("19",  lambda t, h: t.far and t.ending == "C",                             _over_table),
    Line("20",  lambda t, h: t.far,                                                 NOTHING),
    Line("–",   lambda t, h: True,                                                  silent("DIE-05")),
)
# fmt: on


def due(t: Facts, house: House) -> Due:
    """What the toss is worth by the first line that fits."""
    return next(line.due(t, house) for line in TABLE if line.condition(t, house))


def landed(t: Facts, house: House) -> Facts:
    """The toss with the center line taken for the half that the house takes it for."""
    if t.first != "L" or house.line not in ("far", "short"):
        return t
    return replace(t, path=("F" if house.line == "far" else "O", *t.path[1:]))


def completions(path: tuple[str, ...] | None) -> list[tuple[str, ...]]:
    """The ways that a path may have gone on of which the log says no more (``None``: of which it says nothing)."""
    if path is None:
        return [way for first in ("F", "O", "M", "L") for way in completions((first, NOT_RECORDED))]
    if path[-1] != NOT_RECORDED:
        return [path]
    begun = path[:-1]
    if begun[0] == "M":
        return [(*begun, "G"), (*begun, "C")]
    on = ["G", "C", "T", "R", "SF", "SO"]
    return [(*begun, *more, ending) for ending in on for more in ((), ("f",), ("o",))]
