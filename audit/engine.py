"""Hold events against rules: pack × events → outcomes, findings, tallies.

The engine knows nothing of any game. It walks the events block by block, asks each rule what applies and what is
breached, counts, and makes sentences only for rows that are listed. A rule that raises is an error outcome: the run
goes on, and nothing of that rule looks like a pass.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa

from audit.block import BlockAudit, Counts
from audit.findings import COUNTS, FINDINGS, OUTCOMES, joined
from audit.further_rows import FurtherRows
from audit.memory import give_back
from audit.placing import place
from audit.reading.cells import expected
from audit.reading.events import Carried, Events, Stored, Unreadable
from audit.tallies import Tallies
from audit.told import Desk, Told, findings_of
from audit.whole import whole_batch
from rules import log_integrity
from rules.batch import Batch
from rules.kit import FurtherCell, Games, Pack, Rule
from rules.placing import Placing
from rules.sections import DieSeen, Section

Progress = Callable[[int], None]

#: Texts of unreadable cells are cut to this length inside a sentence; the recorded text is kept whole.
SHOWN_TEXT = 120


@dataclass(frozen=True)
class RuleError:
    """A rule that raised, and what it raised."""

    rule: str
    message: str


@dataclass
class Result:
    """What the audit found. ``outcomes`` and ``findings`` are Arrow tables (``audit.findings``)."""

    outcomes: Any
    findings: Any
    tallies: Tallies
    errors: list[RuleError]


@dataclass
class Audit:
    """One audit: its events, the rules in force, the dispositions that the house has raised."""

    events: Events
    rules: Sequence[Rule]
    progress: Progress = lambda _: None
    errors: list[RuleError] = field(default_factory=list)
    games: Games | None = None
    _cells_filled: int = 0

    @property
    def pack(self) -> Pack:
        return self.events.pack

    @cached_property
    def desk(self) -> Desk:
        return Desk(self.events, lambda: self.placing)

    @cached_property
    def placing(self) -> Placing:
        apart = self.pack.apart
        if apart is None:
            return place(self.events)
        return place(self.events, lambda further, instead: apart(self.whole, further, instead))

    @cached_property
    def whole(self) -> Batch:
        """All events of all files as one batch, for packs that look at games whole."""
        return whole_batch(self.events)

    def _sequence(self, placing: Placing, carried: Carried, numbers: Any) -> Mapping[str, Any]:
        """Columns over the whole audit, from what neighbors see of each other or from whole games."""
        if self.pack.games is None:
            return self.pack.sequence(placing, carried, numbers)
        self.whole.placing = placing
        self.games = self.pack.games(self.whole)
        self.whole.sequence = self.games.facts
        return self.games.facts

    @cached_property
    def further_rows(self) -> FurtherRows:
        return FurtherRows(self.events, self.desk.texts, self.placing)

    def run(self) -> Result:
        """Place the events, ask every rule, and gather what is to be told."""
        give_back(self.events.size)
        placing = self.placing
        numbers = self.events.numbers_in_force
        carried = Carried(self.events.blocks)
        sequence = self._sequence(placing, carried, numbers) if self.events.blocks else {}
        give_back(self.events.size)
        file_of = self.events.file_of
        counts: dict[tuple[str, str], Counts] = {}
        tables: list[Any] = []
        tallies = Tallies(self.events)
        logged = tuple(record.logged for record in self.events.files)

        tallying = Lock()

        def audited(stored: Stored) -> tuple[int, Any, Mapping[tuple[str, str], Counts]]:
            loaded = stored.loaded()
            batch = self._batch(loaded, numbers)
            batch.placing, batch.carried, batch.sequence = placing, carried, sequence
            batch.logged_of_file, batch.file_of = logged, file_of
            block = BlockAudit(self, loaded, batch)
            block.run()
            with tallying:
                tallies.add(loaded, block.called_for, block.audited)
                self._cells_filled += int(
                    loaded.filled[~placing.duplicate[batch.start : batch.end]].sum(dtype=np.int64)
                )
            done = stored.size, block.findings(), block.counts
            if loaded is not stored:  # dice and throw refer to each other: the columns would stay until Python looks
                del loaded, batch, block
                gc.collect()
            return done

        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            for size, findings, own_counts in pool.map(audited, self.events.blocks):
                tables.append(findings)
                for question, count in own_counts.items():
                    counts.setdefault(question, Counts()).add(count)
                self.progress(size)
        tables.extend(self._unreadable_cells(placing, counts))
        findings = joined(tables)
        tallies.add_findings(findings)
        outcomes = self._outcomes(counts)
        return Result(outcomes, findings.select([*FINDINGS.names, "row"]), tallies, self.errors)

    def sections(self, shown: Iterable[int]) -> tuple[Section, ...]:
        """The pack's own sections of the report; ``shown``: events, by their places, whose findings it shows."""
        if self.pack.sections is None or self.games is None:
            return ()
        return self.pack.sections(self.whole, frozenset(shown))

    def seen(self, shown: Iterable[int]) -> dict[int, tuple[DieSeen, ...]]:
        """The dice of events (by their places) as a report draws them; nothing for a pack that has no such drawing."""
        wanted = np.array(sorted(shown), dtype=np.int64)
        dice: dict[int, tuple[DieSeen, ...]] = {}
        if self.pack.seen is None:
            return dice
        for stored in self.events.blocks:
            here = wanted[(wanted >= stored.start) & (wanted < stored.start + stored.size)]
            if len(here):
                batch = self._batch(stored.loaded(), self.events.numbers_in_force)
                found = self.pack.seen(self.pack.view(batch), here - stored.start)
                dice.update(zip(here.tolist(), found, strict=True))
        return dice

    def _batch(self, stored: Stored, numbers: Any) -> Batch:
        logged = self.events.files[stored.file].logged
        batch = Batch(self.pack, stored.start, stored.size, stored.arrays, stored.unreadable, logged, numbers)
        batch.texts_of = self.events.text_column
        return batch

    def _outcomes(self, counts: Mapping[tuple[str, str], Counts]) -> Any:
        rows = []
        for rule in self.rules:
            parts = [part for code, part in counts if code == rule.code] or [""]
            for part in parts:
                count = counts.get((rule.code, part), Counts())
                rows.append({"rule": rule.code, "part": part, **{name: getattr(count, name) for name in COUNTS}})
        return pa.Table.from_pylist(rows, schema=OUTCOMES)

    def failed(self, rule: Rule, error: Exception) -> None:
        """Take note of a rule that raised, once."""
        if rule.code not in {known.rule for known in self.errors}:
            self.errors.append(RuleError(rule.code, f"{type(error).__name__}: {error}"))

    # LOG-5: cells that cannot be read

    def _unreadable_cells(self, placing: Placing, counts: dict[tuple[str, str], Counts]) -> list[Any]:
        rule = log_integrity.UNREADABLE_CELL
        if rule not in self.rules:
            return []
        found: list[Unreadable | FurtherCell] = [*self.events.unreadable, *(self.games.cells if self.games else ())]
        cells = [cell for cell in found if not placing.duplicate[cell.row]]
        count = counts[rule.code, ""] = Counts()
        count.applicable = count.tested = self._cells_filled
        count.breached = len(cells)
        tables = []
        at = 0
        cells.sort(key=lambda cell: cell.row)
        for stored in self.events.blocks:
            end = at
            while end < len(cells) and cells[end].row < stored.start + stored.size:
                end += 1
            if end > at:
                tables.append(self._cells_told(rule, stored.loaded(), cells[at:end]))
            at = end
        return tables

    def _cells_told(self, rule: Rule, stored: Stored, cells: list[Unreadable | FurtherCell]) -> Any:
        columns = [self.pack.by_name[cell.column] for cell in cells]
        wanted = [
            cell.expected if isinstance(cell, FurtherCell) else expected(column, cell.text)
            for column, cell in zip(columns, cells, strict=True)
        ]
        names = pa.array([cell.column for cell in cells], pa.string())
        details = {
            "column": names,
            "text": pa.array([_shortened(cell.text) for cell in cells], pa.string()),
            "expected": pa.array(wanted, pa.string()),
        }
        teller = self.desk.teller(self._batch(stored, self.pack.numbers), stored)
        every = pa.array(np.arange(len(cells)))
        said = {
            key: teller.tell(self.desk.words.rule(rule.code, key), every, rule.code, "", details)
            for key in ("message", "expected")
        }
        said["recorded"] = pa.array([cell.text for cell in cells], pa.string())
        rows = pa.array([cell.row - stored.start for cell in cells], pa.int64())
        parts = pa.array([column.part for column in columns], pa.string()).dictionary_encode()
        identity = self.desk.apart(names, np.array([cell.row for cell in cells]))
        told = Told(rule, self.desk.disposition(rule), rows, parts, said, identity)
        return findings_of(self.desk, stored, [told])


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_TEXT else text[:SHOWN_TEXT] + "…"
