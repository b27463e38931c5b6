"""Who won at each table: scores against the sums of the rolls, ties and roll-offs (BUN-13, BUN-14, BUN-23, BUN-24)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np

from rules.bunco.columns import RESULT, ROLL, ROLLOFF, SEAT
from rules.bunco.judged import Findings
from rules.bunco.rows import UNKNOWN, Rows
from rules.bunco.seats import Seating
from rules.bunco.sums import Sums, Totals

Team = frozenset[int]


@dataclass
class Played:
    """One table in one round when it is over. ``winner``: 0 or 1 of ``teams``, ``either`` where the scores name the
    other one; ``possible``: the totals that each of the teams can have."""

    slot: int
    table: int
    teams: tuple[Team, Team]
    row: int = UNKNOWN
    winner: int = UNKNOWN
    either: bool = False
    possible: tuple[Totals | None, Totals | None] = (None, None)
    rolloffs: list[int] = field(default_factory=list)

    def won(self, team: int) -> set[bool]:
        """Whether the team won, as far as it is known: one answer or both."""
        return {True, False} if self.either or self.winner < 0 else {self.winner == team}


def compared(first: Totals | None, second: Totals | None) -> set[int]:
    """How two teams can stand to each other: 1 the first has more, 0 they tie, -1 it has less; empty: not known."""
    if first is None or second is None:
        return set()
    return {(a > b) - (a < b) for a, b in product(first, second)}


class Results:
    """The results of all tables and rounds."""

    def __init__(self, rows: Rows, seating: Seating, sums: Sums | None, found: Findings) -> None:
        self.rows = rows
        self.seating = seating
        self.sums = sums
        self.found = found
        self.tables: dict[int, dict[int, Played]] = {}
        self._read()

    def _read(self) -> None:
        """Take in result and roll-off rows; what is wrong with who stands in them is BUN-24."""
        rows, ruling = self.rows, self.found["BUN-24"]
        rolloffs: dict[tuple[int, int], list[int]] = {}
        for row in np.flatnonzero((rows.kind == ROLLOFF) & (rows.slot >= 0)).tolist():
            rolloffs.setdefault((int(rows.slot[row]), self._table_of(row)), []).append(row)
        seen: dict[int, dict[int, int]] = {}
        for row in np.flatnonzero((rows.kind == RESULT) & (rows.slot >= 0)).tolist():
            slot, table = int(rows.slot[row]), self._table_of(row)
            if table < 0:
                self.found["BUN-13"].open(row)
                continue
            ruling.tested(row)
            if table in self.tables.get(slot, {}):
                ruling.breached(row, "second_result", table=table)
                continue
            one = self._of_row(row, slot, table)
            self.tables.setdefault(slot, {})[table] = one
            one.rolloffs = rolloffs.pop((slot, table), [])
            self._where_they_sit(one, seen.setdefault(slot, {}))
        for (slot, table), left in rolloffs.items():
            seat = self.seating.seats.get(slot, {}).get(table)
            if table >= 0:
                teams = seat.teams if seat else (frozenset[int](), frozenset[int]())
                one = Played(slot, table, teams, rolloffs=left, possible=self._sums_at(left[0], slot, table, teams))
                self.tables.setdefault(slot, {})[table] = one
        self._add_tables_without_result()

    def _add_tables_without_result(self) -> None:
        """A table without a result row: the rolls say who won, if they do."""
        for slot, seats in self.seating.seats.items():
            for table, seat in seats.items():
                if table not in self.tables.get(slot, {}):
                    one = Played(slot, table, seat.teams)
                    if self.sums is not None:
                        spot = self.seating.spot[seat.row]
                        one.possible = self.sums.at_end(int(spot), self._last_stretch(slot))
                    self.tables.setdefault(slot, {})[table] = one
        for one in self.all:
            if one.row < 0:
                order = compared(*one.possible)
                if len(order) == 1 and 0 not in order:
                    one.winner = 0 if 1 in order else 1

    @cached_property
    def _stretches(self) -> dict[int, int]:
        """The stretch in which the last row of each slot stands."""
        return dict(zip(self.rows.slot.tolist(), self.rows.stretch.tolist(), strict=True))

    def _last_stretch(self, slot: int) -> int:
        return self._stretches[slot]

    @property
    def all(self) -> Iterator[Played]:
        """All tables of all rounds."""
        for tables in self.tables.values():
            yield from tables.values()

    def _table_of(self, row: int) -> int:
        """The table of a result or roll-off; where none is named, the one at which its winners sit."""
        table = int(self.rows.table[row])
        people = set(self.rows.people(row))
        if table >= 0 or not people:
            return table
        seats = self.seating.seats.get(int(self.rows.slot[row]), {})
        here = [seat.table for seat in seats.values() if people <= set(seat.people)]
        return here[0] if len(here) == 1 else UNKNOWN

    def _of_row(self, row: int, slot: int, table: int) -> Played:
        rows = self.rows
        winners, losers = frozenset(rows.people(row)), frozenset(rows.opponents(row))
        seat = self.seating.seats.get(slot, {}).get(table)
        teams = (winners, losers)
        winner = 0 if winners else UNKNOWN
        if seat is not None:
            named = [bool(winners) and winners <= team for team in seat.teams]
            if any(named):
                winner = named.index(True)
                teams = seat.teams
            elif losers and any(losers <= team for team in seat.teams) and not winners:
                winner = 1 if losers <= seat.teams[0] else 0
                teams = seat.teams
        return Played(slot, table, teams, row, winner, possible=self._sums_at(row, slot, table, teams))

    def _sums_at(
        self, row: int, slot: int, table: int, teams: tuple[Team, Team]
    ) -> tuple[Totals | None, Totals | None]:
        seat = self.seating.seats.get(slot, {}).get(table)
        if self.sums is None or seat is None or teams != seat.teams:
            return None, None
        return self.sums.at_end(int(self.seating.spot[seat.row]), int(self.rows.stretch[row]))

    def _where_they_sit(self, one: Played, seen: dict[int, int]) -> None:
        """BUN-24: the teams of a result sit at its table, and nobody is in two teams or at two tables."""
        rows, ruling, row = self.rows, self.found["BUN-24"], one.row
        winners, losers = frozenset(rows.people(row)), frozenset(rows.opponents(row))
        said = rows.players.said
        if winners & losers:
            ruling.breached(row, "both_teams", people=said(tuple(sorted(winners & losers))))
        twice = [player for player in (*rows.people(row), *rows.opponents(row)) if player in seen]
        if twice:
            ruling.breached(row, "two_tables", people=said((twice[0],)), other=seen[twice[0]], table=one.table)
        seat = self.seating.seats.get(one.slot, {}).get(one.table)
        if seat is not None:
            for team in (winners, losers):
                if team and not any(team <= seated for seated in seat.teams):
                    ruling.breached(row, "not_a_team", people=said(tuple(sorted(team))), table=one.table)
            if winners and winners <= seat.teams[0] | seat.teams[1] and losers and winners | losers <= seat.teams[0]:
                ruling.breached(row, "not_a_team", people=said(tuple(sorted(losers))), table=one.table)
        for player in winners | losers:
            seen.setdefault(player, one.table)

    # Judging

    def judge(self) -> None:
        """BUN-13, BUN-14 and BUN-23 of every result and roll-off."""
        for one in self.all:
            if one.row >= 0:
                self._judge_result(one)
            self._judge_rolloffs(one)

    def _sheet(self, one: Played) -> tuple[Totals | None, Totals | None]:
        """Scores as written down, winners first."""
        rows, row = self.rows, one.row
        own = frozenset({int(rows.score[row])}) if rows.score_known[row] else None
        theirs = frozenset({int(rows.opponent_score[row])}) if rows.opponent_score_known[row] else None
        return own, theirs

    def _possible(self, one: Played) -> tuple[Totals | None, Totals | None]:
        """Totals that the winners and the losers can have: the sums of the rolls and, where it differs, the sheet."""
        sums = one.possible if one.winner == 0 else one.possible[::-1]
        sheet = self._sheet(one)
        both = [s if w is None else (w if s is None else s | w) for s, w in zip(sums, sheet, strict=True)]
        return both[0], both[1]

    def _judge_result(self, one: Played) -> None:
        rows, row = self.rows, one.row
        self._judge_sums(one)
        winners, losers = self._possible(one)
        order = compared(winners, losers) if one.winner >= 0 else set()
        ruling = self.found["BUN-13"]
        if order == {-1}:
            ruling.breached(row, "wrong_winner", has=max(winners or {0}), other=max(losers or {0}))
            one.either = True
        elif not order:
            recorded = rows.logged.column(RESULT, "score") & rows.logged.column(RESULT, "opponent_score")
            rolled = rows.logged.kind(ROLL) & rows.logged.kind(SEAT)
            ruling.open(row, unlogged=not bool((recorded | rolled)[row]))
        elif len(order) > 1:
            ruling.open(row, quiet=True)
            one.either = -1 in order
        else:
            ruling.tested(row)
        if order == {0}:
            self._judge_tie(one)

    def _judge_sums(self, one: Played) -> None:
        """BUN-23: the scores on the sheet are the sums of the rolls."""
        rows, row, ruling = self.rows, one.row, self.found["BUN-23"]
        if rows.house.results_only:
            return
        sums = one.possible if one.winner == 0 else one.possible[::-1]
        for possible, written in zip(sums, self._sheet(one), strict=True):
            if written is None:
                continue
            if possible is None:
                ruling.open(row, quiet=True)
            elif not written <= possible:
                ruling.breached(row, "result", written=next(iter(written)), sums=_said(possible))
            else:
                ruling.tested(row)

    def _judge_tie(self, one: Played) -> None:
        """BUN-14: a tie is settled by one roll-off, and its winner is the recorded one."""
        rows, row, ruling = self.rows, one.row, self.found["BUN-14"]
        decided = [rolloff for rolloff in one.rolloffs if rows.who[rolloff] >= 0]
        score = rows.score[row] if rows.score_known[row] else max(one.possible[0] or {0})
        if not decided:
            gap = self._gap_near(one)
            if not rows.house.rolloffs_logged or gap:
                ruling.open(row, quiet=True, unlogged=not rows.house.rolloffs_logged)
            else:
                ruling.breached(row, "tie_no_rolloff", score=int(score))
        elif len(decided) > 1:
            ruling.breached(row, "tie_rolloffs", score=int(score), number=len(decided))
        else:
            winners = set(rows.people(decided[0]))
            recorded = set(one.teams[one.winner]) | set(rows.people(row))
            if winners <= recorded:
                ruling.tested(row)
            else:
                ruling.breached(row, "rolloff_winner", people=rows.players.said(rows.people(decided[0])))

    def _gap_near(self, one: Played) -> bool:
        """Rows may be missing between the table's last roll and the next round."""
        rows = self.rows
        first = one.row
        start = int(rows.game_start[one.row])
        while first > start and rows.kind[first] != ROLL:
            first -= 1
        last = one.row
        while (
            last + 1 < len(rows) and rows.game[last + 1] == rows.game[one.row] and rows.kind[last] not in (ROLL, SEAT)
        ):
            last += 1
        return bool(rows.stretch[first] != rows.stretch[last])

    def _judge_rolloffs(self, one: Played) -> None:
        """BUN-14: where one team has more, there is nothing to settle; found on the row of the roll-off."""
        rows, ruling = self.rows, self.found["BUN-14"]
        order = compared(*(self._possible(one) if one.row >= 0 else one.possible))
        for row in one.rolloffs:
            if rows.who[row] < 0:
                continue
            if not order:
                ruling.open(row, quiet=one.row >= 0, unlogged=not rows.logged.kind(RESULT)[row])
            elif 0 in order:
                ruling.tested(row)
            else:
                ruling.breached(row, "rolloff_no_tie")


def _said(totals: Totals) -> str:
    return " / ".join(str(total) for total in sorted(totals))
