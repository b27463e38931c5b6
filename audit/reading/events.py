"""All accepted events of an audit as typed blocks, with their files, lines, unreadable cells and the rows set aside."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from audit.reading import times
from audit.reading.cells import Typed
from audit.reading.delimited import Aside, TypedBlock
from audit.reading.profile import Profile
from rules.batch import STORED
from rules.kit import Kind, Pack

_DAY = 86400 * times.MICRO
_MINUTE = 60 * times.MICRO

#: Events are held in runs of about so many: long enough that the work on columns outweighs the calls.
RUN = 500_000


@dataclass
class FileRecord:
    """One input: what it is, what was read of it, what became of its rows."""

    label: str
    sha256: str = ""
    content_sha256: str = ""
    size: int = 0
    rows_read: int = 0
    accepted: int = 0
    quarantined: int = 0
    problem: str = ""
    problem_line: int | None = None
    encoding: str = ""
    delimiter: str = ""
    ignored_columns: tuple[str, ...] = ()
    columns: frozenset[str] = frozenset()
    logged: frozenset[str] = frozenset()
    times_with_offset: int = 0
    times_without_offset: int = 0
    times_twice: int = 0
    times_never: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Unreadable:
    """A cell that holds what its column cannot have. ``row`` is the event's place in the audit."""

    row: int
    column: str
    text: str


@dataclass
class Stored:
    """Events ``start`` to ``start + size``: typed columns, lines, offset of the event's time in minutes.

    ``local``: the event's time was written without offset.
    """

    file: int
    start: int
    size: int
    arrays: dict[str, Any]
    unreadable: dict[str, np.ndarray[Any, Any]]
    lines: np.ndarray[Any, Any]
    offset: np.ndarray[Any, Any]
    local: np.ndarray[Any, Any]


class Ids:
    """The different texts of an id column over all files; columns of one field share them."""

    def __init__(self) -> None:
        self.texts = pa.array([], pa.string())

    def codes(self, coded: list[Any]) -> list[Any]:
        """Codes of dictionary-encoded columns of texts, null where blank; new texts are taken in."""
        known = pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), self.texts)
        first, *others = pa.chunked_array([known, *coded]).unify_dictionaries().chunks
        self.texts = others[-1].dictionary if others else first.dictionary
        return [one.indices for one in others]

    def code(self, text: str) -> int:
        """The code of one text."""
        (codes,) = self.codes([pa.array([text], pa.string()).dictionary_encode()])
        code: int = codes[0].as_py()
        return code


