"""An audit of several days at once, with results day by day: each is what its own report says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa

from audit.block import BlockAudit, Counts
from audit.engine import Audit, RuleError
from audit.findings import WORKING, joined
from audit.nightly.state import SiteDay
from audit.nightly.window import Window
from audit.reading.events import Carried, Events, Stored
from audit.tallies import Tallies
from rules import log_integrity
from rules.batch import Batch
from rules.kit import Rule
from rules.truth import Truth


@dataclass
class DayFound:
    """What the audit found of one day."""

    tallies: Tallies
    findings: Any
    counts: dict[tuple[str, str], Counts] = field(default_factory=dict)
    cells_filled: int = 0
    accepted: int = 0
    outcomes: Any = None
    errors: Sequence[RuleError] = ()


class _ByDay(BlockAudit):
    """All rules over a block of several days, counted day by day. ``starts``: where each begins in the block."""

    least = staticmethod(np.minimum)

    def __init__(self, audit: Audit, stored: Stored, batch: Batch, starts: np.ndarray[Any, Any]) -> None:
        super().__init__(audit, stored, batch)
        self.starts = starts

    def count(self, truth: Truth) -> Any:
        if not truth.array.true_count:
            return np.zeros(len(self.starts), dtype=np.int64)
        holds = truth.surely.array.to_numpy(zero_copy_only=False)
        return np.add.reduceat(holds, self.starts, dtype=np.int64)


class DayAudits(Audit):
    """Holds the reported days of a window against the rules; what is only looked at is asked nothing."""

    def __init__(self, window: Window, rules: Sequence[Rule], threads: int) -> None:
        super().__init__(window.events, rules)
        self.window, self.threads = window, threads

    def by_day(self) -> dict[SiteDay, DayFound]:
        """Ask every rule of every reported day."""
        events, placing = self.events, self.placing
        numbers = events.numbers_in_force
        carried = Carried(events.blocks)
        sequence = self._sequence(placing, carried, numbers) if events.blocks else {}
        file_of = events.file_of
        logged = tuple(record.logged for record in events.files)
        found: dict[SiteDay, DayFound] = {}
        tables: list[Any] = []

        def ask(number: int) -> tuple[_ByDay, Any]:
            stored = events.blocks[number]
            batch = self._batch(stored, numbers)
            batch.placing, batch.carried, batch.sequence = placing, carried, sequence
            batch.logged_of_file, batch.file_of = logged, file_of
            block = _ByDay(self, stored, batch, self.window.starts(number))
            block.run()
            return block, self._with_labels(stored, number, block.findings())

        reported = [number for number in range(len(events.blocks)) if self.window.reported(number)]
        with ThreadPoolExecutor(self.threads) as pool:
            for number, (block, findings) in zip(reported, pool.map(ask, reported), strict=True):
                tables.append(findings)
                self._count(number, block, found)
        tables.extend(self._log_5(found))
        for where, own in self._apart(joined(tables).select(WORKING.names)).items():
            found[where].findings = own
        for day in found.values():
            day.tallies.add_findings(day.findings)
            day.outcomes = self._outcomes(day.counts)
            day.errors = tuple(self.errors)
        return found

    def events_of(self, where: SiteDay) -> Events:
        """The events of one day."""
        own = copy(self.events)
        own.blocks = [
            _part(stored, at, size)
            for stored, spans in zip(self.events.blocks, self.window.spans, strict=True)
            for at, (day, size) in zip(accumulate((size for _, size in spans), initial=0), spans, strict=False)
            if day == where
        ]
        return own

    def _count(self, number: int, block: _ByDay, found: dict[SiteDay, DayFound]) -> None:
        """Add the counts of a block to those of its days."""
        stored = block.stored
        filled = stored.filled * ~self.placing.duplicate[stored.start : stored.start + stored.size]
        cells = np.add.reduceat(filled, block.starts, dtype=np.int64)
        counts = {
            question: np.array([np.broadcast_to(count, len(cells)) for count in vars(own).values()]).T.tolist()
            for question, own in block.counts.items()
        }
        for place, (where, size) in enumerate(self.window.spans[number]):
            assert where is not None
            day = found.setdefault(where, DayFound(Tallies(self.events), WORKING.empty_table()))
            at = int(block.starts[place])
            called = None if block.called_for is None else block.called_for.slice(at, size)
            day.tallies.add(_part(stored, at, size), called, Truth(block.audited.array.slice(at, size)))
            day.cells_filled += int(cells[place])
            day.accepted += size
            for question, by_day in counts.items():
                day.counts.setdefault(question, Counts()).add(Counts(*by_day[place]))

    def _apart(self, findings: Any) -> dict[SiteDay, Any]:
        """Findings day by day, each in their order."""
        if not findings.num_rows:
            return {}
        day_of = self._days_of(findings["row"].to_numpy())
        order = np.argsort(day_of, kind="stable")
        own, begins = np.unique(day_of[order], return_index=True)
        ends = [*begins[1:].tolist(), len(order)]
        texts = findings.cast(_TEXTS).take(pa.array(order))
        return {
            self.window.reported_days[day]: _coded(texts.slice(begin, end - begin))
            for day, begin, end in zip(own.tolist(), begins.tolist(), ends, strict=True)
        }

    def _days_of(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The places of events' days among those that are reported."""
        days = {where: place for place, where in enumerate(self.window.reported_days)}
        spans = [span for own in self.window.spans for span in own]
        starts = np.cumsum([0, *(size for _, size in spans)])[:-1]
        of_span = np.array([days.get(where, -1) if where else -1 for where, _ in spans], dtype=np.int64)
        return of_span[np.searchsorted(starts, rows, side="right") - 1] if len(rows) else rows

    def _with_labels(self, stored: Stored, number: int, table: Any) -> Any:
        """Findings with the names of the logs that their rows came in."""
        labels = self.window.labels[number]
        rows = pa.array(table["row"].to_numpy() - stored.start)
        own = pa.DictionaryArray.from_arrays(labels.indices.take(rows).cast(pa.int32()), labels.dictionary)
        return table.set_column(table.schema.get_field_index("source_file"), "source_file", own)

    def _log_5(self, found: Mapping[SiteDay, DayFound]) -> list[Any]:
        """Cells that cannot be read: counted by day, told by block."""
        rule = log_integrity.UNREADABLE_CELL
        if rule not in self.rules:
            return []
        for day in found.values():
            count = day.counts[rule.code, ""] = Counts()
            count.applicable = count.tested = day.cells_filled
        cells: list[Any] = [*self.events.unreadable, *(self.games.cells if self.games else ())]
        cells = sorted((cell for cell in cells if not self.placing.duplicate[cell.row]), key=lambda cell: int(cell.row))
        rows = np.array([cell.row for cell in cells], dtype=np.int64)
        for place in self._days_of(rows).tolist():
            if place >= 0:
                found[self.window.reported_days[place]].counts[rule.code, ""].breached += 1
        tables = []
        for number, stored in enumerate(self.events.blocks):
            begin, end = np.searchsorted(rows, [stored.start, stored.start + stored.size]).tolist()
            if end > begin and self.window.reported(number):
                tables.append(self._with_labels(stored, number, self._cells_told(rule, stored, cells[begin:end])))
        return tables


_TEXTS = pa.schema([(f.name, pa.string() if pa.types.is_dictionary(f.type) else f.type) for f in WORKING])


def _coded(texts: Any) -> Any:
    """Findings with few texts as the audit has them: each written once."""
    columns = [texts[f.name].combine_chunks() for f in WORKING]
    coded = [
        column.dictionary_encode() if pa.types.is_dictionary(f.type) else column
        for column, f in zip(columns, WORKING, strict=True)
    ]
    return pa.table(coded, schema=WORKING)


def _part(stored: Stored, at: int, size: int) -> Stored:
    """Some of the events of a block, as tallies look at them."""
    arrays = {name: array.slice(at, size) for name, array in stored.arrays.items()}
    return replace(stored, start=stored.start + at, size=size, arrays=arrays, offset=stored.offset[at : at + size])
