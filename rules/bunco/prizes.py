"""The prizes at the end: when they may be given, and to whom (BUN-21, BUN-22, BUN-23)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from rules.bunco.bells import Bells
from rules.bunco.columns import BELL, BUNCOS, FIRST_BUNCO, HEAD, HIGHEST, LOSSES, PRIZE, RESULT, WINS, WIPEOUTS
from rules.bunco.judged import Findings
from rules.bunco.results import Results
from rules.bunco.rolls import WIPEOUT
from rules.bunco.rows import NO, UNKNOWN, YES, Bools, Ints, Rows
from rules.bunco.turns import Turns

#: More than any roll is worth, for one of which nothing is known.
_UNKNOWN_ROLL = 1 << 20


@dataclass
class Tally:
    """What each player has of one category: the least and the most that the log allows.

    ``anybody``: so much more may be anyone's, from rolls that name no player. ``unknown``: rows are missing, so that
    anybody may have more. ``logged``: the log can show it at all.
    """

    least: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    most: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    unknown: bool = False
    logged: bool = True
    anybody: int = 0

    def add(self, player: int, least: int, most: int) -> None:
        """So much more for one player."""
        self.least[player] += least
        self.most[player] += most

    @property
    def best(self) -> list[int]:
        """Players who have the most by what is sure; nobody, if nobody has anything."""
        top = max(self.least.values(), default=0)
        return sorted(player for player, has in self.least.items() if has == top) if top > 0 else []

    def deserved_by(self, player: int) -> int:
        """Whether the player is one of the best: yes, no, or not known."""
        if self.unknown:
            return UNKNOWN
        others_least = max((has for who, has in self.least.items() if who != player), default=0)
        others_most = max((has for who, has in self.most.items() if who != player), default=0)
        others_most += self.anybody
        least, most = self.least.get(player, 0), self.most.get(player, 0) + self.anybody
        if most <= 0 or most < others_least:
            return NO
        return YES if least > 0 and least >= others_most else UNKNOWN


class Evening:
    """The tallies of one game, rows ``low`` to ``high``. ``optional``: rolls that sheets may count or leave out."""

    def __init__(self, turns: Turns, results: Results, optional: Bools, low: int, high: int) -> None:
        self.turns, self.results, self.optional = turns, results, optional
        self.rows, self.rolls = turns.rows, turns.rolls
        self.low, self.high = low, high
        self.gap = bool(self.rows.stretch[low] != self.rows.stretch[high - 1])

    def tally(self, category: int) -> Tally:
        """What each player has of the category."""
        match_ = {HIGHEST: self._highest, WINS: self._rounds, LOSSES: self._rounds, FIRST_BUNCO: self._first_bunco}
        return match_[category](category) if category in match_ else self._counted(category)

    def _rolled(self, where: Bools | None = None) -> list[int]:
        """Rolls of somebody, all or those of ``where``; those of nobody may be anyone's."""
        here = slice(self.low, self.high)
        mask = self.rolls.is_roll[here] & (self.rows.player[here] >= 0)
        rows = self.low + np.flatnonzero(mask if where is None else mask & where[here])
        return rows.tolist()

    def _of_nobody(self, worth: Ints) -> int:
        """The sum of what rolls are worth that name no player."""
        here = slice(self.low, self.high)
        nameless = self.rolls.is_roll[here] & (self.rows.player[here] < 0)
        return int(np.maximum(worth[here], 0)[nameless].sum())

    def _highest(self, category: int) -> Tally:
        """Own rolls over all rounds, net of wipeouts."""
        rolls, tally = self.rolls, Tally(unknown=self.gap, logged=not self.rows.house.results_only)
        rolled = np.array(self._rolled(), dtype=np.int64)
        least, most = self._worth(rolled)
        if self.rows.house.wipeout:
            self._net_of_wipeouts(tally, rolled.tolist(), least.tolist(), most.tolist())
        else:
            people, who = np.unique(self.rows.player[rolled], return_inverse=True)
            sums = [
                np.bincount(who, weights=column, minlength=len(people)).astype(np.int64) for column in (least, most)
            ]
            for player, low, high in zip(people.tolist(), sums[0].tolist(), sums[1].tolist(), strict=True):
                tally.add(player, low, high)
        tally.anybody = self._of_nobody(np.maximum(rolls.as_logged, rolls.as_due))
        return tally

    def _worth(self, rolled: Ints) -> tuple[Ints, Ints]:
        """The least and the most that each roll can be worth."""
        rolls = self.rolls
        logged, due = rolls.as_logged[rolled], rolls.as_due[rolled]
        least, most = np.minimum(logged, due), np.maximum(logged, due)
        may_not_count = self.optional[rolled] | ~self.turns.played[rolled]
        least = np.where(may_not_count, np.minimum(least, 0), least)
        most = np.where(may_not_count, np.maximum(most, 0), most)
        return least, np.where(rolls.worth_known[rolled], most, _UNKNOWN_ROLL)

    def _net_of_wipeouts(self, tally: Tally, rolled: list[int], least: list[int], most: list[int]) -> None:
        """Round by round, since a wipeout takes what the player (or the team) has made of the round so far."""
        rows, rolls = self.rows, self.rolls
        in_round: dict[tuple[int, int], tuple[int, int]] = {}
        for row, low, high in zip(rolled, least, most, strict=True):
            slot, player = int(rows.slot[row]), int(rows.player[row])
            if rolls.row[row] == WIPEOUT:
                sure = not self.optional[row]
                for one in (player, *self._partners(row)):
                    a, b = in_round.get((slot, one), (0, 0))
                    in_round[slot, one] = (0, 0) if sure else (min(a, 0), max(b, 0))
            else:
                a, b = in_round.get((slot, player), (0, 0))
                if not rolls.dice_known[row]:  # it may have been a wipeout
                    a, low = min(a, 0), min(low, 0)
                in_round[slot, player] = (a + low, b + high)
        for (_, player), (low, high) in in_round.items():
            tally.add(player, low, high)

    def _partners(self, row: int) -> list[int]:
        """Whose points a wipeout takes besides the player's: those of the team, where the house has it so."""
        seats = self.turns.seating.seats.get(int(self.rows.slot[row]), {})
        seat = seats.get(int(self.turns.seating.table[row]))
        if self.rows.house.wipeout_scope != "team" or seat is None:
            return []
        player = int(self.rows.player[row])
        return sorted(one for team in seat.teams if player in team for one in team if one != player)

    def _counted(self, category: int) -> Tally:
        """How often a player rolled a bunco, or a wipeout."""
        tally = Tally(unknown=self.gap, logged=not self.rows.house.results_only)
        could_be = self.rolls.counts_as_bunco if category == BUNCOS else self.rolls.wipeout
        for row in self._rolled(could_be != NO):
            sure = could_be[row] == YES and not self.optional[row] and not self.rows.beyond[row]
            tally.add(int(self.rows.player[row]), int(sure), 1)
        tally.anybody = self._of_nobody(could_be != NO)
        return tally

    def _first_bunco(self, category: int) -> Tally:
        """Who rolled the first bunco: with a number for each table, one of those of the first round that has any."""
        tally = Tally(unknown=self.gap, logged=not self.rows.house.results_only)
        by_table = self.rows.house.seq_by_table
        seen_round, tables = UNKNOWN, set[int]()
        rolled = self._rolled(self.rolls.counts_as_bunco != NO)
        if by_table:
            rolled.sort(key=lambda row: int(self.rows.played[row]))
        for row in rolled:
            told = int(self.rolls.counts_as_bunco[row])
            player, table = int(self.rows.player[row]), int(self.turns.seating.table[row])
            if seen_round >= 0 and (not by_table or self.rows.played[row] != seen_round):
                break
            if table in tables:
                continue
            tally.most[player] = 1
            if told == YES and not self.optional[row]:
                tables.add(table)
                seen_round = int(self.rows.played[row])
        tally.anybody = self._of_nobody(self.rolls.counts_as_bunco != NO)
        if len(tally.most) == 1 and not tally.anybody and seen_round >= 0:
            tally.least[next(iter(tally.most))] = 1
        return tally

    def _rounds(self, category: int) -> Tally:
        """Round wins or losses by the results."""
        tally = Tally(unknown=self.gap)
        logged = False
        slots = np.unique(self.rows.slot[self.low : self.high])
        for slot in slots[slots >= 0].tolist():
            for one in self.results.tables.get(slot, {}).values():
                logged |= one.row >= 0 or one.winner >= 0
                for number, team in enumerate(one.teams):
                    won = one.won(number)
                    wanted = category == WINS
                    for player in team:
                        tally.add(player, int(won == {wanted}), int(wanted in won))
        tally.logged = logged
        return tally


