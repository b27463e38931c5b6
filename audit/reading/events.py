"""All accepted events of an audit as typed blocks, with their files, lines, unreadable cells and the rows set aside."""

from __future__ import annotations

import tempfile
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from audit.errors import OutputError
from audit.reading.fingerprints import Fingerprints
from audit.reading.formats import TEXT, Format
from audit.reading.profile import Profile
from audit.reading.typed import Aside
from rules.batch import STORED
from rules.kit import Pack
from rules.numbers import Numbers

#: Marks, on disk, what neighbors see, and what is held beside the log's columns.
_CARRIED, _OF_ROW = "carried ", "row "
_SPINE = ("lines", "offset", "filled")


@dataclass
class FileRecord:
    """One input: what it is, what was read of it, what became of its rows.

    ``accepted``: events; ``joined``: further rows that became part of them; ``part``: a spreadsheet's sheet;
    ``meant``: our columns and the log's that they are read from.
    """

    label: str
    sha256: str = ""
    content_sha256: str = ""
    size: int = 0
    rows_read: int = 0
    accepted: int = 0
    joined: int = 0
    quarantined: int = 0
    problem: str = ""
    problem_line: int | None = None
    format: Format = TEXT
    part: str = ""
    encoding: str = ""
    delimiter: str = ""
    ignored_columns: tuple[str, ...] = ()
    columns: frozenset[str] = frozenset()
    meant: dict[str, str] = field(default_factory=dict)
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

    ``local``: the event's time was written without offset. ``filled``: how many cells of the row are. ``ids``: what
    stands for the events' ids where millions are compared. ``carried``: what neighbors see of the events. ``path``:
    where the columns lie if they are not held; ``column`` and ``loaded`` bring them in.
    """

    file: int
    start: int
    size: int
    arrays: dict[str, Any]
    unreadable: dict[str, np.ndarray[Any, Any]]
    lines: np.ndarray[Any, Any]
    offset: np.ndarray[Any, Any]
    local: np.ndarray[Any, Any]
    filled: np.ndarray[Any, Any]
    ids: Fingerprints = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    carried: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None
    on_disk: dict[str, str] = field(default_factory=dict)

    def spool(self, folder: Path) -> None:
        """Write the columns to disk and hold them no more. Raises OutputError where there is no room."""
        path = folder / uuid.uuid4().hex
        columns = dict(self.arrays)
        for name, array in self.carried.items():
            same = next((own for own, held in self.arrays.items() if held is array), "")
            self.on_disk[name] = same or _CARRIED + name
            columns[self.on_disk[name]] = array
        columns |= {_OF_ROW + name: pa.array(getattr(self, name)) for name in _SPINE}
        batch = pa.RecordBatch.from_arrays(list(columns.values()), list(columns))
        try:
            with pa.ipc.new_file(str(path), batch.schema) as out:
                out.write_batch(batch)
        except OSError as error:
            raise OutputError(f"cannot write temporary files in {folder}: {error.strerror or error}") from error
        self.arrays, self.carried, self.path = {}, {}, path
        self.lines = self.offset = self.filled = np.zeros(0, dtype=np.int32)

    def column(self, name: str) -> Any:
        """One typed column; ``None`` where the file does not have it."""
        return self.arrays.get(name) if self.path is None else self._from_disk(name)

    def carried_column(self, name: str) -> Any:
        """One column of what neighbors see."""
        return self.carried[name] if self.path is None else self._from_disk(self.on_disk[name])

    def lines_of(self, places: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The lines of some of the events, by their places among these."""
        lines: np.ndarray[Any, Any] = self.lines
        if self.path is not None:
            lines = self._from_disk(_OF_ROW + "lines").to_numpy(zero_copy_only=False)
        return lines.take(places)

    def _mapped(self) -> Any:
        """What lies on disk, as views of the file: a column costs nothing until somebody looks at it."""
        with pa.memory_map(str(self.path)) as file:
            return pa.ipc.open_file(file).get_batch(0)

    def _from_disk(self, name: str) -> Any:
        batch = self._mapped()
        place = batch.schema.get_field_index(name)
        return None if place < 0 else batch.column(place)

    def loaded(self) -> Stored:
        """The same with all its columns at hand, but for what only neighbors see."""
        if self.path is None:
            return self
        batch = self._mapped()
        columns = zip(batch.schema.names, batch.columns, strict=True)
        arrays = {name: array for name, array in columns if not name.startswith(_CARRIED)}
        spine = {name: arrays.pop(_OF_ROW + name).to_numpy(zero_copy_only=False) for name in _SPINE}
        return replace(self, arrays=arrays, path=None, **spine)


