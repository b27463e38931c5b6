"""Archived events, read back as the audit holds them: the days that are reported, and what their rules look at."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.errors import Said
from audit.nightly.columns import typed
from audit.nightly.parts import read_part
from audit.nightly.state import LOOK_BACK, UNDATED, PartRecord, SiteDay, State
from audit.nightly.taking import of_tables, read_quarantine
from audit.reading.events import Events, FileRecord, Stored, Unreadable, narrow
from audit.reading.fingerprints import fingerprints
from audit.reading.profile import Profile
from audit.reading.typed import Aside
from rules.batch import Batch
from rules.kit import Pack

#: Days are asked together up to about so many rows.
BLOCK = 150_000
#: The ids of so many days are kept: of those that the events of some windows may name.
_DAYS_OF_IDS = 4 * LOOK_BACK


@dataclass
class Window:
    """Events of some days.

    For each block its days in their order, each with its rows (``None``: they are only looked at), and of its rows the
    parts, the logs' names, and which tables of each part they are.
    """

    events: Events
    reported_days: Sequence[SiteDay]
    spans: list[list[tuple[SiteDay | None, int]]] = field(default_factory=list)
    parts: list[list[tuple[PartRecord, int]]] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    tables: list[dict[str, frozenset[str]]] = field(default_factory=list)

    def reported(self, block: int) -> bool:
        """Whether the days of a block are reported."""
        return self.spans[block][0][0] is not None

    def starts(self, block: int) -> np.ndarray[Any, Any]:
        """Where each day of a block begins in it."""
        return np.cumsum([0, *(size for _, size in self.spans[block])])[:-1]


class Reader:
    """Reads parts, each once. ``ids``: of days, kept from one window to the next; ``threads``: so many at a time."""

    def __init__(self, archive: Path, state: State, pack: Pack, ids: dict[SiteDay, Any], threads: int) -> None:
        self._archive, self._state, self._pack, self._ids, self._threads = archive, state, pack, ids, threads
        self._tables: dict[tuple[str, frozenset[str]], Any] = {}

    def by_part(self, where: SiteDay, wanted: Iterable[str] | None = None) -> dict[str, set[str]]:
        """The parts whose rows stand for a day, with the tables (of some) that each has rows of."""
        by_part: dict[str, set[str]] = {}
        current = self._state.current[where]
        for table in current if wanted is None else wanted:
            for path in current[table]:
                by_part.setdefault(path, set()).add(table)
        return by_part

    def tables(self, where: SiteDay, wanted: Iterable[str] | None = None) -> list[tuple[PartRecord, Any]]:
        """The rows that stand for a day (of some tables), part by part."""
        by_part = self.by_part(where, wanted)
        order = {part.path: place for place, part in enumerate(self._state.parts_of[where])}
        found = []
        for path in sorted(by_part, key=order.__getitem__):
            key = (path, frozenset(by_part[path]))
            if key not in self._tables:
                self._tables[key] = self._read(path, by_part[path])
            found.append((self._state.parts[path], self._tables[key]))
        return found

    def read_ahead(self, wanted: Mapping[SiteDay, Iterable[str] | None]) -> None:
        """Read what will be asked for."""
        missing = {
            (path, frozenset(tables))
            for where, names in wanted.items()
            for path, tables in self.by_part(where, names).items()
        } - self._tables.keys()
        with ThreadPoolExecutor(self._threads) as pool:
            self._tables.update(
                zip(missing, pool.map(lambda key: self._read(key[0], set(key[1])), missing), strict=True)
            )

    def _read(self, path: str, tables: set[str]) -> Any:
        names = [column.name for column in self._pack.columns]
        log = ["log_file", "log_line", "utc_offset_minutes", "cells_filled", "cells_unreadable"]
        table = read_part(self._archive, path, [*names, *log])
        if set(self._state.parts[path].units) - tables:
            table = of_tables(table, self._pack.roles.order, sorted(tables))
        return table

    def ids(self, where: SiteDay) -> Any:
        """The ids of a day's events."""
        if where not in self._ids:
            name = self._pack.roles.event_id
            by_part = self.by_part(where)
            own: list[Any] = [self._tables.get((path, frozenset(tables))) for path, tables in by_part.items()]
            if any(table is None for table in own):
                own = [read_part(self._archive, path, [name]) for path in by_part]
            self._ids[where] = pa.concat_arrays([table[name].combine_chunks().cast(pa.string()) for table in own])
            if len(self._ids) > _DAYS_OF_IDS:
                del self._ids[next(iter(self._ids))]
        return self._ids[where]


