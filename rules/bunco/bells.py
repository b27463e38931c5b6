"""When a round is over: the head table's points, the bell, and what comes after it (BUN-10 to BUN-12)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rules.bunco.columns import BELL, HEAD, MOVE, PRIZE, RESULT, SEAT
from rules.bunco.judged import Findings
from rules.bunco.rows import NO, UNKNOWN, YES, Bools, Ints
from rules.bunco.sums import ANY_TOTAL, Sums
from rules.bunco.tables import ANY, REACHED, ROUND, SHORT
from rules.bunco.turns import Turns

_LINES = {(line.head, line.happens): line for line in ROUND}


@dataclass
class Round:
    """One round of one game: rows of the rolls at the head table, of the bells, and the row that closes it."""

    slot: int
    first: int
    last: int
    head: Ints
    bells: list[int]
    closed_by: int = UNKNOWN
    rung: int = UNKNOWN
    reached_at: int = UNKNOWN
    early: list[int] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)


class Bells:
    """The rounds of all games with their bells, judged by the round table."""

    def __init__(self, turns: Turns, sums: Sums) -> None:
        self.turns = turns
        self.rows, self.rolls, self.seating = turns.rows, turns.rolls, turns.seating
        self.house = self.rows.house
        self.sums = sums
        self.after_bell: Bools = np.zeros(len(self.rows), dtype=bool)
        self.not_ended: Bools = np.zeros(len(self.rows), dtype=bool)
        self._findings: list[tuple[str, int, str, dict[str, Any]]] = []
        self._tested: list[tuple[str, int]] = []
        self._open: list[tuple[str, int, bool, bool]] = []
        for one in self.rounds.values():
            self._judge(one)

    @cached_property
    def totals(self) -> tuple[Ints, Ints]:
        """The least and the most that counts towards the head table's points after each roll."""
        return self.sums.one_player if self.house.head_scope == "player" else (self.sums.least, self.sums.most)

    @cached_property
    def reached(self) -> Ints:
        """After a roll at the head table its team (or player) has the points that end the round."""
        least, most = self.totals
        target = self.house.head_target
        return np.select([least >= target, most < target], [YES, NO], UNKNOWN).astype(np.int8)

    @cached_property
    def bell_table(self) -> Ints:
        """The table at which each bell was rung; where none is named, that of the seat of who rang."""
        rows = self.rows
        table = rows.table.copy()
        for row in np.flatnonzero((rows.kind == BELL) & (table < 0) & (rows.slot >= 0)).tolist():
            seats = self.seating.seats.get(int(rows.slot[row]), {})
            here = [seat.table for seat in seats.values() if rows.player[row] in seat.people]
            if len(here) == 1:
                table[row] = here[0]
        return table

    @cached_property
    def rounds(self) -> dict[int, Round]:
        """The rounds that are played, by slot."""
        rows, slots = self.rows, self.rows.slot
        order = self.turns.order
        head = order[self.seating.table[order] == HEAD]
        played = np.unique(slots[order])
        starts = np.searchsorted(slots[head], played, side="left").tolist()
        ends = np.searchsorted(slots[head], played, side="right").tolist()
        bells: dict[int, list[int]] = {}
        for row in np.flatnonzero((rows.kind == BELL) & (slots >= 0)).tolist():
            bells.setdefault(int(slots[row]), []).append(row)
        first = np.full(int(slots.max(initial=-1)) + 2, len(rows), dtype=np.int64)
        last = np.full(len(first), UNKNOWN, dtype=np.int64)
        np.minimum.at(first, slots[order], order)
        np.maximum.at(last, slots[order], order)
        found = {}
        for slot, low, high in zip(played.tolist(), starts, ends, strict=True):
            own = head[low:high]
            found[slot] = Round(slot, int(first[slot]), int(last[slot]), own, bells.get(slot, []))
        self._close(found)
        return found

    def _close(self, found: dict[int, Round]) -> None:
        """A round is closed by its first result, move or prize, and by any row of a later round."""
        rows = self.rows
        closing = np.flatnonzero(rows.of(RESULT, MOVE, PRIZE) & (rows.slot >= 0))
        for row in closing.tolist():
            one = found.get(int(rows.slot[row]))
            if one is not None and one.closed_by < 0 and row > one.first:
                one.closed_by = row
        # a later round closes what is still open
        for low, high in rows.games if found else []:
            slots = rows.slot[low:high]
            inside = [slot for slot in np.unique(slots[slots >= 0]).tolist() if slot in found]
            for slot in inside:
                later = np.flatnonzero((slots > slot) & ~rows.backward[low:high] & ~rows.lone[low:high])
                if len(later):
                    row = low + int(later[0])
                    if found[slot].closed_by < 0 or row < found[slot].closed_by:
                        found[slot].closed_by = row

    def _row(self, head: str, happens: str, row: int, **fields: Any) -> None:
        line = _LINES[head, happens]
        if line.finding:
            self._findings.append((line.rule, row, line.finding, fields))

    def _state(self, one: Round, row: int) -> int:
        """Whether the head table has its points when ``row`` is written."""
        earlier = one.head[: int(np.searchsorted(one.head, row))]
        told = self.reached[earlier]
        if (told == YES).any():
            return YES
        since = int(earlier[-1]) if len(earlier) else self.sums.first_of_slot[one.first]
        gap = self.rows.stretch[since] != self.rows.stretch[row]
        return UNKNOWN if gap or (told == UNKNOWN).any() else NO

    def _judge(self, one: Round) -> None:
        head = one.head
        hits = np.flatnonzero(self.reached[head] == YES)
        one.reached_at = int(head[hits[0]]) if len(hits) else UNKNOWN
        for row in one.bells:
            self._judge_bell(one, row)
        self._judge_rolls(one)
        if one.closed_by >= 0 and len(head) and one.rung < 0:
            self._judge_closing(one)
        elif one.closed_by >= 0 and len(head):
            self._tested += [("BUN-10", one.closed_by), ("BUN-11", one.closed_by)]

    def _judge_bell(self, one: Round, row: int) -> None:
        if one.rung >= 0 and row > one.rung:
            return  # a second bell is ignored
        table = int(self.bell_table[row])
        if table < 0:
            self._open.append(("BUN-11", row, False, False))
            one.doubtful.append(row)
            return
        self._tested.append(("BUN-11", row))
        if table != HEAD:
            self._row(ANY, "bell at another table", row, table=table)
            return
        state = self._state(one, row) if len(one.head) else UNKNOWN
        if state == YES:
            one.rung = row
            self._judge_ringer(one, row)
        elif state == NO:
            one.early.append(row)
            earlier = one.head[: int(np.searchsorted(one.head, row))]
            has = int(self.totals[0][earlier].max(initial=0))
            self._row(SHORT, "bell at the head", row, has=has, target=self.house.head_target)
        else:
            one.doubtful.append(row)
            unlogged = not len(one.head) or not self.rows.logged.kind(SEAT)[row]
            self._open.append(("BUN-11", row, self._named(one.first, row), unlogged))

    def _judge_ringer(self, one: Round, row: int) -> None:
        player = int(self.rows.player[row])
        if self.house.bell_by_scorer:
            scorer = int(self.rows.scorer[row])
            if scorer < 0 or player < 0:
                self._open.append(("BUN-11", row, False, not self.rows.logged.column(BELL, "scorer")[row]))
            elif scorer != player:
                self._findings.append(("BUN-11", row, "bell_by_other", {"who_scorer": scorer}))
            return
        seat = self.seating.seats.get(one.slot, {}).get(HEAD)
        if seat is not None and player >= 0 and player not in seat.people:
            self._findings.append(("BUN-11", row, "bell_by_stranger", {}))

    def _judge_rolls(self, one: Round) -> None:
        """Rolls of the head table after its points are there, and of all tables after the bell."""
        rows, head = self.rows, one.head
        if one.reached_at >= 0:
            later = head[head > one.reached_at]
            if one.rung >= 0:
                later = later[later < one.rung]
            for row in later.tolist():
                if rows.stretch[row] != rows.stretch[one.reached_at]:
                    self._open.append(("BUN-10", row, True, False))  # the bell may be among the rows that are missing
                else:
                    self.not_ended[row] = True
                    self._row(REACHED, "roll without a bell", row, target=self.house.head_target)

    def tell(self, found: Findings) -> None:
        """Hand over what was found."""
        at_head = self.turns.played & (self.seating.table == HEAD)
        open_rolls = at_head & self._undecided_before
        none = np.zeros(len(self.rows), dtype=np.int8)
        found["BUN-10"].columns(at_head & ~open_rolls & ~self.not_ended, none)
        for row in np.flatnonzero(open_rolls & ~self.not_ended).tolist():
            found["BUN-10"].open(row, quiet=self._named(row, row), unlogged=not self.rows.logged.kind(SEAT)[row])
        for code, row in self._tested:
            found[code].tested(row)
        for code, row, phrase, fields in self._findings:
            found[code].breached(row, phrase, **fields)
        for code, row, quiet, unlogged in self._open:
            found[code].open(row, quiet=quiet, unlogged=unlogged)
        self._tell_after_bell(found)

    def _named(self, rolled: int, row: int) -> bool:
        """Why the head table's points cannot be told is named elsewhere: a wrong score or sum, a roll of which nothing
        is known, missing numbers. What is not is that the seats of the head table are not there."""
        seated = HEAD in self.seating.seats.get(int(self.rows.slot[rolled]), {})
        gap = self.rows.stretch[self.sums.first_of_slot[rolled]] != self.rows.stretch[row]
        return bool(seated or gap)

    @cached_property
    def _undecided_before(self) -> Bools:
        """Rolls at the head table of which nobody knows whether the points were there before."""
        undecided = np.zeros(len(self.rows), dtype=bool)
        doubtful = (self.reached == UNKNOWN) & (self.seating.table == HEAD)
        if not doubtful[self.turns.order].any():
            return undecided
        for one in self.rounds.values():
            told = self.reached[one.head]
            earlier = np.cumsum(told == UNKNOWN) - (told == UNKNOWN)
            sure = np.cumsum(told == YES) - (told == YES)
            undecided[one.head[(earlier > 0) & (sure == 0)]] = True
        return undecided

    def _judge_closing(self, one: Round) -> None:
        row, rows = one.closed_by, self.rows
        if not self.house.bells_logged:
            state = self._state(one, row)
            if state == NO and not one.early:
                self._row(SHORT, "closed without a bell", row, **self._shown(one))
            self._open.append(("BUN-11", row, False, True))
            return
        if one.doubtful:
            self._open.append(("BUN-11", row, True, False))
            return
        self._tested.append(("BUN-10", row))
        state = self._state(one, row)
        if state == YES:
            if rows.stretch[row] == rows.stretch[one.reached_at]:
                self._row(REACHED, "closed without a bell", row, target=self.house.head_target)
            else:
                self._open.append(("BUN-11", row, True, False))
        elif state == NO:
            if not one.early:
                self._row(SHORT, "closed without a bell", row, **self._shown(one))
        else:
            self._open.append(
                ("BUN-10", row, self._named(int(one.head[-1]), row), not bool(rows.logged.kind(SEAT)[row]))
            )

    def _shown(self, one: Round) -> dict[str, Any]:
        has = int(self.totals[1][one.head].max(initial=0))
        return {"has": min(has, ANY_TOTAL), "target": self.house.head_target}

    def _tell_after_bell(self, found: Findings) -> None:
        """BUN-12: rolls after the bell, at all tables."""
        rows, ruling = self.rows, found["BUN-12"]
        rung = np.full(int(rows.slot.max(initial=-1)) + 2, len(rows), dtype=np.int64)
        for one in self.rounds.values():
            if one.rung >= 0:
                rung[one.slot] = one.rung
        rolled = self.turns.played
        belled = rolled & (rung[rows.slot] < len(rows))
        late = belled & (np.arange(len(rows)) > rung[rows.slot])
        if self.house.seq_by_table:
            elsewhere = belled & (self.seating.table != HEAD)
            belled, late = belled & ~elsewhere, late & ~elsewhere
            ruling.applies |= elsewhere
            ruling.breach[elsewhere] = UNKNOWN
        unlogged = rolled & ~belled & (not self.house.bells_logged)
        ruling.applies |= belled | unlogged
        ruling.breach[unlogged] = UNKNOWN
        ruling.unlogged[unlogged] = True
        for row in np.flatnonzero(late).tolist():
            allowed = self._finishes_turn(row)
            if allowed == NO:
                self.after_bell[row] = True
                line = _LINES[REACHED, "roll after the bell"]
                ruling.breached(row, line.finding, bell=int(rows.seq[rung[rows.slot[row]]]))
            elif allowed == UNKNOWN:
                ruling.open(row, quiet=True)

    def _finishes_turn(self, row: int) -> int:
        """The house lets a turn be finished that was on when the bell rang, and the roll is one of that turn."""
        if not self.house.finish_turn or self.seating.table[row] == HEAD:
            return NO
        before = int(self.turns.last[row])
        if before < 0 or self.after_bell[before] or self.rows.player[before] != self.rows.player[row]:
            return NO
        return int(self.rolls.keeps[before])