def complete_from(rows: Rows, bells: Bells | None, low: int, high: int) -> tuple[int, bool]:
    """The row from which the last round of a game is complete (past the end: never), and whether that is sure."""
    last = rows.house.last_round
    in_last = rows.played[low:high] >= last
    done = rows.kind[low:high] == RESULT
    if bells is not None:
        early = {row for one in bells.rounds.values() for row in one.early}
        rung = (rows.kind[low:high] == BELL) & (bells.bell_table[low:high] == HEAD)
        rung &= ~np.isin(np.arange(low, high), list(early))
        done |= rung
    places = np.flatnonzero(in_last & done)
    first = low + int(places[0]) if len(places) else high
    before = np.flatnonzero((rows.played[low:high] >= 0) & (rows.played[low:high] < last))
    since = low + int(before[-1]) if len(before) else low
    gap = rows.stretch[since] != rows.stretch[high - 1] or rows.stretch[low] != rows.stretch[since]
    silent = not rows.house.bells_logged and bool(in_last.any()) and not bool(rows.logged.kind(RESULT)[low])
    return first, not (gap or silent)


def judge_prizes(
    found: Findings, turns: Turns, results: Results, bells: Bells | None, optional: Bools
) -> dict[int, Tally]:
    """Hold every prize against the log; gives the tally behind each prize row."""
    rows = turns.rows
    tallies: dict[int, Tally] = {}
    for low, high in rows.games:
        prizes = low + np.flatnonzero(rows.kind[low:high] == PRIZE)
        if not len(prizes):
            continue
        evening = Evening(turns, results, optional, low, high)
        complete, sure = complete_from(rows, bells, low, high)
        by_category: dict[int, Tally] = {}
        for row in prizes.tolist():
            early = complete >= high if rows.house.seq_by_table else complete > row
            if early and sure:
                found["BUN-21"].breached(row, "early", last=rows.house.last_round)
                continue
            if early:
                found["BUN-21"].open(row, quiet=True)
            else:
                found["BUN-21"].tested(row)
            category = int(rows.category[row])
            if category >= 0:
                by_category.setdefault(category, evening.tally(category))
                tallies[row] = by_category[category]
            _judge_prize(found, rows, row, category, by_category.get(category))
    return tallies


