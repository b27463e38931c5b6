"""What an evening comes to by the dice: corrected totals, winners and bell, apart from findings (spec §5)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rules.bunco.columns import BELL, HEAD, MOVE
from rules.bunco.evening import Judged
from rules.bunco.results import Played
from rules.bunco.rolls import WIPEOUT
from rules.bunco.rows import UNKNOWN

Team = tuple[int, ...]


@dataclass
class Side:
    """One team at one table in one round. ``written``: its score as recorded, ``due``: by the dice, as far as known.

    ``goes``: the tables at which its players are in the next round.
    """

    people: Team
    written: int | None = None
    due: int | None = None
    won: bool | None = None
    goes: tuple[int, ...] = ()


@dataclass
class TableRound:
    """One table in one round."""

    round: int
    table: int
    sides: list[Side]

    @property
    def by_the_dice(self) -> int:
        """Which side has more by the dice: 0 or 1; -1 where they tie or it is not known."""
        first, second = (side.due for side in self.sides)
        if first is None or second is None or first == second:
            return UNKNOWN
        return 0 if first > second else 1

    @property
    def recorded(self) -> int:
        """The side that is written down as winner, -1 where none is."""
        return next((n for n, side in enumerate(self.sides) if side.won), UNKNOWN)


@dataclass
class HeadLine:
    """The head table's running totals in one round: one pair of totals a roll, as written down and by the dice.

    ``rung``: after how many rolls the first bell at the head table was rung, -1 never; ``bell`` its number in the log.
    ``reached``: after how many rolls a team had its points by the dice, -1 never; ``reached_by``: that roll's number.
    """

    round: int
    written: list[tuple[int, int]] = field(default_factory=list)
    due: list[tuple[int, int]] = field(default_factory=list)
    rung: int = UNKNOWN
    bell: int = UNKNOWN
    reached: int = UNKNOWN
    reached_by: int = UNKNOWN
    target: int = 0


@dataclass
class Shown:
    """One evening as the report shows it."""

    tables: list[TableRound]
    head: list[HeadLine]


def shown(judged: Judged, low: int, high: int) -> Shown:
    """The evening in rows ``low`` to ``high``."""
    rows = judged.rows
    slots = [int(s) for s in np.unique(rows.slot[low:high]) if s >= 0]
    tables, head = [], []
    for slot in slots:
        first = low + int(np.flatnonzero(rows.slot[low:high] == slot)[0])
        number = int(rows.played[first])
        for table, one in sorted(judged.results.tables.get(slot, {}).items()):
            tables.append(_table_round(judged, one, slot, number, table))
        line = _head_line(judged, slot, number)
        if line.written:
            head.append(line)
    return Shown(tables, head)


def _table_round(judged: Judged, one: Played, slot: int, number: int, table: int) -> TableRound:
    rows = judged.rows
    running = _running(judged, slot, table, one.teams)
    seat = judged.turns.seating.seats.get(slot, {}).get(table)
    order = seat.people if seat else ()
    sides = []
    for place, team in enumerate(one.teams):
        people = tuple(sorted(team, key=lambda player: order.index(player) if player in order else player))
        side = Side(people)
        if running:
            side.written, side.due = running[-1][0][place], running[-1][1][place]
        if one.row >= 0:
            own = place == one.winner
            known = rows.score_known[one.row] if own else rows.opponent_score_known[one.row]
            if known:
                side.written = int(rows.score[one.row] if own else rows.opponent_score[one.row])
        if one.winner >= 0:
            side.won = place == one.winner
        side.goes = _goes(judged, slot, table, team)
        sides.append(side)
    return TableRound(number, table, sides)


def _goes(judged: Judged, slot: int, table: int, team: frozenset[int]) -> tuple[int, ...]:
    """Where the players of a team are in the next round: by its seats, else by the moves; nowhere after the last."""
    seats = judged.movement.next_seats(slot)
    seen = sorted({number for number, seat in seats.items() if team & set(seat.people)})
    if seen:
        return tuple(seen)
    moves = judged.movement.moves.get(slot, [])
    rows = judged.rows
    for row in moves:
        if rows.kind[row] == MOVE and team & set(rows.people(row)) and rows.to_table[row] >= 0:
            return (int(rows.to_table[row]),)
    return (table,) if moves else ()


Pair = tuple[int, int]


def _running(
    judged: Judged, slot: int, table: int, teams: tuple[frozenset[int], frozenset[int]]
) -> list[tuple[Pair, Pair, int]]:
    """Totals of both teams after each roll of a table, as written down and by the dice, with the roll's row."""
    rows, rolls = judged.rows, judged.turns.rolls
    spot = judged.turns.seating.spot
    order = judged.turns.order
    own_rolls = order[(rows.slot[order] == slot) & (judged.turns.seating.table[order] == table)]
    if not len(own_rolls) or spot[own_rolls[0]] < 0:
        return []
    written, due = [0, 0], [0, 0]
    own: dict[int, list[int]] = {}
    running = []
    for row in own_rolls.tolist():
        player = int(rows.player[row])
        team = next((n for n, people in enumerate(teams) if player in people), UNKNOWN)
        if team < 0 or judged.optional[row]:
            continue
        if rolls.row[row] == WIPEOUT:
            losers = teams[team] if rows.house.wipeout_scope == "team" else {player}
            for loser in losers:
                has = own.pop(loser, [0, 0])
                written[team] -= has[0]
                due[team] -= has[1]
        has = own.setdefault(player, [0, 0])
        for totals, worth in ((written, int(rolls.as_logged[row])), (due, int(rolls.as_due[row]))):
            totals[team] += worth
        has[0] += int(rolls.as_logged[row])
        has[1] += int(rolls.as_due[row])
        if rows.total_known[row]:
            written[team] = int(rows.total[row])
        running.append(((written[0], written[1]), (due[0], due[1]), row))
    return running


def _head_line(judged: Judged, slot: int, number: int) -> HeadLine:
    rows = judged.rows
    line = HeadLine(number, target=rows.house.head_target)
    one = judged.results.tables.get(slot, {}).get(HEAD)
    if one is None or judged.bells is None:
        return line
    running = _running(judged, slot, HEAD, one.teams)
    line.written = [pair for pair, _, _ in running]
    line.due = [pair for _, pair, _ in running]
    for place, (_, pair, row) in enumerate(running):
        if max(pair) >= line.target:
            line.reached, line.reached_by = place + 1, int(rows.seq[row])
            break
    rung = np.flatnonzero((rows.kind == BELL) & (rows.slot == slot) & (judged.bells.bell_table == HEAD))
    if len(rung):
        line.rung = sum(row < rung[0] for _, _, row in running)
        line.bell = int(rows.seq[rung[0]])
    return line