class Carried:
    """What neighbors see of all events: a column at a time, for the rows that are asked for."""

    def __init__(self, blocks: Sequence[Stored]) -> None:
        self._blocks = blocks
        self._starts = np.array([stored.start for stored in blocks])

    def take(self, name: str, rows: np.ndarray[Any, Any]) -> Any:
        """The values at ``rows`` (places in the audit); null where one is negative."""
        return self.of(rows)(name)

    def of(self, rows: np.ndarray[Any, Any]) -> Callable[[str], Any]:
        """What gives the values at ``rows`` of one column after another."""
        absent = rows < 0
        near, places = self._blocks[:1], pa.nulls(len(rows), pa.int32())
        if not absent.all():
            low, high = np.searchsorted(
                self._starts, [rows.min(where=~absent, initial=rows.max()), rows.max()], "right"
            )
            near = self._blocks[low - 1 : high]
            places = pa.array(rows - near[0].start, mask=absent)

        def values(name: str) -> Any:
            columns = [stored.carried_column(name) for stored in near]
            return (columns[0] if len(columns) == 1 else pa.concat_arrays(columns)).take(places)

        return values

    def whole(self, name: str) -> Any:
        """The values of all events."""
        return pa.concat_arrays([stored.carried_column(name) for stored in self._blocks])


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
            if column.coded and column.name != pack.roles.event_id
        }
        self.size = 0

    def add_refused(self, record: FileRecord) -> None:
        """A file of which nothing is audited."""
        self.files.append(record)

    @cached_property
    def numbers_in_force(self) -> Numbers:
        """The pack's numbers with what the house has set."""
        return self.pack.numbers.with_house(self.profile.house)

    @cached_property
    def _spool(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="throwaudit-")

    def relieve(self, further: list[Stored]) -> None:
        """Send to disk the columns of all events so far, and of ``further`` ones. Raises OutputError."""
        for stored in (*self.blocks, *further):
            if stored.path is None:
                stored.spool(Path(self._spool.name))

    def numbers(self, name: str, absent: int = -1) -> np.ndarray[Any, Any]:
        """A column over the whole audit as whole numbers, ``absent`` where it is not known.

        Of 32 bits where they fit: with millions of events the width tells.
        """
        plain = pa.int32() if STORED[self.pack.by_name[name].kind.value].bit_width == 32 else pa.int64()
        parts = []
        for s in self.blocks:
            array = s.column(name)
            if array is None:
                parts.append(narrow(np.full(s.size, absent, dtype=np.int64)))
            else:
                parts.append(narrow(array.cast(plain).fill_null(absent).to_numpy(zero_copy_only=False)))
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    @property
    def fingerprints(self) -> Fingerprints:
        """What stands for the ids of all events."""
        return np.concatenate([s.ids for s in self.blocks]) if self.blocks else np.zeros(0, dtype=np.uint64)

    def forget_fingerprints(self) -> None:
        """The ids have been compared."""
        for stored in self.blocks:
            stored.ids = stored.ids[:0].copy()

    def event_ids(self, rows: np.ndarray[Any, Any]) -> list[str]:
        """The ids of some events."""
        result = [""] * len(rows)
        for s in self.blocks:
            here = np.flatnonzero((rows >= s.start) & (rows < s.start + s.size))
            if len(here):
                texts = s.column(self.pack.roles.event_id).take(pa.array(rows[here] - s.start)).to_pylist()
                for place, text in zip(here.tolist(), texts, strict=True):
                    result[place] = text
        return result

    def lines_of(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The lines of some events, by their places in the audit."""
        lines = np.zeros(len(rows), dtype=np.int64)
        for s in self.blocks:
            here = (rows >= s.start) & (rows < s.start + s.size)
            if here.any():
                lines[here] = s.lines_of(rows[here] - s.start)
        return lines

    @property
    def file_of(self) -> np.ndarray[Any, Any]:
        width = np.min_scalar_type(len(self.files))
        parts = [np.full(s.size, s.file, dtype=width) for s in self.blocks]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=width)

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
            if record.rows_read != record.accepted + record.joined + record.quarantined:
                raise AssertionError(
                    f"{record.label}: {record.rows_read} rows read, {record.accepted + record.joined} accepted, "
                    f"{record.quarantined} set aside"
                )
        if sum(record.accepted for record in self.files) != self.size:
            raise AssertionError("events do not add up over the files")
        if sum(record.quarantined for record in self.files) != len(self.aside):
            raise AssertionError("rows set aside do not add up over the files")


def narrow(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Whole numbers of 32 bits, if they fit."""
    bounds = np.iinfo(np.int32)
    fits = not len(numbers) or (numbers.min() >= bounds.min and numbers.max() <= bounds.max)
    return numbers.astype(np.int32) if fits else numbers
