"""The decision tables of Bunco, each to be read as the table of the specification: roll, turn, round, movement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rules.bunco.options import House

# One roll (BUN-04 to BUN-09, BUN-20)

SAME, LEFT = "same", "left"


class Scored(NamedTuple):
    """What a roll is worth. ``next_player``: who rolls next, the same player or the one on the left."""

    row: str
    rule: str
    points: int
    next_player: str


class ScoringRow(NamedTuple):
    """A row of the scoring table: when it holds, what it is worth, who is next, and the rule that says so."""

    name: str
    holds: Callable[[House, int, tuple[int, int, int]], bool]
    points: Callable[[House], int]
    next_player: Callable[[House], str]
    rule: str


def _triple(dice: tuple[int, int, int]) -> bool:
    return dice[0] == dice[1] == dice[2]


def _keeps(house: House) -> str:
    return LEFT if house.three_ends_turn or house.three_of_a_kind == 0 else SAME


#: Top down, the first row that holds decides. ``h`` is the house, ``t`` the target, ``d`` the three dice.
SCORING: tuple[ScoringRow, ...] = (
    #          dice           holds when                                     points                       next player      rule
    ScoringRow("bunco",       lambda h, t, d: d == (t, t, t),                lambda h: h.bunco_points,    lambda h: SAME,  "BUN-07"),
    ScoringRow("wipeout",     lambda h, t, d: h.wipeout and d == (1, 1, 1),  lambda h: 0,                 lambda h: LEFT,  "BUN-20"),
    ScoringRow("three",       lambda h, t, d: _triple(d),                    lambda h: h.three_of_a_kind, _keeps,          "BUN-06"),
    ScoringRow("two_targets", lambda h, t, d: d.count(t) == 2,               lambda h: 2,                 lambda h: SAME,  "BUN-05"),
    ScoringRow("one_target",  lambda h, t, d: d.count(t) == 1,               lambda h: 1,                 lambda h: SAME,  "BUN-05"),
    ScoringRow("nothing",     lambda h, t, d: True,                          lambda h: 0,                 lambda h: LEFT,  "BUN-09"),
)  # fmt: skip

ROWS = tuple(row.name for row in SCORING)


def scored(house: House, target: int, dice: tuple[int, int, int]) -> Scored:
    """What ``dice`` (faces 1 to 6) are worth when ``target`` is asked for."""
    for row in SCORING:
        if row.holds(house, target, dice):
            return Scored(row.name, row.rule, row.points(house), row.next_player(house))
    raise AssertionError("the last row of the scoring table holds always")


# Turn (BUN-08, BUN-09)


class TurnRow(NamedTuple):
    """A row of the turn table. ``rolls``: who rolled, seen from the player before; ``finding``: blank where all is
    in order."""

    before: str
    rolls: str
    finding: str
    rule: str


ANYBODY, ITSELF, NEIGHBOUR, ANOTHER = "anybody", "itself", "neighbour", "another"
NONE, SCORING_ROLL, ZERO, UNKNOWN = "none", "scored", "zero", "unknown"

TURN: tuple[TurnRow, ...] = (
    #       previous roll  next roller  finding           rule
    TurnRow(NONE,          ANYBODY,     "",               ""),
    TurnRow(SCORING_ROLL,  ITSELF,      "",               ""),
    TurnRow(SCORING_ROLL,  NEIGHBOUR,   "passed_early",   "BUN-08"),
    TurnRow(SCORING_ROLL,  ANOTHER,     "passed_early",   "BUN-08"),
    TurnRow(ZERO,          NEIGHBOUR,   "",               ""),
    TurnRow(ZERO,          ITSELF,      "kept_rolling",   "BUN-09"),
    TurnRow(ZERO,          ANOTHER,     "wrong_order",    "BUN-09"),
)  # fmt: skip

# Round (BUN-10 to BUN-12)


class RoundRow(NamedTuple):
    """A row of the round table. ``head``: whether the head table has its points; ``happens``: what comes next."""

    head: str
    happens: str
    finding: str
    rule: str


SHORT, REACHED, ANY = "short", "reached", "any"

ROUND: tuple[RoundRow, ...] = (
    #        head table  what happens               finding             rule
    RoundRow(SHORT,      "tables roll",             "",                 ""),
    RoundRow(SHORT,      "bell at the head",        "bell_early",       "BUN-11"),
    RoundRow(ANY,        "bell at another table",   "bell_wrong_table", "BUN-11"),
    RoundRow(REACHED,    "bell at the head",        "",                 ""),
    RoundRow(REACHED,    "roll after the bell",     "roll_after_bell",  "BUN-12"),
    RoundRow(REACHED,    "roll without a bell",     "round_not_ended",  "BUN-10"),
    RoundRow(REACHED,    "closed without a bell",   "bell_missing",     "BUN-11"),
    RoundRow(SHORT,      "closed without a bell",   "closed_early",     "BUN-10"),
)  # fmt: skip

# Movement (BUN-15, BUN-16)


@dataclass(frozen=True)
class Scheme:
    """Where teams go from tables 1 (head) to N (lowest)."""

    head_losers: Callable[[int], int]
    other_winners: Callable[[int, int], int]
    other_losers: Callable[[int, int], int]


#: The winners of the head table stay in all of them.
MOVEMENT: Mapping[str, Scheme] = {
    #                     losers at 1         winners at k ≥ 2       losers at k ≥ 2
    "text":        Scheme(lambda n: n,         lambda k, n: k - 1,    lambda k, n: k),
    "wba":         Scheme(lambda n: min(2, n), lambda k, n: k - 1,    lambda k, n: min(k + 1, n)),
    "losers_move": Scheme(lambda n: n,         lambda k, n: k,        lambda k, n: k - 1),
}  # fmt: skip


def destination(house: House, tables: int, table: int, won: bool) -> int:
    """The table to which the winning or losing team of ``table`` goes, with ``tables`` tables in all."""
    scheme = MOVEMENT[house.movement]
    if table == 1:
        return 1 if won else house.head_losers_to or scheme.head_losers(tables)
    return scheme.other_winners(table, tables) if won else scheme.other_losers(table, tables)


def movement_rule(table: int, won: bool) -> str:
    """The clause that sends a team on."""
    return "BUN-15" if table == 1 and not won else "BUN-16"
