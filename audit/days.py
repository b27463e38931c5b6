"""Each table's days, counted for the report's timelines and the floor's page before either begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.tallies import NOT_RECORDED
from rules.kit import Disposition
from rules.placing import Placing

if TYPE_CHECKING:
    from audit.reading.events import Events, Stored

_MINUTE = 60_000_000
_DAY = 1440
#: Tables' days whose course is kept minute by minute.
COURSES = 24
#: Minutes of a day's course, counted from the midnight that it is named after.
_SPAN = range(2 * _DAY)

#: Stands for the day of an event whose time nobody wrote down; and a column of findings with their days.
_NO_DAY, DAY = -(1 << 30), "its day"

Ints = np.ndarray[Any, np.dtype[np.integer[Any]]]


@dataclass(frozen=True)
class Course:
    """A table's day minute by minute, from the midnight it is named after, by the events' own clock.

    ``events``: minute and how many; ``ruled``: minute and ruling, for those that are not the first of the pack's
    rulings; ``found``: minute and disposition. Each pair stands once, in the order of time.
    """

    events: Sequence[tuple[int, int]]
    ruled: Sequence[tuple[int, str]]
    found: Sequence[tuple[int, str]]


@dataclass(frozen=True)
class TableDay:
    """One table on one day: events by ruling, findings by disposition, and its course where that is kept."""

    site: str
    table: str
    day: str
    events: int
    rulings: Mapping[str, int]
    findings: Mapping[str, int] = field(default_factory=dict)
    course: Course | None = None

    @property
    def gravity(self) -> tuple[int, ...]:
        """How many findings of each disposition, gravest first."""
        return tuple(self.findings.get(disposition.value, 0) for disposition in Disposition)


@dataclass
class _Columns:
    """Audited events of the whole audit: codes of site, table and day, minute of the day, ruling."""

    keys: Ints
    minute: Ints
    ruling: Ints
    names: list[tuple[str, str, str]]


def table_days(events: Events, placing: Placing, findings: Any) -> list[TableDay]:
    """All tables' days in the order of site, day and table. Where a pack knows no days, they go by the events' time."""
    if not events.size:
        return []
    columns = _columns(events, placing)
    rulings = (*events.pack.rulings, NOT_RECORDED)
    counts = np.bincount(
        columns.keys * len(rulings) + columns.ruling, minlength=len(columns.names) * len(rulings)
    ).reshape(-1, len(rulings))
    dated = findings.append_column(DAY, days_of(findings, events.profile.gaming_day_starts))
    found = _found(dated)
    days = [
        TableDay(
            *name,
            int(line.sum()),
            {ruling: int(n) for ruling, n in zip(rulings, line, strict=True) if n},
            found.get(name, {}),
        )
        for name, line in zip(columns.names, counts, strict=True)
    ]
    chosen = _chosen(days)
    moments = _moments(dated, {columns.names[n] for n in chosen})
    for n in chosen:
        course = _course(columns, n, rulings, moments.get(columns.names[n], ()))
        if course.events:
            days[n] = TableDay(**{**vars(days[n]), "course": course})
    return sorted(days, key=lambda d: (d.site, d.day, d.table))


def days_of(findings: Any, starts: int) -> Any:
    """The day of each finding as a text: as recorded, else by its time, else blank. ``starts``: minutes of midnight."""
    clock = pc.utf8_slice_codeunits(findings["occurred_at"].cast(pa.string()), 0, 19)
    wall = pc.strptime(pc.if_else(pc.equal(clock, ""), None, clock), "%Y-%m-%dT%H:%M:%S", "us")
    by_time = pc.strftime(pc.subtract(wall, pa.scalar(starts * _MINUTE, pa.duration("us"))), "%Y-%m-%d")
    return pc.coalesce(findings["day"].cast(pa.string()), by_time, pa.scalar(""))


def _chosen(days: Sequence[TableDay]) -> list[int]:
    """Whose course is kept: of every site's day the table with the gravest findings, then of every one the next."""
    gravest = sorted(range(len(days)), key=lambda n: (days[n].gravity, days[n].day), reverse=True)
    turn: Counter[tuple[str, str]] = Counter()
    turns = []
    for place, n in enumerate(gravest):
        own = days[n].site, days[n].day
        turns.append((turn[own], place, n))
        turn[own] += 1
    return [n for _, _, n in sorted(turns)[:COURSES]]


def _codes(stored: Stored, name: str, absent: int = -1) -> Ints:
    """A column as whole numbers, ``absent`` where it is not known."""
    array = stored.arrays.get(name) if name else None
    if array is None:
        return np.full(stored.size, absent, dtype=np.int64)
    plain = array.cast(pa.int32()) if pa.types.is_date(array.type) else array
    numbers: Ints = plain.cast(pa.int64()).fill_null(absent).to_numpy(zero_copy_only=False)
    return numbers


