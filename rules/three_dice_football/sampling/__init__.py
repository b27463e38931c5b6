"""Synthetic throw logs: realistic, any number of throws, as a stream, with the answer key of the errors in them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import numpy as np

from rules.sampling import Answered, Sample
from rules.three_dice_football.columns import COLUMNS, ROLES
from rules.three_dice_football.sampling.plant import Planter
from rules.three_dice_football.sampling.world import FULL_DAY, Place, TableDay, stamps, table_day

_FIRST_DAY = date(2026, 3, 2)
_SITES = ("CAS01", "CAS02")
_TABLES = ("TDF-01", "TDF-02", "TDF-03", "TDF-04")
#: Throws of a table on a slow day: a short log is spread over so many tables.
_SLOW_DAY = 120


def places(events: int) -> Iterator[Place]:
    """Tables and days that make ``events`` throws in all, day by day and table by table."""
    tables = [(site, table) for site in _SITES for table in _TABLES]
    used = tables[: max(1, min(len(tables), -(-events // _SLOW_DAY)))]
    day, left = _FIRST_DAY, events
    while left:
        today = min(left, FULL_DAY * len(used))
        for number, (site, table) in enumerate(used):
            throws = today // len(used) + (number < today % len(used))
            if throws:
                yield Place(site, table, day, throws)
        left -= today
        day += timedelta(days=1)


def _lines(day: TableDay) -> str:
    """The table day as CSV lines."""
    for column, seconds in day.seconds.items():
        day.cells[column] = stamps(seconds)
    notes = day.cells["note"]
    for row in np.flatnonzero(notes != ""):
        notes[row] = '"' + notes[row].replace('"', '""') + '"'
    rows = zip(*(day.cells[column.name].tolist() for column in COLUMNS), strict=True)
    return "".join(",".join(row) + "\n" for row in rows)


def sample(request: Sample) -> Iterator[Answered]:
    """The log and its answers, one table and day at a time."""
    yield Answered(",".join(column.name for column in COLUMNS) + "\n", ())
    for number, place in enumerate(places(request.events)):
        random = np.random.default_rng((request.seed, number))
        day = table_day(random, place)
        planter = Planter(day)
        planter.errors(request.error_rate)
        planter.gaps(request.gap_rate)
        ids = day.cells[ROLES.event_id]
        answers = tuple((str(ids[at]), part, rule, outcome) for at, part, rule, outcome in planter.finish())
        yield Answered(_lines(day), answers)
