"""Counts by table, person and hour, and what was called for × what was ruled: made once, shown by every writer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.telling import iso_times

if TYPE_CHECKING:
    from audit.reading.events import Events, Stored
    from rules.truth import Truth

#: A table of all that may be counted is made up to this size.
_MANY_CELLS = 1 << 22
_HOUR = 3_600_000_000
_MINUTE = 60_000_000

#: How an event's ruling stands in the tallies where the log has none that can be read.
NOT_RECORDED = "not recorded"


@dataclass
class Tally:
    """Events of one table, person or hour, by ruling, and its findings by disposition."""

    events: int = 0
    rulings: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    findings: dict[str, int] = field(default_factory=lambda: defaultdict(int))


class Tallies:
    """Counts over the audited events.

    Keys of ``by_place`` are site and table, of ``by_responsible`` site and person; hours are by the event's own clock.
    ``found_by_hour`` has the findings of a site, table and hour by disposition.
    """

    def __init__(self, events: Events) -> None:
        self._events = events
        self._rulings = (*events.pack.rulings, NOT_RECORDED)
        self.audited = 0
        self.by_place: dict[tuple[str, str], Tally] = defaultdict(Tally)
        self.by_responsible: dict[tuple[str, str], Tally] = defaultdict(Tally)
        self.by_hour: dict[int, Tally] = defaultdict(Tally)
        self.found_by_hour: dict[tuple[str, str, int], dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.matrix: dict[tuple[str, str], int] = defaultdict(int)
        self.first: int | None = None
        self.last: int | None = None
        self.first_offset = 0
        self.last_offset = 0
        self.days: set[str] = set()

    def add(self, stored: Stored, called_for: Any, audited: Truth) -> None:
        """Count the audited events of a block."""
        keep = audited.array.to_numpy(zero_copy_only=False)
        if not keep.any():
            return
        roles = self._events.pack.roles
        self.audited += int(np.count_nonzero(keep))
        judged = roles.judged if self._events.pack.rulings else ""
        ruling = self._codes(stored, judged, len(self._rulings) - 1)[keep]
        site, table = self._codes(stored, roles.site)[keep], self._codes(stored, roles.table)[keep]
        self._count(self.by_place, [site, table], ruling, self._place_name)
        person = self._codes(stored, roles.responsible)[keep]
        self._count(self.by_responsible, [site, person], ruling, self._person_name)
        self._count_hours(stored, keep, ruling)
        if called_for is not None:
            self._count_matrix(called_for.to_numpy(zero_copy_only=False)[keep].astype(np.int32), ruling)
        if roles.day:
            self.days.update(pc.unique(stored.arrays[roles.day].filter(audited.array)).cast(pa.string()).to_pylist())

    def _count_hours(self, stored: Stored, keep: np.ndarray[Any, Any], ruling: np.ndarray[Any, Any]) -> None:
        """Count events by the hour of their own clock, as far as their times are known."""
        time = stored.arrays.get(self._events.pack.roles.time)
        if time is None:
            return
        timed = keep & time.is_valid().to_numpy(zero_copy_only=False) if time.null_count else keep
        if not timed.any():
            return
        instant = time.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)[timed]
        offset = stored.offset[timed]
        hour = (instant + offset.astype(np.int64) * _MINUTE) // _HOUR % 24
        own = ruling if timed is keep else ruling[timed[keep]]
        self._count(self.by_hour, [hour.astype(np.int32)], own, lambda key: int(key[0]))
        self._stretch(instant, offset)

    def _stretch(self, instant: np.ndarray[Any, Any], offset: np.ndarray[Any, Any]) -> None:
        first, last = int(instant.argmin()), int(instant.argmax())
        if self.first is None or instant[first] < self.first:
            self.first, self.first_offset = int(instant[first]), int(offset[first])
        if self.last is None or instant[last] > self.last:
            self.last, self.last_offset = int(instant[last]), int(offset[last])

    def period(self) -> tuple[str, str]:
        """Times of the first and the last audited event, ISO 8601 with offset; blank where there is none."""
        if self.first is None or self.last is None:
            return "", ""
        stamps = iso_times(
            np.array([self.first, self.last]), np.array([self.first_offset, self.last_offset])
        ).to_pylist()
        return stamps[0], stamps[1]

    @staticmethod
    def _codes(stored: Stored, name: str, absent: int = -1) -> np.ndarray[Any, Any]:
        array = stored.arrays.get(name) if name else None
        if array is None:
            return np.full(stored.size, absent, dtype=np.int32)
        codes: np.ndarray[Any, Any] = array.cast(pa.int32()).fill_null(absent).to_numpy(zero_copy_only=False)
        return codes

    def _text(self, column: str, code: int) -> str:
        return str(self._events.text_column(column)[code]) if code >= 0 else ""

    def _place_name(self, key: np.ndarray[Any, Any]) -> tuple[str, str]:
        roles = self._events.pack.roles
        return self._text(roles.site, int(key[0])), self._text(roles.table, int(key[1]))

    def _person_name(self, key: np.ndarray[Any, Any]) -> tuple[str, str]:
        roles = self._events.pack.roles
        return self._text(roles.site, int(key[0])), self._text(roles.responsible, int(key[1]))

    def _count(
        self, tallies: dict[Any, Tally], keys: Sequence[np.ndarray[Any, Any]], ruling: np.ndarray[Any, Any], name: Any
    ) -> None:
        """Add events by key and ruling; the columns of keys are mixed into one number first, for speed."""
        kinds = len(self._rulings)
        spans = [int(column.max()) + 2 for column in keys]
        cells = prod(spans) * kinds
        mixed = (keys[0] + 1).astype(np.int32 if cells < 1 << 31 else np.int64, copy=False)
        for column, span in zip(keys[1:], spans[1:], strict=True):
            mixed = mixed * span + column + 1
        for both, count in _counted_numbers(mixed * kinds + ruling, cells):
            left, kind = divmod(both, kinds)
            key = []
            for span in spans[::-1]:
                left, digit = divmod(left, span)
                key.append(digit - 1)
            tally = tallies[name(key[::-1])]
            tally.events += count
            tally.rulings[self._rulings[kind]] += count

    def _count_matrix(self, called_for: np.ndarray[Any, Any], ruling: np.ndarray[Any, Any]) -> None:
        kinds = len(self._rulings)
        counts = np.bincount(called_for * kinds + ruling)
        for both in np.flatnonzero(counts):
            row, column = divmod(int(both), kinds)
            key = (self._events.pack.rulings_called_for[row], self._rulings[column])
            self.matrix[key] += int(counts[both])

    def add_findings(self, findings: Any) -> None:
        """Count the findings by place, person and hour."""
        names = {"site": "site", "table": "table", "person": "responsible", "disposition": "disposition"}
        for row in _counted(findings, names):
            count, disposition = row["count_all"], row["disposition"]
            tallies = [self.by_place[row["site"], row["table"]], self.by_responsible[row["site"], row["person"]]]
            if row["hour"] is not None:
                tallies.append(self.by_hour[row["hour"]])
            for tally in tallies:
                tally.findings[disposition] += count
        self.add_found_by_hour(findings)

    def add_found_by_hour(self, findings: Any) -> None:
        """Count the findings of each table and hour, and nothing else."""
        for row in _counted(findings, {"site": "site", "table": "table", "disposition": "disposition"}):
            if row["hour"] is not None:
                found = self.found_by_hour[row["site"], row["table"], row["hour"]]
                found[row["disposition"]] += row["count_all"]


def _counted_numbers(numbers: np.ndarray[Any, Any], cells: int) -> list[tuple[int, int]]:
    """Which numbers under ``cells`` there are, and how often."""
    if cells > _MANY_CELLS:
        different, counts = np.unique(numbers, return_counts=True)
    else:
        table = np.bincount(numbers)
        different = np.flatnonzero(table)
        counts = table[different]
    return list(zip(different.tolist(), counts.tolist(), strict=True))


def _counted(findings: Any, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """How many findings have the same hour and the same values in some columns, blank where there is none."""
    keys = {key: findings[name].cast(pa.string()).fill_null("") for key, name in names.items()}
    hour = pc.utf8_slice_codeunits(findings["occurred_at"], 11, 13).cast(pa.int64())
    keyed = pa.table({"hour": hour, **keys})
    counted: list[dict[str, Any]] = keyed.group_by(keyed.schema.names).aggregate([([], "count_all")]).to_pylist()
    return counted
