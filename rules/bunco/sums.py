"""What each team has in a round: the totals that are possible after each roll (BUN-20, BUN-23).

A wrong score, or a total that is not the sum, leaves two totals possible from there on; nobody is accused of what
follows from either. At most tables everything agrees, and then a total is a cumulative sum over columns. Only where
something does not is the sheet of that table and round read roll by roll.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rules.bunco.rolls import WIPEOUT
from rules.bunco.rows import UNKNOWN, YES, Bools, Ints
from rules.bunco.turns import Turns

#: No total is beyond this, so that it stands for one of which nothing is known.
ANY_TOTAL = 1 << 40
#: So many possible totals are kept apart; past that anything can be, for the rest of the round.
_KEPT = 256

Totals = frozenset[int]
_ZERO: Totals = frozenset({0})


@dataclass
class Sheet:
    """One team's column on the sheet. ``possible``: its totals that can be, ``None`` where anything can.

    ``kept``: totals that still hold points lost in a wipeout (or lose the partner's) and that nobody has named yet.
    ``own``: what each player has made of it, as far as that is known: after missing rows (``gap``) of nobody.
    ``muddle``: so much is wrong that no total can be held against what was written down before.
    """

    possible: Totals | None = _ZERO
    kept: Totals = frozenset()
    own: dict[int, Totals] = field(default_factory=dict)
    gap: bool = False
    muddle: bool = False

    def unknown(self) -> None:
        """Rows are missing: nothing is known until a total is written down."""
        self.possible, self.kept = None, frozenset()
        self.own, self.gap = {}, True

    def of_player(self, player: int) -> Totals | None:
        """What the player has made of it, ``None`` where anything can be."""
        return self.own.get(player, None if self.gap else _ZERO)

    def add(self, player: int, steps: Totals) -> None:
        """A roll worth one of ``steps``."""
        if self.possible is not None:
            self.possible = frozenset(p + s for p in self.possible for s in steps)
            own = self.of_player(player)
            if own is not None:
                self.own[player] = frozenset(o + s for o in own for s in steps)
            self.kept = frozenset(k + s for k in self.kept for s in steps)
            if len(self.possible) > _KEPT:
                self.unknown()
                self.muddle = True

    def wipe(self, player: int, whole_team: bool, logged: int, may_not_count: bool) -> None:
        """A wipeout of ``player``, for whom ``logged`` points were written down (0 is right)."""
        before, own = self.possible, self.of_player(player)
        if before is None or (own is None and not whole_team):
            self.unknown()
            self.own[player] = frozenset({0, logged})
            return
        own = own or _ZERO
        just_own = frozenset(p - o for p in before for o in own)
        right = _ZERO if whole_team else just_own
        wrong = before | (just_own if whole_team else _ZERO)
        if may_not_count:
            right |= before
        if logged:  # BUN-20 stands on the roll itself: a total that fits either reading is accepted
            right |= wrong
            right |= frozenset(total + logged for total in right)
            wrong = frozenset()
        self.possible, self.kept = right, wrong - right
        if whole_team:
            self.own = {}
        self.own[player] = frozenset({0, logged})

    def wipe_somebody(self) -> None:
        """A wipeout of a stranger, or of nobody who is named: it may have taken anyone's points, or none."""
        if self.possible is not None:
            whole, gone = self.possible, frozenset[int]().union(*self.own.values())
            self.possible = whole | frozenset(p - o for p in whole for o in gone) | _ZERO
            self.own = {player: own | _ZERO for player, own in self.own.items()}
        self.kept = frozenset()

    def recorded(self, total: int) -> str:
        """The rule that a recorded total breaches, blank where none."""
        if self.muddle:
            return ""
        if self.possible is None:
            self.possible = frozenset({total})
        elif total in self.possible:
            return ""
        elif total in self.kept:
            self.possible, self.kept = self.possible | self.kept, frozenset()
            return "BUN-20"
        else:
            self.possible = self.possible | {total}
            return "BUN-23"
        return ""


class Sums:
    """Totals after each roll of a game's tables. ``optional``: rolls that sheets may count or leave out."""

    def __init__(self, turns: Turns, optional: Bools) -> None:
        self.turns = turns
        self.rows, self.rolls, self.seating = turns.rows, turns.rolls, turns.seating
        self.optional = optional
        size = len(self.rows)
        self.least: Ints = np.zeros(size, dtype=np.int64)
        self.most: Ints = np.full(size, ANY_TOTAL, dtype=np.int64)
        self.breach: dict[int, str] = {}
        self.ends: dict[int, tuple[Totals | None, Totals | None]] = {}
        self.expected: dict[int, Totals] = {}
        self._add_up()

    @cached_property
    def first_of_slot(self) -> Ints:
        """For each row the first row of its game and round."""
        slots = self.rows.slot
        first = np.full(int(slots.max(initial=-1)) + 2, len(self.rows), dtype=np.int64)
        np.minimum.at(first, slots, np.arange(len(self.rows)))
        return first[slots]

    @cached_property
    def _may_be_wipeout(self) -> Bools:
        """A roll without points of which not all dice are known, and those that are show ones."""
        rows, rolls = self.rows, self.rolls
        ones = ((rows.dice == 0) | (rows.dice == 1)).all(axis=1)
        without: Bools = rolls.is_roll & ~rolls.dice_known & ones & rows.points_known & (rows.points == 0)
        return without & rows.house.wipeout

    def _add_up(self) -> None:
        rows, rolls, order = self.rows, self.rolls, self.turns.order
        if not len(order):
            return
        spot, team = self.seating.spot[order], self.seating.team[order]
        logged, due = rolls.as_logged[order], rolls.as_due[order]
        unit = spot * 2 + np.maximum(team, 0)
        by_team = np.argsort(unit, kind="stable")
        running = np.cumsum(logged[by_team])
        opens = np.ones(len(order), dtype=bool)
        opens[1:] = np.diff(unit[by_team]) != 0
        start = np.maximum.accumulate(np.where(opens, np.arange(len(order)), 0))
        total = np.empty(len(order), dtype=np.int64)
        total[by_team] = running - (running[start] - logged[by_team][start])
        recorded = rows.total_known[order]
        plain = (team >= 0) & rolls.worth_known[order] & (logged == due) & (rolls.row[order] != WIPEOUT)
        plain &= ~self._may_be_wipeout[order]
        plain &= ~self.optional[order] & (~recorded | (rows.total[order] == total))
        plain &= rows.stretch[order] == rows.stretch[np.minimum(self.first_of_slot[order], len(rows) - 1)]
        first = np.flatnonzero(np.r_[True, np.diff(spot) != 0])
        self._spots = spot[first]
        self._bounds = list(zip(first.tolist(), [*first[1:].tolist(), len(order)], strict=True))
        self._plain_spot = np.logical_and.reduceat(plain, first)
        ok = np.repeat(self._plain_spot, np.diff(np.r_[first, len(order)]))
        self.least[order[ok]] = self.most[order[ok]] = total[ok]
        self._total, self._team = total, team
        for number in np.flatnonzero(~self._plain_spot).tolist():
            low, high = self._bounds[number]
            self.ends[int(self._spots[number])] = self._read(order[low:high].tolist())

    def read_again(self, optional: Bools) -> None:
        """Read the sheets again of tables at which more rolls than before may be counted or left out."""
        changed = self.optional != optional
        self.optional = optional
        order = self.turns.order
        for spot in np.unique(self.seating.spot[changed]).tolist():
            number = int(np.searchsorted(self._spots, spot))
            low, high = self._bounds[number]
            rolled = order[low:high].tolist()
            for row in rolled:
                self.breach.pop(row, None)
            self._plain_spot[number] = False
            self.ends[spot] = self._read(rolled)

    def _read(self, rolled: list[int]) -> tuple[Totals | None, Totals | None]:
        """Read the sheet of one table and round roll by roll."""
        rows, rolls, seating = self.rows, self.rolls, self.seating
        whole_team = rows.house.wipeout_scope == "team"
        if not seating.known[rolled[0]]:
            return self._read_without_seats(rolled)
        sheets = (Sheet(), Sheet())
        stretch = int(rows.stretch[self.first_of_slot[rolled[0]]])
        for row in rolled:
            if rows.stretch[row] != stretch:
                stretch = int(rows.stretch[row])
                for sheet in sheets:
                    sheet.unknown()
            team, player = int(seating.team[row]), int(rows.player[row])
            steps = frozenset({int(rolls.as_logged[row]), int(rolls.as_due[row])})
            own_sheets = [sheets[team]] if team >= 0 else sheets
            for sheet in own_sheets:
                if not rolls.worth_known[row]:
                    sheet.unknown()
                elif rolls.row[row] == WIPEOUT and team < 0:
                    sheet.wipe_somebody()
                elif rolls.row[row] == WIPEOUT or self._may_be_wipeout[row]:
                    logged = int(rows.points[row]) if rolls.points_wrong[row] == YES else 0
                    may_not_count = bool(self.optional[row] or self._may_be_wipeout[row])
                    sheet.wipe(player, whole_team, logged, may_not_count)
                else:
                    sheet.add(player, steps | _ZERO if self.optional[row] or team < 0 else steps)
            if team >= 0 and rows.total_known[row]:
                could_be = sheets[team].possible
                rule = sheets[team].recorded(int(rows.total[row]))
                if rule:
                    self.breach[row] = rule
                    self.expected[row] = could_be or frozenset()
            possible = [sheet.possible for sheet in own_sheets]
            self.least[row] = max(min(p) if p else 0 for p in possible)
            self.most[row] = max(max(p) if p else ANY_TOTAL for p in possible)
        return sheets[0].possible, sheets[1].possible

    def _read_without_seats(self, rolled: list[int]) -> tuple[None, None]:
        """Nobody knows who plays together: a team has what is written down, else no less than its player and no more
        than the table."""
        rows, rolls = self.rows, self.rolls
        own: dict[int, Sheet] = {}
        stretch = int(rows.stretch[self.first_of_slot[rolled[0]]])
        most: int = 0
        for row in rolled:
            if rows.stretch[row] != stretch or not rolls.worth_known[row]:
                stretch = int(rows.stretch[row])
                own, most = {}, ANY_TOTAL
            steps = frozenset({int(rolls.as_logged[row]), int(rolls.as_due[row])})
            sheet = own.setdefault(int(rows.player[row]), Sheet())
            if rolls.row[row] == WIPEOUT:
                sheet.wipe(int(rows.player[row]), False, 0, True)
            elif rolls.worth_known[row]:
                sheet.add(int(rows.player[row]), steps | _ZERO if self.optional[row] else steps)
            most += max(*steps, 0)
            if rows.total_known[row]:
                self.least[row] = self.most[row] = rows.total[row]
            else:
                self.least[row] = min(sheet.possible) if sheet.possible else 0
                self.most[row] = most
        return None, None

    def at_end(self, spot: int, stretch: int) -> tuple[Totals | None, Totals | None]:
        """The possible totals of both teams of a table when the round is over; ``None`` where anything can be.

        ``stretch``: that of the row which asks; rows may be missing between the last roll and it.
        """
        if not len(self.turns.order) or spot < 0:
            return None, None
        at = int(np.searchsorted(self._spots, spot))
        if at >= len(self._spots) or self._spots[at] != spot:
            return None, None
        low, high = self._bounds[at]
        if self.rows.stretch[self.turns.order[high - 1]] != stretch:
            return None, None
        if not self._plain_spot[at]:
            return self.ends[spot]
        ends = []
        for team in (0, 1):
            own = np.flatnonzero(self._team[low:high] == team)
            ends.append(frozenset({int(self._total[low + own[-1]])}) if len(own) else _ZERO)
        return ends[0], ends[1]

    @cached_property
    def one_player(self) -> tuple[Ints, Ints]:
        """The least and the most that a roll's player alone can have in the round after it (``head_scope``)."""
        rows, rolls, order = self.rows, self.rolls, self.turns.order
        least, most = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), ANY_TOTAL, dtype=np.int64)
        low = np.minimum(rolls.as_logged, rolls.as_due)[order]
        high = np.maximum(rolls.as_logged, rolls.as_due)[order]
        high[~rolls.worth_known[order]] = ANY_TOTAL >> 8
        keys = np.stack([self.seating.spot[order], rows.stretch[order], rows.player[order]])
        by_player = np.lexsort(keys[::-1])
        keys = keys[:, by_player]
        opens = np.r_[True, (np.diff(keys) != 0).any(axis=0)] if len(order) else np.zeros(0, dtype=bool)
        opens |= (rolls.row[order] == WIPEOUT)[by_player]
        if len(order):
            start = np.maximum.accumulate(np.where(opens, np.arange(len(order)), 0))
            for column, out in ((low, least), (high, most)):
                running = np.cumsum(column[by_player])
                out[order[by_player]] = running - (running[start] - column[by_player][start])
            gap = rows.stretch[order] != rows.stretch[np.minimum(self.first_of_slot[order], len(rows) - 1)]
            nameless = np.cumsum(rows.player[order] < 0)
            spots = np.searchsorted(self.seating.spot[order], self.seating.spot[order])
            earlier: Ints = nameless - np.where(spots > 0, nameless[np.maximum(spots - 1, 0)], 0)
            most[order[gap | (earlier > 0)]] = ANY_TOTAL
        return least, most


def known(totals: Totals | None) -> int:
    """The one possible total, -1 where there are several or none is known."""
    return next(iter(totals)) if totals is not None and len(totals) == 1 else UNKNOWN
