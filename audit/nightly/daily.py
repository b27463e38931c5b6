"""An audit of several days at once, with results day by day: each is what its own report says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from audit.block import BlockAudit, Counts
from audit.engine import Audit, RuleError
from audit.findings import WORKING, joined
from audit.nightly.state import SiteDay
from audit.nightly.window import Window
from audit.reading.events import Carried, Stored
from audit.tallies import Tallies
from rules import log_integrity
from rules.kit import Rule


@dataclass
class DayFound:
    """What the audit found of one day."""

    tallies: Tallies
    counts: dict[tuple[str, str], Counts] = field(default_factory=dict)
    tables: list[Any] = field(default_factory=list)
    cells_filled: int = 0
    accepted: int = 0
    findings: Any = None
    outcomes: Any = None
    errors: Sequence[RuleError] = ()


@dataclass
class _Asked:
    tables: list[Any]
    counts: Mapping[tuple[str, str], Counts]
    cells_filled: int


class DayAudits(Audit):
    """Holds the reported days of a window against the rules; what is only looked at is asked nothing."""

    def __init__(self, window: Window, rules: Sequence[Rule]) -> None:
        super().__init__(window.events, rules)
        self.window = window

    def by_day(self) -> dict[SiteDay, DayFound]:
        """Ask every rule of every reported day."""
        events, placing = self.events, self.placing
        numbers = events.numbers_in_force
        carried = Carried(events.blocks)
        sequence = self._sequence(placing, carried, numbers) if events.blocks else {}
        file_of = events.file_of
        logged = tuple(record.logged for record in events.files)
        found: dict[SiteDay, DayFound] = {}

        def ask(number: int) -> tuple[BlockAudit, _Asked]:
            stored = events.blocks[number]
            batch = self._batch(stored, numbers)
            batch.placing, batch.carried, batch.sequence = placing, carried, sequence
            batch.logged_of_file, batch.file_of = logged, file_of
            block = BlockAudit(self, stored, batch)
            block.run()
            filled = stored.filled[~placing.duplicate[batch.start : batch.end]].sum(dtype=np.int64)
            tables = [self._with_labels(stored, number, table) for table in block.tables]
            return block, _Asked(tables, block.counts, int(filled))

        reported = [number for number, day in enumerate(self.window.days) if day is not None]
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            for number, (block, asked) in zip(reported, pool.map(ask, reported), strict=True):
                where = self.window.days[number]
                assert where is not None
                day = found.setdefault(where, DayFound(Tallies(events)))
                day.tallies.add(events.blocks[number], block.called_for, block.audited)
                day.tables.extend(asked.tables)
                day.cells_filled += asked.cells_filled
                day.accepted += events.blocks[number].size
                for question, count in asked.counts.items():
                    day.counts.setdefault(question, Counts()).add(count)
        self._log_5(found)
        for day in found.values():
            day.findings = joined(day.tables).select(WORKING.names)
            day.tallies.add_findings(day.findings)
            day.outcomes = self._outcomes(day.counts)
            day.errors = tuple(self.errors)
        return found

    def _with_labels(self, stored: Stored, number: int, table: Any) -> Any:
        """Findings with the names of the logs that their rows came in."""
        labels = self.window.labels[number]
        rows = pa.array(table["row"].to_numpy() - stored.start)
        own = pa.DictionaryArray.from_arrays(labels.indices.take(rows).cast(pa.int32()), labels.dictionary)
        return table.set_column(table.schema.get_field_index("source_file"), "source_file", own)

    def _log_5(self, found: Mapping[SiteDay, DayFound]) -> None:
        """Cells that cannot be read, day by day."""
        rule = log_integrity.UNREADABLE_CELL
        if rule not in self.rules:
            return
        cells: list[Any] = [*self.events.unreadable, *(self.games.cells if self.games else ())]
        by_block: dict[int, list[Any]] = {}
        starts = np.array([stored.start for stored in self.events.blocks])
        for cell in cells:
            if not self.placing.duplicate[cell.row]:
                by_block.setdefault(int(np.searchsorted(starts, cell.row, side="right")) - 1, []).append(cell)
        for where, day in found.items():
            count = day.counts[rule.code, ""] = Counts()
            count.applicable = count.tested = day.cells_filled
            for number, own in sorted(by_block.items()):
                if self.window.days[number] == where:
                    count.breached += len(own)
                    stored = self.events.blocks[number]
                    ordered: list[Any] = sorted(own, key=lambda cell: cell.row)
                    day.tables.append(self._with_labels(stored, number, self._cells_told(rule, stored, ordered)))
