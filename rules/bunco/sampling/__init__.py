"""Synthetic logs of Bunco evenings: any number of tables, both variations, with the answer key of their errors."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from rules.bunco.columns import COLUMNS
from rules.bunco.games import house_of
from rules.bunco.options import House
from rules.bunco.sampling.blemish import Blemishes
from rules.bunco.sampling.plan import SCORER, Plan
from rules.bunco.sampling.play import Evening, Line
from rules.sampling import Answered, Sample

_TABLES = 3
_FIRST_EVENING = datetime(2026, 3, 6, 19, 30, tzinfo=UTC)
_NAMES = tuple(column.name for column in COLUMNS if not column.derived)
_SITE = "Parish hall"
_SHEET = ("result", "rolloff", "move", "prize")
_RULES_OF_SHEETS = ("BUN-13", "BUN-14", "BUN-15", "BUN-16", "BUN-21", "BUN-22", "BUN-24", "LOG-1", "LOG-2", "LOG-4")


def sample(request: Sample) -> Iterator[Answered]:
    """The log and its answers, one evening at a time. Raises ValueError where the house's options leave no evening."""
    house = house_of(request.house)
    if house.seq_by_table:
        raise ValueError("sample logs have one running number over all tables (seq_by_table)")
    if house.players_per_table % 2:
        raise ValueError("two teams of one size need an even number of players_per_table")
    tables = house.tables or _TABLES
    yield Answered(",".join(_NAMES) + "\n", ())
    left, number = request.events, 0
    while left:
        number += 1
        rng = random.Random(f"{request.seed} {number}")
        lines = _evening(request, house, tables, rng, number)
        kept = _cut(lines, left)
        if not kept:
            kept = _seats_only(house, tables, left)
        for line in kept:
            line.cells.setdefault("scorer", SCORER)
        left -= len(kept)
        yield _told(kept, f"E{number:04d}", number, rng)


def _evening(request: Sample, house: House, tables: int, rng: random.Random, number: int) -> list[Line]:
    plan = Plan(rng, request.error_rate, house, tables)
    lines = Evening(replace(house, tables=tables), tables, plan, rng).lines
    for line in lines:
        line.cells |= {"scorer": SCORER, "at": ""}
    if house.results_only:
        lines = [line for line in lines if line.cells["kind"] in _SHEET]
        for line in lines:
            line.answers = [answer for answer in line.answers if answer[0] in _RULES_OF_SHEETS]
        return lines
    blemishes = Blemishes(lines, house, plan, rng)
    if request.error_rate:
        blemishes.plant(request.error_rate)
    if request.gap_rate:
        blemishes.blank(request.gap_rate)
    if request.error_rate:
        blemishes.lose_and_repeat()
    return lines


def _cut(lines: list[Line], left: int) -> list[Line]:
    """As many rows as are left, but no round that is closed in part, and no draw."""
    if len(lines) <= left:
        return lines
    end = left
    while end and (lines[end].closing or lines[end - 1].answers or lines[end].cells["kind"] in ("draw", "seat")):
        end -= 1
    return lines[:end]


def _seats_only(house: House, tables: int, left: int) -> list[Line]:
    """An evening that ended before it began."""
    size = house.players_per_table
    people = [f"Guest {number}" for number in range(1, tables * size + 1)]
    return [
        Line({"kind": "seat", "round": "1", "table": str(n + 1), "player": "|".join(people[n * size : (n + 1) * size])})
        for n in range(min(left, tables))
    ]


def _told(lines: list[Line], game: str, number: int, rng: random.Random) -> Answered:
    """The evening as CSV lines, with its answers."""
    clock = _FIRST_EVENING + timedelta(days=7 * (number - 1) % 3000)
    text, answers, seq = [], [], 0
    before: Line | None = None
    for line in lines:
        again = before is not None and any(rule == "LOG-1" for rule, _ in line.answers)
        lost = any(rule == "LOG-2" for rule, _ in line.answers)
        seq += 0 if again else 2 if lost else 1
        clock += timedelta(seconds=0 if again else rng.randint(4, 11))
        cells = line.cells | {"site": _SITE, "game_id": game, "seq": str(seq)}
        if cells.get("at") != "backward":
            cells["at"] = f"{clock:%Y-%m-%dT%H:%M:%S}+00:00"
        else:
            cells["at"] = f"{clock - timedelta(hours=1):%Y-%m-%dT%H:%M:%S}+00:00"
        text.append(",".join(cells.get(name, "") for name in _NAMES) + "\n")
        answers += [(f"{game}#{seq}", "", rule, outcome) for rule, outcome in line.answers]
        before = line
    return Answered("".join(text), tuple(answers))