def named_elsewhere(
    reader: Reader, state: State, pack: Pack, where: SiteDay, context: Mapping[SiteDay, set[str]]
) -> tuple[tuple[str, ...], bool]:
    """The days of earlier events that this day's name, beyond its neighbors; and whether some are nowhere."""
    column = pack.roles.names_event
    if not column or where.day == UNDATED:
        return (), False
    own = reader.tables(where)
    named = [t[column].combine_chunks().cast(pa.string()).drop_null() for _, t in own if column in t.schema.names]
    names = pc.unique(pa.concat_arrays(named)) if named else pa.array([], pa.string())
    near = [t for _, t in own] + [t for other, tables in context.items() for _, t in reader.tables(other, tables)]
    for table in near:
        if not len(names):
            return (), False
        names = names.filter(pc.invert(pc.is_in(names, value_set=table[pack.roles.event_id].combine_chunks())))
    links = []
    for day in reversed(state.before(where)):
        if not len(names):
            break
        ids = reader.ids(where._replace(day=day))
        found = pc.is_in(ids, value_set=names)
        if found.true_count:
            links.append(day)
            names = names.filter(pc.invert(pc.is_in(names, value_set=ids.filter(found))))
    return tuple(sorted(links)), bool(len(names))


def read_window(
    archive: Path,
    state: State,
    reader: Reader,
    pack: Pack,
    profile: Profile,
    days: Sequence[SiteDay],
    context: Mapping[SiteDay, set[str]],
) -> Window:
    """The events of ``days``, and beside them those of ``context`` (tables by day)."""
    window = Window(Events(pack, profile), sorted(days))
    wanted: dict[SiteDay, Sequence[str] | None] = {where: sorted(tables) for where, tables in context.items()}
    wanted.update(dict.fromkeys(days))
    reader.read_ahead(wanted)
    blocks: dict[tuple[_File, bool], list[_Block]] = {}
    for where in sorted(wanted):
        of_part = reader.by_part(where, wanted[where])
        own: dict[_File, list[_Rows]] = {}
        for part, table in reader.tables(where, wanted[where]):
            if table.num_rows:
                own.setdefault(_file_of(state, part), []).append(_Rows(part, table, frozenset(of_part[part.path])))
        for file, rows in own.items():
            alike = blocks.setdefault((file, where in days), [])
            if not alike or alike[-1].size >= BLOCK:
                alike.append(_Block(file, where in days))
            alike[-1].days.append((where, rows))
    numbers: dict[_File, int] = {}
    ordered = list(blocks) if pack.games else sorted(blocks)  # whatever days it holds, a window has the same order
    for kind in ordered:
        for block in blocks[kind]:
            _add_block(window, _numbered(window, archive, state, block, numbers), block)
    _code_ids(window.events)
    for stored in window.events.blocks:
        _finish(window.events, stored)
    return window


class _File(NamedTuple):
    """What the rules take for one file: logs of one layout, which log the same columns, in the order of the layouts.

    A log with rows set aside is one by itself; ``input``: the how-many-eth it is.
    """

    layout: int
    input: int
    log: int


def _file_of(state: State, part: PartRecord) -> _File:
    log = state.inputs[part.input]["logs"][part.log]
    layout = state.layouts[log["layout"]].number
    return _File(layout, state.inputs[part.input]["number"], part.log) if log["quarantined"] else _File(layout, -1, -1)