def _distinct(*columns: Ints) -> tuple[Ints, Ints]:
    """The different combinations of some columns, in their order, and which one each row has.

    Each column is made dense first, so that all go into one number, which sorts many times faster than rows.
    """
    values, dense = zip(*(np.unique(column, return_inverse=True) for column in columns), strict=True)
    mixed = np.zeros(len(columns[0]), dtype=np.int64)
    for own, codes in zip(values, dense, strict=True):
        mixed = mixed * len(own) + codes.reshape(-1)
    different, keys = np.unique(mixed, return_inverse=True)
    places = np.unravel_index(different, [len(own) for own in values])
    return np.stack([own[place] for own, place in zip(values, places, strict=True)]), keys.reshape(-1)


def _columns(events: Events, placing: Placing) -> _Columns:
    roles = events.pack.roles
    judged = roles.judged if events.pack.rulings else ""
    parts: list[Ints] = []
    for stored in events.blocks:
        loaded = stored.loaded()
        time = _codes(loaded, roles.time)
        wall = time // _MINUTE + loaded.offset
        site, table, day = (_codes(loaded, name) for name in (roles.site, roles.table, roles.day))
        if not roles.day:
            day = np.where(time < 0, _NO_DAY, (wall - events.profile.gaming_day_starts) // _DAY)
        ruling = _codes(loaded, judged, len(events.pack.rulings))
        kept = ~placing.duplicate[stored.start : stored.start + stored.size]
        parts.append(np.stack([site, table, day, wall - day * _DAY, ruling])[:, kept])
    site, table, day, minute, ruling = np.concatenate(parts, axis=1)
    different, keys = _distinct(site, day, table)
    dated = pa.array(different[1].astype(np.int32), mask=different[1] == _NO_DAY).cast(pa.date32())
    dates = dated.cast(pa.string()).fill_null("").to_pylist()
    sites, tables = events.text_column(roles.site), events.text_column(roles.table)
    names = [
        (sites[int(s)].as_py() if s >= 0 else "", tables[int(t)].as_py() if t >= 0 else "", date)
        for s, t, date in zip(different[0], different[2], dates, strict=True)
    ]
    return _Columns(keys, minute, ruling, names)


def _found(findings: Any) -> dict[tuple[str, str, str], dict[str, int]]:
    """Findings of each table's day by disposition."""
    names = ["site", "table", DAY, "disposition"]
    keyed = findings.select(names).combine_chunks()
    keyed = pa.table({name: pc.fill_null(keyed[name].cast(pa.string()), "") for name in names})
    counts: dict[tuple[str, str, str], dict[str, int]] = {}
    for row in keyed.group_by(names).aggregate([([], "count_all")]).to_pylist():
        counts.setdefault((row["site"], row["table"], row[DAY]), {})[row["disposition"]] = row["count_all"]
    return counts


def _moments(findings: Any, wanted: set[tuple[str, str, str]]) -> dict[tuple[str, str, str], set[tuple[int, str]]]:
    """Minute and disposition of the findings of some tables' days."""
    names = ["site", "table", DAY, "disposition"]
    clock = pc.utf8_slice_codeunits(findings["occurred_at"], 0, 16)  # to the minute, by the event's own clock
    keyed = pa.table({**{n: pc.fill_null(findings[n].cast(pa.string()), "") for n in names}, "clock": clock})
    moments: dict[tuple[str, str, str], set[tuple[int, str]]] = {}
    for row in keyed.group_by(keyed.schema.names).aggregate([]).to_pylist():
        key = (row["site"], row["table"], row[DAY])
        if key in wanted and row["clock"] and row[DAY]:
            since = np.datetime64(row["clock"], "m") - np.datetime64(row[DAY], "m")
            moments.setdefault(key, set()).add((int(since / np.timedelta64(1, "m")), row["disposition"]))
    return moments


def _course(columns: _Columns, key: int, rulings: Sequence[str], found: Any) -> Course:
    own = (columns.keys == key) & (columns.minute >= _SPAN.start) & (columns.minute < _SPAN.stop)
    minutes, counts = np.unique(columns.minute[own], return_counts=True)
    other = own & (columns.ruling != 0)
    ruled = np.unique(np.stack([columns.minute[other], columns.ruling[other]]), axis=1) if len(rulings) > 1 else None
    return Course(
        list(zip(minutes.tolist(), counts.tolist(), strict=True)),
        [(int(m), rulings[int(r)]) for m, r in ruled.T] if ruled is not None else [],
        sorted(pair for pair in found if pair[0] in _SPAN),
    )
