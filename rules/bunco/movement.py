"""Who goes where after a round, and whether two teams stand at every table then (BUN-15, BUN-16, BUN-24)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rules.bunco.columns import HEAD, MOVE, RESULT, ROLL, SEAT
from rules.bunco.judged import Findings
from rules.bunco.results import Results, Team
from rules.bunco.rows import UNKNOWN, Rows
from rules.bunco.seats import Seat, Seating
from rules.bunco.tables import destination, movement_rule


@dataclass
class Standing:
    """A team when a round is over: its table, whether it won (both answers where nobody knows), and where it went.

    ``due``: the tables that are right for it. ``rule``: the clause that sends it on. ``row``: its move row. ``went``:
    the table that this names, or that the next round's seats prove. ``seen``: the tables at which its players sit then.
    """

    team: Team
    table: int
    won: set[bool]
    due: set[int]
    rule: str
    row: int = UNKNOWN
    went: int = UNKNOWN
    seen: set[int] = field(default_factory=set)


class Movement:
    """Moves after each round but the last, against results, seats and the scheme that the house plays."""

    def __init__(self, rows: Rows, seating: Seating, results: Results, found: Findings) -> None:
        self.rows = rows
        self.seating = seating
        self.results = results
        self.found = found

    @cached_property
    def moves(self) -> dict[int, list[int]]:
        """The move rows of each slot."""
        found: dict[int, list[int]] = {}
        for row in np.flatnonzero((self.rows.kind == MOVE) & (self.rows.slot >= 0)).tolist():
            found.setdefault(int(self.rows.slot[row]), []).append(row)
        return found

    @cached_property
    def _round_of(self) -> dict[int, int]:
        return dict(zip(self.rows.slot.tolist(), self.rows.played.tolist(), strict=True))

    @cached_property
    def _game_of(self) -> dict[int, int]:
        return dict(zip(self.rows.slot.tolist(), self.rows.game_start.tolist(), strict=True))

    @cached_property
    def _first_row(self) -> dict[int, int]:
        first: dict[int, int] = {}
        for row, slot in enumerate(self.rows.slot.tolist()):
            first.setdefault(slot, row)
        return first

    def next_seats(self, slot: int) -> dict[int, Seat]:
        """The seats of the round after ``slot`` by table, empty where the log has none."""
        seats = self.seating.seats.get(slot + 1, {})
        follows = self._round_of.get(slot + 1) == self._round_of[slot] + 1
        return seats if follows and self._game_of.get(slot + 1) == self._game_of[slot] else {}

    def judge(self) -> None:
        """Hold the moves after every round against the movement table."""
        for slot in sorted(set(self.results.tables) | set(self.moves)):
            if 0 < self._round_of[slot] < self.rows.house.last_round:
                self._judge_round(slot)

    def standings(self, slot: int) -> list[Standing]:
        """All teams that are known when the round is over."""
        rows, tables = self.rows, int(self.rows.number_of_tables[self._first_row[slot]])
        standings = []
        for table, one in sorted(self.results.tables.get(slot, {}).items()):
            for number, team in enumerate(one.teams):
                if team:
                    won = one.won(number)
                    due = {destination(rows.house, tables, table, answer) for answer in won}
                    rule = movement_rule(table, one.winner != 1 - number)
                    standings.append(Standing(team, table, won, due, rule))
        return standings

    def _judge_round(self, slot: int) -> None:
        standings = self.standings(slot)
        moves = self.moves.get(slot, [])
        seats = self.next_seats(slot)
        for standing in standings:
            standing.seen = {table for table, seat in seats.items() if standing.team & set(seat.people)}
        for row in moves:
            self._judge_move(row, standings)
        if moves:
            self._judge_missing(moves[-1], standings)
            self._count_teams(moves[-1], standings)
            self._judge_seats_against_moves(standings, seats)
        elif seats:
            self._judge_by_seats(standings, seats)
        else:
            self._say_unknown(slot, standings)

    def _judge_move(self, row: int, standings: list[Standing]) -> None:
        rows, found = self.rows, self.found
        people, to_table, from_table = frozenset(rows.people(row)), int(rows.to_table[row]), int(rows.from_table[row])
        said = rows.players.said(rows.people(row))
        moving = [standing for standing in standings if people and people & standing.team]
        if not people or not moving:
            self._judge_unknown_team(row, people, standings)
            return
        if len(moving) > 1:
            found["BUN-24"].breached(row, "not_one_team", people=said)
            return
        (standing,) = moving
        found["BUN-24"].tested(row)
        if from_table >= 0 and from_table != standing.table:
            found["BUN-24"].breached(row, "from_elsewhere", people=said, table=standing.table, from_table=from_table)
        again = standing.row >= 0 and standing.went == to_table
        if standing.row < 0:
            standing.row, standing.went = row, to_table
        if again:
            return  # the partner's own row says the same
        ruling = found[standing.rule]
        if to_table < 0:
            ruling.open(row)
        elif to_table not in standing.due:
            ruling.breached(row, _phrase(standing), people=said, to=min(standing.due), went=to_table)
        elif len(standing.due) > 1 and len(standing.won) > 1:
            self._open_for_want_of_a_result(standing, row)
        else:
            ruling.tested(row)

    def _open_for_want_of_a_result(self, standing: Standing, row: int) -> None:
        slot = int(self.rows.slot[row])
        one = self.results.tables[slot][standing.table]
        ruling = self.found[standing.rule]
        if one.either:
            ruling.tested(row)  # after a wrong winner, moves may follow either
        else:
            ruling.open(row, quiet=one.row >= 0, unlogged=not bool(self.rows.logged.kind(RESULT)[row]))

    def _judge_unknown_team(self, row: int, people: Team, standings: list[Standing]) -> None:
        """A move of players of whom no table is known: strangers, if the teams of all tables are known."""
        rows, found = self.rows, self.found
        tables = int(rows.number_of_tables[row])
        full = Counter(standing.table for standing in standings)
        if people and all(full[table] == 2 for table in range(1, tables + 1)):
            found["BUN-24"].breached(row, "stranger_moves", people=rows.players.said(rows.people(row)))
            return
        code = "BUN-15" if rows.from_table[row] == HEAD else "BUN-16"
        unlogged = not bool((rows.logged.kind(RESULT) | (rows.logged.kind(ROLL) & rows.logged.kind(SEAT)))[row])
        found[code].open(row, unlogged=bool(people) and unlogged)

    def _judge_missing(self, row: int, standings: list[Standing]) -> None:
        """A team without a move row is taken to stay; the next round's seats prove a move that has none."""
        gap = self._gap(row)
        for standing in standings:
            if standing.row >= 0 or standing.table in standing.due:
                continue
            proven = bool(standing.seen) and standing.seen <= standing.due
            if proven:
                standing.went = next(iter(standing.seen))
                continue
            ruling = self.found[standing.rule]
            if gap:
                ruling.open(row, quiet=True)
            else:
                people = self.rows.players.said(tuple(sorted(standing.team)))
                ruling.breached(row, f"missing_{_phrase(standing)}", people=people, to=min(standing.due))
        for standing in standings:
            if standing.row < 0 and standing.table in standing.due:
                self.found[standing.rule].tested(row)

    def _gap(self, row: int) -> bool:
        """Rows may be missing near the moves of a round."""
        rows = self.rows
        first = last = row
        start = int(rows.game_start[row])
        while first > start and rows.kind[first] != ROLL:
            first -= 1
        while last + 1 < len(rows) and rows.game[last + 1] == rows.game[row] and rows.kind[last] not in (ROLL, SEAT):
            last += 1
        return bool(rows.stretch[first] != rows.stretch[last])

    def _count_teams(self, row: int, standings: list[Standing]) -> None:
        """BUN-24, whatever the scheme: after all moves every table holds two teams."""
        tables = int(self.rows.number_of_tables[row])
        before = Counter(standing.table for standing in standings)
        if any(before[table] != 2 for table in range(1, tables + 1)) or len(before) != tables:
            return  # not all teams are known, or a table was wrong already
        after: Counter[int] = Counter()
        for standing in standings:
            after[standing.went if standing.went >= 0 else standing.table] += 1
        wrong = {t: after[t] for t in sorted({*after, *range(1, tables + 1)}) if after[t] != 2}
        ruling = self.found["BUN-24"]
        if not wrong:
            ruling.tested(row)
        elif self._gap(row):
            ruling.open(row, quiet=True)
        else:
            ruling.breached(row, "counts", counts=wrong)

    def _judge_seats_against_moves(self, standings: list[Standing], seats: dict[int, Seat]) -> None:
        """BUN-24: a seat of the next round that contradicts the moves."""
        for standing in standings:
            stands = standing.went if standing.went >= 0 else standing.table
            missing = standing.row < 0 and standing.table not in standing.due
            for table in sorted(standing.seen - {stands}):
                seat = seats[table]
                if not missing:
                    people = tuple(sorted(standing.team & set(seat.people)))
                    self.found["BUN-24"].breached(
                        seat.row, "against_moves", people=self.rows.players.said(people), table=stands, sits=table
                    )

    def _judge_by_seats(self, standings: list[Standing], seats: dict[int, Seat]) -> None:
        """Without any move row the next round's seats show who went where."""
        for standing in standings:
            ruling = self.found[standing.rule]
            for table in sorted(standing.seen):
                row = seats[table].row
                if table not in standing.due:
                    people = self.rows.players.said(tuple(sorted(standing.team & set(seats[table].people))))
                    ruling.breached(row, _phrase(standing), people=people, to=min(standing.due), went=table)
                elif len(standing.due) > 1:
                    ruling.open(row, quiet=True)
                else:
                    ruling.tested(row)

    def _say_unknown(self, slot: int, standings: list[Standing]) -> None:
        """Neither moves nor seats, and the log goes on: where the teams went cannot be told."""
        rows = self.rows
        row = self._first_row.get(slot + 1, UNKNOWN)
        follows = self._round_of.get(slot + 1) == self._round_of[slot] + 1
        if row < 0 or not follows or self._game_of[slot + 1] != self._game_of[slot] or not standings:
            return
        if rows.number_of_tables[row] > 1:
            unlogged = not bool(rows.logged.kind(MOVE)[row])
            self.found["BUN-15"].open(row, quiet=bool(rows.stretch[row] != rows.stretch[row - 1]), unlogged=unlogged)
            self.found["BUN-16"].open(row, quiet=True, unlogged=unlogged)


def _phrase(standing: Standing) -> str:
    """What the team is: ``head_losers``, ``losers``, ``winners``, or ``team`` where its result is not known."""
    if standing.won == {False}:
        return "head_losers" if standing.table == HEAD else "losers"
    return "winners" if standing.won == {True} else "team"
