"""The draw, the rounds and the seats (BUN-02, BUN-03, BUN-24)."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rules.bunco.columns import DRAW, ROLL, SEAT
from rules.bunco.judged import Findings
from rules.bunco.rows import NO, UNKNOWN, YES, Rows
from rules.bunco.seats import Seat, Seating
from rules.bunco.turns import Turns


def judge_rounds(found: Findings, rows: Rows) -> None:
    """BUN-03: a roll belongs to a round of the game, and rounds follow each other."""
    rolls = (rows.kind == ROLL) & (rows.known_round > UNKNOWN)
    ruling = found["BUN-03"]
    recorded = {"recorded": rows.known_round, "around": rows.played}
    beyond = rolls & rows.beyond & ~rows.lone & ~rows.backward
    first = np.zeros(len(rows), dtype=bool)
    places = np.flatnonzero(beyond)
    first[places[np.unique(rows.slot[places], return_index=True)[1]]] = True
    breach = np.where(beyond & first, YES, NO).astype(np.int8)
    ruling.columns(rolls & rows.lone, np.full(len(rows), YES, dtype=np.int8), "lone", recorded)
    ruling.columns(rolls & rows.backward, np.full(len(rows), YES, dtype=np.int8), "backward", recorded)
    ruling.columns(rolls & ~(beyond & ~first), breach, "beyond", recorded)


def first_rounds(rows: Rows) -> list[int]:
    """The slot of the first round of each game; -1 where no round is known."""
    firsts = []
    for low, high in rows.games:
        slots = rows.slot[low:high]
        slots = slots[(slots >= 0) & (rows.kind[low:high] != DRAW)]
        firsts.append(int(slots.min()) if len(slots) else UNKNOWN)
    return firsts


def judge_draw(found: Findings, rows: Rows, seating: Seating) -> set[int]:
    """BUN-02: tables of equal size by a draw of cards. Gives the rounds at whose start table sizes differ."""
    ruling = found["BUN-02"]
    unequal: set[int] = set()
    for (low, high), slot in zip(rows.games, first_rounds(rows), strict=True):
        seats = seating.seats.get(slot, {})
        draws = low + np.flatnonzero(rows.kind[low:high] == DRAW)
        cards: dict[int, int] = {}
        for row in draws.tolist():
            if rows.card[row] >= 0:
                cards.update(dict.fromkeys(rows.people(row), int(rows.card[row])))
        sizes = {t: len(seat.people) for t, seat in sorted(seats.items())} or dict(
            sorted(Counter(cards.values()).items())
        )
        if sizes:
            found.game_wide[low] = sizes
            if len(set(sizes.values())) > 1:
                unequal.add(slot)
        for seat in seats.values():
            elsewhere = [player for player in seat.people if cards.get(player, seat.table) != seat.table]
            if elsewhere:
                ruling.breached(
                    seat.row,
                    "seat",
                    people=rows.players.said((elsewhere[0],)),
                    card=cards[elsewhere[0]],
                    table=seat.table,
                )
            elif any(player in cards for player in seat.people):
                ruling.tested(seat.row)
    return unequal


def judge_seats(found: Findings, rows: Rows, seating: Seating, unequal: set[int]) -> None:
    """BUN-24: every seat row seats two teams, and nobody sits twice."""
    ruling = found["BUN-24"]
    for slot, seats in seating.seats.items():
        taken: dict[int, Seat] = {}
        for seat in sorted(seats.values(), key=lambda seat: seat.row):
            ruling.tested(seat.row)
            twice = [player for player, times in Counter(seat.people).items() if times > 1]
            other = [player for player in seat.people if player in taken]
            if twice:
                ruling.breached(seat.row, "sits_twice", people=rows.players.said((twice[0],)), table=seat.table)
            elif other:
                ruling.breached(
                    seat.row,
                    "two_tables",
                    people=rows.players.said((other[0],)),
                    other=taken[other[0]].table,
                    table=seat.table,
                )
            elif slot not in unequal and len(seat.people) != rows.house.players_per_table:
                ruling.breached(
                    seat.row, "size", size=len(seat.people), table=seat.table, due=rows.house.players_per_table
                )
            taken.update(dict.fromkeys(seat.people, seat))
    first = {(slot, seat.table): seat.row for slot, seats in seating.seats.items() for seat in seats.values()}
    for row in np.flatnonzero((rows.kind == SEAT) & (rows.slot >= 0) & (rows.table >= 0)).tolist():
        if first.get((int(rows.slot[row]), int(rows.table[row])), row) != row:
            ruling.breached(row, "second_seats", table=int(rows.table[row]))


def judge_strangers(found: Findings, turns: Turns) -> None:
    """BUN-24: who rolls at a table sits there."""
    rows, rolls, seating = turns.rows, turns.rolls, turns.seating
    asked = rolls.is_roll & (seating.spot >= 0) & (rows.player >= 0)
    breach = np.where(seating.known, np.where(turns.stranger, YES, NO), UNKNOWN).astype(np.int8)
    found["BUN-24"].columns(asked, breach, "stranger", {"table": seating.table})
    found["BUN-24"].quiet |= asked & ~seating.known
    found["BUN-24"].unlogged |= asked & ~seating.known & ~rows.logged.kind(SEAT)