def _judge_prize(found: Findings, rows: Rows, row: int, category: int, tally: Tally | None) -> None:
    ruling, player = found["BUN-22"], int(rows.player[row])
    if category == WIPEOUTS and not rows.house.wipeout:
        ruling.breached(row, "impossible")
        return
    if tally is None or player < 0:
        column = "category" if tally is None else "player"
        ruling.open(row, unlogged=not bool(rows.logged.column(PRIZE, column)[row]))
        return
    if not tally.logged:
        ruling.open(row, unlogged=True)
        return
    deserved = tally.deserved_by(player)
    if deserved == NO:
        best = tally.best
        phrase = "wrong" if best else "not_earned" if max(tally.most.values(), default=0) > 0 else "nobody"
        has = tally.most.get(player, 0)
        fields = {"best": rows.players.said(tuple(best)), "has": has, "most": max(tally.least.values(), default=0)}
        ruling.breached(row, phrase, **fields)
        return
    if deserved == UNKNOWN:
        quiet = not (category == FIRST_BUNCO and rows.house.seq_by_table)
        ruling.open(row, quiet=quiet)
    else:
        ruling.tested(row)
    if rows.value_known[row] and category != FIRST_BUNCO and not rows.house.results_only:
        least, most = tally.least.get(player, 0), tally.most.get(player, 0) + tally.anybody
        value = int(rows.value[row])
        if tally.unknown:
            found["BUN-23"].open(row, quiet=True)
        elif least <= value <= most:
            found["BUN-23"].tested(row)
        else:
            found["BUN-23"].breached(
                row, "prize", written=value, sums=str(least) if least == most else f"{least}–{most}"
            )
