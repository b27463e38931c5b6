"""A log of Bunco evenings held against all rules: the one place where facts about rolls, sheets and moves meet."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rules.bunco.bells import Bells
from rules.bunco.columns import DICE, ROLL, SEAT
from rules.bunco.judged import CODES, Findings
from rules.bunco.movement import Movement
from rules.bunco.prizes import Tally, judge_prizes
from rules.bunco.results import Results
from rules.bunco.rolls import BUNCO, NOTHING, ONE_TARGET, THREE, TWO_TARGETS, WIPEOUT, Rolls
from rules.bunco.rows import NO, UNKNOWN, Bools, Rows
from rules.bunco.seats import Seating
from rules.bunco.start import judge_draw, judge_rounds, judge_seats, judge_strangers
from rules.bunco.sums import ANY_TOTAL, Sums
from rules.bunco.travelling import judge_marker, judge_shouts
from rules.bunco.turns import Turns, judge_turns

#: Which rule stands for the points of each row of the scoring table.
POINTS = (
    ("BUN-05", (TWO_TARGETS, ONE_TARGET, NOTHING)),
    ("BUN-06", (THREE,)),
    ("BUN-07", (BUNCO,)),
    ("BUN-20", (WIPEOUT,)),
)
#: Who has no seat is told once a table and round, under the first of these that needs it.
BY_SEATS = ("BUN-09", "BUN-10", "BUN-11", "BUN-13")


@dataclass
class Judged:
    """All that the rules find in ``rows``, and what the report shows besides.

    ``optional``: rolls that should not have been. ``unplaced``: rolls of which nobody knows round or table.
    """

    rows: Rows
    found: Findings
    turns: Turns
    results: Results
    movement: Movement
    sums: Sums | None = None
    bells: Bells | None = None
    prizes: dict[int, Tally] = field(default_factory=dict)
    optional: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool))
    unplaced: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool))


def judged(rows: Rows) -> Judged:
    """Hold the rows of whole games against every rule of the pack."""
    found = Findings(len(rows))
    rolls, seating = Rolls(rows), Seating(rows)
    turns = Turns(rows, rolls, seating)
    whole = not rows.house.results_only
    nowhere = np.zeros(len(rows), dtype=bool)
    sums = bells = None
    optional = turns.stranger
    if whole:
        sums = Sums(turns, optional)
        bells = Bells(turns, sums)
        bells.tell(found)
        # sheets may count a roll that should not have been, or leave it out
        optional = optional | bells.not_ended | bells.after_bell
        sums.read_again(optional)
        judge_rounds(found, rows)
        _judge_dice(found, rolls)
        _judge_points(found, rolls)
        judge_turns(found, turns, optional)
        _judge_totals(found, turns, sums)
        unequal = judge_draw(found, rows, seating)
    else:
        unequal = set[int]()
    judge_seats(found, rows, seating, unequal)
    judge_strangers(found, turns)
    results = Results(rows, seating, sums, found)
    results.judge()
    movement = Movement(rows, seating, results, found)
    movement.judge()
    if whole and rows.house.travelling:
        judge_shouts(found, rows, rolls)
        judge_marker(found, rows, rolls, optional)
    prizes = judge_prizes(found, turns, results, bells, optional)
    unplaced = (rows.kind == ROLL) & ((rows.known_round < 0) | (seating.table < 0)) if whole else nowhere
    result = Judged(rows, found, turns, results, movement, sums, bells, prizes, optional, unplaced)
    _list_once(found, rows, seating)
    return result


def _judge_dice(found: Findings, rolls: Rolls) -> None:
    """BUN-04: a roll records three dice, in a file that records three."""
    rows = rolls.rows
    some = rolls.is_roll & (rows.dice > 0).any(axis=1) & ~rows.bad_dice
    found["BUN-04"].columns(some, np.where(rolls.dice_known, NO, UNKNOWN).astype(np.int8))
    three = np.logical_and.reduce([rows.logged.column(ROLL, die) for die in DICE])
    found["BUN-04"].unlogged |= some & ~rolls.dice_known & ~three


def _judge_points(found: Findings, rolls: Rolls) -> None:
    """BUN-05 to BUN-07 and BUN-20: the points logged for a roll are those of its dice."""
    rows = rolls.rows
    fields = {"due": rolls.due, "points": rows.points, "target": rolls.target, "row": rolls.row}
    for code, table_rows in POINTS:
        applies = rolls.judged & np.isin(rolls.row, table_rows)
        found[code].columns(applies, rolls.points_wrong, "points", fields)
        found[code].unlogged |= applies & (rolls.points_wrong == UNKNOWN) & ~rows.logged.column(ROLL, "points")
    # without dice nobody knows which row of the table holds; part of them is BUN-04's
    blind = rolls.is_roll & ~rolls.judged & ~rows.beyond
    ruling = found["BUN-05"]
    ruling.columns(blind, np.full(len(rows), UNKNOWN, dtype=np.int8))
    ruling.quiet |= blind & ((rows.dice > 0).any(axis=1) | rows.bad_dice | (rows.known_round < 0))
    never = ~np.logical_or.reduce([rows.logged.column(ROLL, die) for die in DICE])
    ruling.unlogged |= blind & (never | ~rows.logged.column(ROLL, "round"))


def _judge_totals(found: Findings, turns: Turns, sums: Sums) -> None:
    """BUN-23: a team's total is the sum of its rolls; BUN-20: without what a wipeout took."""
    rows, seating = turns.rows, turns.seating
    asked = turns.played & rows.total_known
    seated = seating.team >= 0
    found["BUN-23"].columns(asked & seated, np.zeros(len(rows), dtype=np.int8))
    without = asked & ~seated
    found["BUN-23"].columns(without, np.full(len(rows), UNKNOWN, dtype=np.int8))
    found["BUN-23"].quiet |= without
    found["BUN-23"].unlogged |= without & ~rows.logged.kind(SEAT)
    for row, code in sums.breach.items():
        could_be = sums.expected[row]
        said = " / ".join(str(total) for total in sorted(could_be)) if len(could_be) <= 4 else ""
        written = int(rows.total[row])
        found[code].breached(row, "total", written=written, sums=said or _span(could_be))


def _span(totals: frozenset[int]) -> str:
    return f"{min(totals)}–{min(max(totals), ANY_TOTAL)}"


def _list_once(found: Findings, rows: Rows, seating: Seating) -> None:
    """What cannot be told is listed once a table and round, on the first row that needs it.

    Missing seats are one gap, listed under the first rule that needs them.
    """
    place = np.where(seating.spot >= 0, seating.spot, -2 - rows.slot)
    unseated = (seating.spot >= 0) & ~seating.known
    told = np.zeros(len(rows), dtype=bool)
    for code in CODES:
        ruling = found[code]
        asks = np.flatnonzero((ruling.breach == UNKNOWN) & ruling.applies & ~ruling.quiet & ~ruling.unlogged)
        ruling.quiet[asks] = True
        if code in BY_SEATS:
            asks = asks[~told[asks]]
        first = asks[np.unique(place[asks], return_index=True)[1]]
        ruling.quiet[first] = False
        if code in BY_SEATS and len(first):
            told |= np.isin(place, place[first]) & unseated