class Events:
    """The events of one audit, in the order of the files and of the rows in them."""

    def __init__(self, pack: Pack, profile: Profile) -> None:
        self.pack = pack
        self.profile = profile
        self.files: list[FileRecord] = []
        self.blocks: list[Stored] = []
        self.unreadable: list[Unreadable] = []
        self.aside: list[tuple[int, Aside]] = []
        by_field: dict[str, Ids] = defaultdict(Ids)  # the dice of a throw share their serials
        self.ids: dict[str, Ids] = {
            column.name: by_field[column.field]
            for column in pack.columns
            if column.kind is Kind.ID and column.name != pack.roles.event_id
        }
        self.filled_cells = 0
        self.size = 0

    # Taking in

    def add_refused(self, record: FileRecord) -> None:
        """A file of which nothing is audited."""
        self.files.append(record)

    def add_file(self, record: FileRecord, blocks: Iterable[TypedBlock]) -> None:
        """The rows of one file, whole."""
        number = len(self.files)
        self.files.append(record)
        blocks = list(blocks)
        codes = self._codes(blocks)
        stored = [self._store(number, record, block, codes[place]) for place, block in enumerate(blocks)]
        kept = deque(s for s in stored if s.size)
        del stored
        record.logged = frozenset(
            name
            for name in record.columns
            if any(name in s.arrays and s.arrays[name].null_count < s.size for s in kept)
        )
        _place_local_times(self, record, kept)
        for s in kept:
            _gaming_days(self, s)
        self.blocks.extend(_merged(kept))

    def _codes(self, blocks: Sequence[TypedBlock]) -> list[dict[str, Any]]:
        """The codes of the id columns of each block."""
        codes: list[dict[str, Any]] = [{} for _ in blocks]
        for name, ids in self.ids.items():
            if blocks and name in blocks[0].columns:
                own = ids.codes([block.columns[name].array for block in blocks])
                for place, array in enumerate(own):
                    codes[place][name] = array
        return codes

    def _store(self, number: int, record: FileRecord, block: TypedBlock, codes: Mapping[str, Any]) -> Stored:
        size = len(block.lines)
        record.rows_read += block.rows_read
        record.accepted += size
        record.quarantined += len(block.aside)
        self.aside.extend((number, aside) for aside in block.aside)
        arrays: dict[str, Any] = {}
        bad: dict[str, np.ndarray[Any, Any]] = {}
        offset = np.zeros(size, dtype=np.int32)
        local = np.zeros(size, dtype=bool)
        for name, typed in block.columns.items():
            kind = self.pack.by_name[name].kind
            if name in codes:
                arrays[name] = codes[name]
            elif kind is Kind.TIME:
                arrays[name] = typed
            else:
                arrays[name] = typed.array
            filled = size - typed.array.null_count + len(typed.unreadable)
            self.filled_cells += filled
            if typed.unreadable:
                bad[name] = np.array([row for row, _ in typed.unreadable], dtype=np.int64)
                self.unreadable.extend(Unreadable(self.size + r, name, text) for r, text in typed.unreadable)
        for name, array in list(arrays.items()):
            if isinstance(array, Typed):
                arrays[name], column_offset, column_local = self._instants(array, record)
                if name == self.pack.roles.time:
                    offset, local = column_offset, column_local
        self._fill_site(arrays, size)
        block.columns.clear()
        stored = Stored(number, self.size, size, arrays, bad, block.lines, offset, local)
        self.size += size
        return stored

    def _fill_site(self, arrays: dict[str, Any], size: int) -> None:
        name = self.pack.roles.site
        if self.profile.site and name in self.ids:
            code = pa.scalar(self.ids[name].code(self.profile.site), pa.int32())
            if name in arrays:
                arrays[name] = arrays[name].fill_null(code)
            else:
                arrays[name] = pa.array(np.full(size, code.as_py(), dtype=np.int32))

    def _instants(self, typed: Typed, record: FileRecord) -> tuple[Any, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Instants of a column of times; local ones are given their first instant, to be settled later."""
        wall = typed.array.fill_null(0).to_numpy(zero_copy_only=False)
        known = typed.array.is_valid().to_numpy(zero_copy_only=False)
        has_offset = typed.offset.is_valid().to_numpy(zero_copy_only=False)
        offset = typed.offset.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        instant = wall - offset * _MINUTE
        local = known & ~has_offset
        record.times_without_offset += int(local.sum())
        record.times_with_offset += int((known & has_offset).sum())
        zone = self.profile.timezone
        if zone is not None:
            if local.any():
                placed = times.localize(wall[local], zone)
                instant[local] = placed.instant
                record.times_twice += int(placed.twice.sum())
                record.times_never += int(placed.never.sum())
            offset = times.offsets_in(zone, instant).astype(np.int64) if known.any() else offset
        return pa.array(instant, mask=~known).cast(STORED["time"]), offset.astype(np.int32), local

    # Giving out

    def numbers(self, name: str, absent: int = -1) -> np.ndarray[Any, Any]:
        """A column over the whole audit as whole numbers, ``absent`` where it is not known."""
        kind = STORED[self.pack.by_name[name].kind.value]
        parts = []
        for s in self.blocks:
            array = s.arrays.get(name)
            if array is None:
                parts.append(np.full(s.size, absent, dtype=np.int64))
            else:
                wide = array.cast(pa.int32()) if kind == pa.date32() else array
                parts.append(wide.cast(pa.int64()).fill_null(absent).to_numpy(zero_copy_only=False))
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def event_ids(self) -> Any:
        """The ids of all events as one chunked array."""
        name = self.pack.roles.event_id
        return pa.chunked_array([s.arrays[name] for s in self.blocks], pa.string())

    @property
    def lines(self) -> np.ndarray[Any, Any]:
        parts = [s.lines for s in self.blocks]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    @property
    def file_of(self) -> np.ndarray[Any, Any]:
        parts = [np.full(s.size, s.file, dtype=np.int32) for s in self.blocks]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)

    def text_column(self, name: str) -> Any:
        """The texts behind the codes of an id column, as an Arrow array with at least one entry."""
        texts = self.ids[name].texts
        return texts if len(texts) else pa.array([""], pa.string())

    def texts(self, name: str) -> list[str]:
        """The texts behind the codes of an id column."""
        texts: list[str] = self.ids[name].texts.to_pylist()
        return texts

    def check_counts(self) -> None:
        """Rows read are events and rows set aside, for each file and in all. Raises AssertionError."""
        for record in self.files:
            if record.rows_read != record.accepted + record.quarantined:
                raise AssertionError(
                    f"{record.label}: {record.rows_read} rows read, {record.accepted} accepted, "
                    f"{record.quarantined} set aside"
                )
        if sum(record.accepted for record in self.files) != self.size:
            raise AssertionError("events do not add up over the files")
        if sum(record.quarantined for record in self.files) != len(self.aside):
            raise AssertionError("rows set aside do not add up over the files")


def _merged(blocks: deque[Stored]) -> Iterator[Stored]:
    """Neighboring blocks of one file joined to runs of about RUN events: fewer, longer columns.

    The blocks are given up one after another, so that their memory is used again for what comes.
    """
    waiting: list[Stored] = []
    while blocks:
        waiting.append(blocks.popleft())
        if sum(s.size for s in waiting) >= RUN:
            yield _one(waiting)
            waiting = []
    if waiting:
        yield _one(waiting)


def _one(blocks: list[Stored]) -> Stored:
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
    )


def _gaming_days(events: Events, stored: Stored) -> None:
    """Fill in the gaming day from the event's time where the log has none."""
    roles, profile = events.pack.roles, events.profile
    if not roles.day:
        return
    instant = stored.arrays[roles.time].cast(pa.int64()).to_numpy(zero_copy_only=False)
    wall = instant + stored.offset.astype(np.int64) * _MINUTE
    day = (wall - profile.gaming_day_starts * _MINUTE) // _DAY
    derived = pa.array(day.astype(np.int32)).cast(pa.date32())
    given = stored.arrays.get(roles.day)
    stored.arrays[roles.day] = derived if given is None else given.fill_null(derived)


def _place_local_times(events: Events, record: FileRecord, blocks: Sequence[Stored]) -> None:
    """Settle local times that occur twice so that each table's own order does not run backward."""
    zone = events.profile.timezone
    if zone is None or not record.times_twice or not blocks:
        return
    roles = events.pack.roles
    hour = 3600 * times.MICRO
    time = _joined(blocks, roles.time)
    table = _joined(blocks, roles.table)
    seq = _joined(blocks, roles.seq)
    wall = time + times.offsets_in(zone, time).astype(np.int64) * _MINUTE
    placed = times.localize(wall, zone)
    twice = placed.twice & np.concatenate([s.local for s in blocks])
    for code in np.unique(table[twice]):
        rows = np.flatnonzero(table == code)
        near = np.isin(wall[rows] // hour, np.unique(wall[rows][twice[rows]] // hour))
        rows = rows[near]
        if (seq[rows] >= 0).all():
            rows = rows[np.argsort(seq[rows], kind="stable")]
        elif len(rows) > 1 and wall[rows[-1]] < wall[rows[0]] and (np.diff(wall[rows]) < 0).mean() > 0.5:
            rows = rows[::-1]
        latest = None
        for row in rows:
            if twice[row] and latest is not None and time[row] < latest:
                time[row] = placed.later[row]
            latest = time[row]
    for name, typed in blocks[0].arrays.items():
        if pa.types.is_timestamp(typed.type) and name != roles.time and not record.times_with_offset:
            _nearest(blocks, name, time, zone)
    at = 0
    for stored in blocks:
        own = time[at : at + stored.size]
        stored.arrays[roles.time] = pa.array(own).cast(STORED["time"])
        stored.offset = times.offsets_in(zone, own)
        at += stored.size


def _joined(blocks: Sequence[Stored], name: str) -> np.ndarray[Any, Any]:
    parts = []
    for s in blocks:
        array = s.arrays.get(name)
        if array is None:
            parts.append(np.full(s.size, -1, dtype=np.int64))
        else:
            parts.append(array.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False))
    return np.concatenate(parts).copy()


def _nearest(blocks: Sequence[Stored], name: str, time: np.ndarray[Any, Any], zone: Any) -> None:
    """Give the event's other times that occur twice the instant nearer to the event's own."""
    at = 0
    for stored in blocks:
        array = stored.arrays[name]
        known = array.is_valid().to_numpy(zero_copy_only=False)
        instant = array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False).copy()
        wall = instant + times.offsets_in(zone, instant).astype(np.int64) * _MINUTE
        placed = times.localize(wall, zone)
        own = time[at : at + stored.size]
        nearer = placed.twice & (abs(placed.later - own) < abs(placed.instant - own))
        instant[nearer] = placed.later[nearer]
        stored.arrays[name] = pa.array(instant, mask=~known).cast(STORED["time"])
        at += stored.size