def _numbered(window: Window, archive: Path, state: State, block: _Block, numbers: dict[_File, int]) -> int:
    """The number of a block's file among those of the window."""
    if block.file not in numbers:
        number = numbers[block.file] = len(window.events.files)
        part = block.days[0][1][0].part
        log = state.inputs[part.input]["logs"][part.log]
        columns, logged = frozenset(log["columns"]), frozenset(log["logged"])
        window.events.files.append(FileRecord(log["label"], encoding=log["encoding"], columns=columns, logged=logged))
        if log["quarantined"]:
            window.events.aside.extend(
                (number, Aside(r["line"], Said(r["kind"], r["reason"]), base64.b64decode(r["raw"]), r["cells"]))
                for r in read_quarantine(archive, part.input, part.log)
            )
    return numbers[block.file]


class _Rows(NamedTuple):
    """The rows of some tables in one part."""

    part: PartRecord
    table: Any
    tables: frozenset[str]


@dataclass
class _Block:
    """Days of one file that are asked together: every question costs, however few rows it is asked of."""

    file: _File
    reported: bool
    days: list[tuple[SiteDay, list[_Rows]]] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(rows.table.num_rows for _, own in self.days for rows in own)


def _add_block(window: Window, file: int, block: _Block) -> None:
    events = window.events
    own = [rows for _, of_day in block.days for rows in of_day]
    tables = [rows.table for rows in own]
    whole = tables[0] if len(tables) == 1 else pa.concat_tables(tables, promote_options="permissive")
    whole = whole.unify_dictionaries().combine_chunks()
    arrays = {
        column.name: typed(column, whole[column.name].combine_chunks(), column.name in events.ids)
        for column in events.pack.columns
        if column.name in whole.schema.names
    }
    stored = Stored(
        file,
        events.size,
        whole.num_rows,
        arrays,
        _unreadable(events, whole),
        narrow(whole["log_line"].to_numpy()),
        whole["utc_offset_minutes"].to_numpy(),
        np.zeros(0, dtype=bool),
        whole["cells_filled"].to_numpy(),
    )
    events.blocks.append(stored)
    events.size += stored.size
    window.spans.append(
        [
            (where if block.reported else None, sum(rows.table.num_rows for rows in of_day))
            for where, of_day in block.days
        ]
    )
    window.parts.append([(rows.part, rows.table.num_rows) for rows in own])
    window.tables.append({rows.part.path: rows.tables for rows in own})
    window.labels.append(whole["log_file"].combine_chunks())


def _unreadable(events: Events, table: Any) -> dict[str, np.ndarray[Any, Any]]:
    texts = table["cells_unreadable"].combine_chunks()
    rows: dict[str, list[int]] = {}
    if texts.null_count < len(texts):
        for row in np.flatnonzero(texts.is_valid().to_numpy(zero_copy_only=False)).tolist():
            for name, text in json.loads(texts[row].as_py()).items():
                rows.setdefault(name, []).append(row)
                if text is not None:
                    events.unreadable.append(Unreadable(events.size + row, name, text))
    return {name: np.array(found, dtype=np.int64) for name, found in rows.items()}


def _code_ids(events: Events) -> None:
    for name, ids in events.ids.items():
        own = [stored for stored in events.blocks if name in stored.arrays]
        if own:
            for stored, codes in zip(own, ids.codes([s.arrays[name] for s in own]), strict=True):
                stored.arrays[name] = codes


def _finish(events: Events, stored: Stored) -> None:
    """What neighbors see of the events, and what stands for their ids."""
    pack = events.pack
    batch = Batch(
        pack, stored.start, stored.size, stored.arrays, stored.unreadable, frozenset(), events.numbers_in_force
    )
    batch.texts_of = events.text_column
    stored.carried = dict(pack.carried(pack.view(batch)))
    stored.ids = fingerprints(stored.arrays[pack.roles.event_id])
