"""Take in the rows of one file: ids to codes, times to instants, events in runs; past a size, runs go to disk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from audit.reading import local_times, times
from audit.reading.cells import Typed
from audit.reading.events import Events, FileRecord, Stored, Unreadable, narrow
from audit.reading.fingerprints import fingerprints
from audit.reading.typed import Aside, TypedBlock
from rules.batch import STORED, Batch
from rules.kit import Kind

_DAY = 86400 * times.MICRO
_MINUTE = 60 * times.MICRO
_NOTHING = np.zeros(0, dtype=np.int64)

#: Events are held in runs of about so many: long enough that the work on columns outweighs the calls.
RUN = 500_000
#: So many events are held in memory; where there are more, the columns of all go to disk.
HELD = 1_200_000


class Intake:
    """The rows of one file on their way in: nothing of them is in the audit before ``commit``."""

    def __init__(self, events: Events, record: FileRecord) -> None:
        self._events = events
        self._record = record
        self._number = len(events.files)
        self._size = events.size
        self._logged: set[str] = set()
        self._waiting: list[Stored] = []
        self._runs: list[Stored] = []
        self._unreadable: list[Unreadable] = []
        self._aside: list[tuple[int, Aside]] = []

    def add(self, blocks: Sequence[TypedBlock]) -> None:
        """Take in some blocks, in the order of the file."""
        for block in blocks:
            stored = self._store(block)
            if stored.size:
                self._waiting.append(stored)
        # times without offset are settled over the whole file, so its runs wait for its end
        if self._events.profile.timezone is None and sum(s.size for s in self._waiting) >= RUN:
            self._close_run()

    def commit(self) -> None:
        """The file was read whole: its events belong to the audit."""
        events, record = self._events, self._record
        self._code_ids()
        local_times.settle(events.pack.roles, events.profile, record, self._waiting)
        self._close_run()
        record.logged = frozenset(self._logged)
        events.files.append(record)
        events.blocks.extend(self._runs)
        events.unreadable.extend(self._unreadable)
        events.aside.extend(self._aside)
        events.size = self._size

    def _close_run(self) -> None:
        if not self._waiting:
            return
        self._code_ids()
        run = _joined(self._waiting)
        self._waiting = []
        self._gaming_days(run)
        events = self._events
        batch = Batch(
            events.pack, run.start, run.size, run.arrays, run.unreadable, frozenset(), events.numbers_in_force
        )
        batch.texts_of = events.text_column
        self._derive(run, batch)
        run.local = np.zeros(0, dtype=bool)  # settled: no longer needed
        run.offset = run.offset.astype(np.int16)
        run.carried = dict(events.pack.carried(events.pack.view(batch)))
        run.ids = fingerprints(run.arrays[events.pack.roles.event_id])
        run.lines = narrow(run.lines)
        self._runs.append(run)
        if run.start + run.size > HELD:
            events.relieve(self._runs)

    def _derive(self, run: Stored, batch: Batch) -> None:
        """Add the columns that no file has and the pack makes."""
        pack = self._events.pack
        for name, array in (pack.derived(batch) if pack.derived else {}).items():
            if name in self._events.ids:
                (array,) = self._events.ids[name].codes([array.dictionary_encode()])
            run.arrays[name] = array

    def _code_ids(self) -> None:
        """Give the ids of the waiting blocks their codes: once a run, since each time takes a look at all known ids."""
        for name, ids in self._events.ids.items():
            waiting = [s for s in self._waiting if name in s.arrays and pa.types.is_dictionary(s.arrays[name].type)]
            if waiting:
                for stored, codes in zip(waiting, ids.codes([s.arrays[name] for s in waiting]), strict=True):
                    stored.arrays[name] = codes
        for stored in self._waiting:
            self._fill_site(stored.arrays, stored.size)

    def _store(self, block: TypedBlock) -> Stored:
        events, record, number = self._events, self._record, self._number
        size = len(block.lines)
        record.rows_read += block.rows_read
        record.accepted += size
        record.joined += block.joined
        record.quarantined += len(block.aside)
        self._aside.extend((number, aside) for aside in block.aside)
        arrays: dict[str, Any] = {}
        bad: dict[str, np.ndarray[Any, Any]] = {}
        offset = np.zeros(size, dtype=np.int32)
        local = np.zeros(size, dtype=bool)
        filled = np.zeros(size, dtype=np.uint16)
        for name, typed in block.columns.items():
            kind = events.pack.by_name[name].kind
            arrays[name] = typed if kind is Kind.TIME else typed.array
            _count_filled(filled, typed)
            if typed.array.null_count < size:
                self._logged.add(name)
            if typed.unreadable or typed.unnamed:
                rows = sorted({row for row, _ in typed.unreadable} | set(typed.unnamed))
                bad[name] = np.array(rows, dtype=np.int64)
                self._unreadable.extend(Unreadable(self._size + r, name, text) for r, text in typed.unreadable)
        for name, array in list(arrays.items()):
            if isinstance(array, Typed):
                arrays[name], column_offset, column_local = self._instants(array, name)
                if name == events.pack.roles.time:
                    offset, local = column_offset, column_local
        block.columns.clear()
        stored = Stored(number, self._size, size, arrays, bad, block.lines, offset, local, filled)
        self._size += size
        return stored

    def _fill_site(self, arrays: dict[str, Any], size: int) -> None:
        name = self._events.pack.roles.site
        if self._events.profile.site and name in self._events.ids:
            code = pa.scalar(self._events.ids[name].code(self._events.profile.site), pa.int32())
            if name in arrays:
                arrays[name] = arrays[name].fill_null(code)
            else:
                arrays[name] = pa.array(np.full(size, code.as_py(), dtype=np.int32))

    def _instants(self, typed: Typed, name: str) -> tuple[Any, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Instants of a column of times; local ones are given their first instant, to be settled later.

        Of the events' own times also the offset, and which of them are local.
        """
        of_event = name == self._events.pack.roles.time
        zone = self._events.profile.timezone
        if typed.zone:
            self._record.times_with_offset += len(typed.array) - typed.array.null_count
            stamps = typed.array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False) if of_event else _NOTHING
            offset = times.offsets_in(zone, stamps) if zone else times.offsets_at(typed.zone, stamps)
            return typed.array, offset, np.zeros(len(typed.array), dtype=bool)
        wall = typed.array.fill_null(0).to_numpy(zero_copy_only=False)
        known = typed.array.is_valid().to_numpy(zero_copy_only=False)
        has_offset = typed.offset.is_valid().to_numpy(zero_copy_only=False)
        offset = typed.offset.fill_null(0).to_numpy(zero_copy_only=False)
        instant = wall - offset.astype(np.int64) * _MINUTE
        local = known & ~has_offset
        record = self._record
        record.times_without_offset += int(local.sum())
        record.times_with_offset += int((known & has_offset).sum())
        if zone is not None:
            if local.any():
                placed = times.localize(wall[local], zone)
                instant[local] = placed.instant
                record.times_twice += int(placed.twice.sum())
                record.times_never += int(placed.never.sum())
            if of_event and known.any():
                offset = times.offsets_in(zone, instant)
        return pa.array(instant, mask=~known).cast(STORED["time"]), offset, local

    def _gaming_days(self, stored: Stored) -> None:
        """Fill in the gaming day from the event's time where the log has none."""
        roles, profile = self._events.pack.roles, self._events.profile
        given = stored.arrays.get(roles.day)
        if not roles.day or (given is not None and not given.null_count):
            return
        instant = stored.arrays[roles.time].cast(pa.int64()).to_numpy(zero_copy_only=False)
        wall = instant + stored.offset.astype(np.int64) * _MINUTE
        day = (wall - profile.gaming_day_starts * _MINUTE) // _DAY
        derived = pa.array(day.astype(np.int32)).cast(pa.date32())
        stored.arrays[roles.day] = derived if given is None else given.fill_null(derived)


def _count_filled(filled: np.ndarray[Any, Any], typed: Typed) -> None:
    """Add a column to the number of cells that are filled in each row, readable or not."""
    nulls = typed.array.null_count
    if nulls == 0:
        filled += 1
    elif nulls < len(filled):
        filled += typed.array.is_valid().to_numpy(zero_copy_only=False)
    filled[[row for row, _ in typed.unreadable]] += 1


def _joined(blocks: Sequence[Stored]) -> Stored:
    """Neighboring blocks as one: fewer, longer columns."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    bad: dict[str, list[np.ndarray[Any, Any]]] = defaultdict(list)
    for s in blocks:
        for name, rows in s.unreadable.items():
            bad[name].append(rows + (s.start - first.start))
    return Stored(
        first.file,
        first.start,
        sum(s.size for s in blocks),
        {name: pa.concat_arrays([s.arrays[name] for s in blocks]) for name in first.arrays},
        {name: np.concatenate(rows) for name, rows in bad.items()},
        np.concatenate([s.lines for s in blocks]),
        np.concatenate([s.offset for s in blocks]),
        np.concatenate([s.local for s in blocks]),
        np.concatenate([s.filled for s in blocks]),
    )
