"""Whose turn it is: who rolls after a roll that scored, and after one that did not (BUN-08, BUN-09)."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from rules.bunco.judged import Findings
from rules.bunco.rolls import Rolls
from rules.bunco.rows import NO, UNKNOWN, YES, Bools, Ints, Rows
from rules.bunco.seats import Seating
from rules.bunco.tables import ANOTHER, ITSELF, NEIGHBOUR, SCORING_ROLL, TURN, ZERO


class Turns:
    """The rolls of each table and round as they follow each other. Sums, bells and turns all look at these."""

    def __init__(self, rows: Rows, rolls: Rolls, seating: Seating) -> None:
        self.rows = rows
        self.rolls = rolls
        self.seating = seating

    @cached_property
    def order(self) -> Ints:
        """The rolls that are played in a round of the game, table by table and round by round, each in its order.

        Left out are rolls whose round or table nobody knows, those of a round that the game does not have, and those
        of a round after rolls of a later one.
        """
        rows = self.rows
        taken = self.rolls.is_roll & (self.seating.spot >= 0) & ~rows.beyond & ~rows.backward
        order: Ints = np.flatnonzero(taken)
        return order[np.argsort(self.seating.spot[order], kind="stable")]

    @cached_property
    def played(self) -> Bools:
        """The roll is one of those in ``order``."""
        played = np.zeros(len(self.rows), dtype=bool)
        played[self.order] = True
        return played

    @cached_property
    def last(self) -> Ints:
        """For each row the roll before it at the same table in the same round, -1 where there is none or rows may be
        missing between the two."""
        last = np.full(len(self.rows), UNKNOWN, dtype=np.int64)
        before, after = self.order[:-1], self.order[1:]
        follows = self.seating.spot[before] == self.seating.spot[after]
        follows &= self.rows.stretch[before] == self.rows.stretch[after]
        last[after[follows]] = before[follows]
        return last

    @cached_property
    def stranger(self) -> Bools:
        """BUN-24: the seats at the table are known, and the roller has none of them."""
        return self.rolls.is_roll & self.seating.known & (self.rows.player >= 0) & ~self.seating.seated


def judge_turns(found: Findings, turns: Turns, out_of_place: Bools) -> None:
    """BUN-08 and BUN-09 by the turn table. ``out_of_place``: rolls that should not have been; order begins anew."""
    rows, rolls, seating = turns.rows, turns.rolls, turns.seating
    last = turns.last
    before = np.maximum(last, 0)
    follows = (last >= 0) & ~out_of_place & ~out_of_place[before]
    named = (rows.player >= 0) & (rows.player[before] >= 0)
    kept, left = rolls.keeps[before], seating.left[before]
    roller = rows.player
    who = {
        ITSELF: roller == rows.player[before],
        NEIGHBOUR: (roller == left) & (left >= 0),
        ANOTHER: (roller != left) & (left >= 0),
    }
    who[NEIGHBOUR] &= ~who[ITSELF]
    who[ANOTHER] &= ~who[ITSELF]
    previous = {SCORING_ROLL: kept == YES, ZERO: kept == NO}
    # whoever it is, the seats need not be known to see that another than the one who scored rolled
    somebody_else = ~who[ITSELF] & (left < 0)
    fields = {"who_before": rows.player[before], "who_left": left}
    for line in TURN:
        if line.before not in previous:
            continue
        here = follows & named & previous[line.before] & who[line.rolls]
        if line.before == SCORING_ROLL and line.rolls == ANOTHER:
            here |= follows & named & previous[SCORING_ROLL] & somebody_else
        code = line.rule or ("BUN-08" if line.before == SCORING_ROLL else "BUN-09")
        breach = np.full(len(rows), YES if line.finding else NO, dtype=np.int8)
        found[code].columns(here, breach, line.finding, fields)
    # without seats nobody can say who sits on the left
    unseated = follows & named & (kept == NO) & somebody_else
    _open(found, unseated, quiet=np.zeros(len(rows), dtype=bool), unlogged=~rows.logged.kind(1))
    # a roll of which neither dice nor points are known is named where it stands
    _open(found, follows & (~named | (kept == UNKNOWN)), quiet=np.ones(len(rows), dtype=bool))


def _open(found: Findings, where: Bools, quiet: Bools, unlogged: Bools | None = None) -> None:
    ruling = found["BUN-09"]
    ruling.applies |= where
    ruling.breach[where] = UNKNOWN
    ruling.quiet[where] = quiet[where]
    if unlogged is not None:
        ruling.unlogged[where] = unlogged[where]
