"""The travelling variation: who shouts, and who carries the marker (BUN-17, BUN-18)."""

from __future__ import annotations

import numpy as np

from rules.bunco.columns import MARKER, ROLL
from rules.bunco.judged import Findings
from rules.bunco.rolls import Rolls
from rules.bunco.rows import NO, UNKNOWN, YES, Bools, Rows


def judge_shouts(found: Findings, rows: Rows, rolls: Rolls) -> None:
    """BUN-17: every bunco is shouted."""
    ruling = found["BUN-17"]
    buncos = rolls.bunco == YES
    breach = np.select([rows.called == NO, rows.called == YES], [YES, NO], UNKNOWN).astype(np.int8)
    ruling.columns(buncos, breach, "not_shouted")
    ruling.unlogged |= buncos & (breach == UNKNOWN) & ~rows.logged.column(ROLL, "called")


def judge_marker(found: Findings, rows: Rows, rolls: Rolls, optional: Bools) -> None:
    """BUN-18: the marker goes from bunco to bunco. ``optional``: rolls that should not have been."""
    events = np.flatnonzero((rows.kind == MARKER) | (rolls.counts_as_bunco != NO))
    if rows.house.seq_by_table:
        # nobody knows in which order the tables had their buncos
        for row in events[(rows.kind == MARKER)[events]].tolist():
            found["BUN-18"].open(row)
        return
    holder = _Marker(found, rows, rolls, optional)
    for row in events.tolist():
        holder.take(row)


class _Marker:
    """The marker on its way: ``holder`` carries it, ``due``: who rolled the last bunco, ``waiting``: it has not been
    handed over since. ``doubt``: rows are missing, or a roll of which nobody knows what it was, since then."""

    def __init__(self, found: Findings, rows: Rows, rolls: Rolls, optional: Bools) -> None:
        self.ruling = found["BUN-18"]
        self.rows, self.rolls, self.optional = rows, rolls, optional
        self.stretch = UNKNOWN
        self._begin(UNKNOWN)

    def _begin(self, game: int) -> None:
        self.game = game
        self.holder = self.due = UNKNOWN
        self.also_due: set[int] = set()
        self.waiting = self.doubt = False

    def take(self, row: int) -> None:
        """The next bunco or marker row."""
        rows = self.rows
        if rows.game_start[row] != self.game:
            self._begin(int(rows.game_start[row]))
            self.stretch = int(rows.stretch[row])
            self.doubt = bool(rows.stretch[row] != rows.stretch[self.game])
        elif rows.stretch[row] != self.stretch:
            self.stretch, self.doubt = int(rows.stretch[row]), True
        if rows.kind[row] == MARKER:
            self._handed(row)
        else:
            self._bunco(row)

    def _handed(self, row: int) -> None:
        rows, player = self.rows, int(self.rows.player[row])
        unlogged = not bool(rows.logged.column(MARKER, "player")[row])
        if player < 0:
            self.ruling.open(row, unlogged=unlogged)
            self.doubt = True
        elif player == self.due or player in self.also_due:
            self.ruling.tested(row)
            self.doubt = False
        elif self.doubt:
            self.ruling.open(row, quiet=True)
        elif self.due < 0:
            self.ruling.breached(row, "before_any")
        else:
            self.ruling.breached(row, "wrong_holder" if self.waiting else "moved", who_due=self.due)
        self.holder, self.waiting = player, False
        self.also_due = set()

    def _bunco(self, row: int) -> None:
        rows, player = self.rows, int(self.rows.player[row])
        if self.rolls.counts_as_bunco[row] == UNKNOWN:
            self.doubt = True
            return
        if player < 0:
            self.doubt = True
            return
        if self.optional[row]:
            self.also_due.add(player)
            return
        unlogged = not bool(rows.logged.kind(MARKER)[row])
        if unlogged:
            self.ruling.open(row, unlogged=True)
        elif self.waiting and self.doubt:
            self.ruling.open(row, quiet=True)
        elif self.waiting:
            self.ruling.breached(row, "not_handed_over", who_due=self.due)
        else:
            self.ruling.tested(row)
        self.due, self.waiting = player, player != self.holder
        self.doubt = False
