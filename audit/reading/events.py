"""All accepted events of an audit as typed blocks, with their files, lines, unreadable cells and the rows set aside."""

from __future__ import annotations

import tempfile
import uuid
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from audit.errors import OutputError
from audit.reading.delimited import Aside
from audit.reading.profile import Profile
from rules.batch import STORED
from rules.kit import Kind, Pack
from rules.numbers import Numbers


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

    ``local``: the event's time was written without offset. ``filled``: how many cells of the row are. ``carried``: what
    neighbors see of the events. ``path``: where the columns lie that are not held; ``loaded`` brings them in.
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
    carried: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None

    def spool(self, folder: Path, held: Iterable[str]) -> None:
        """Write the columns to disk and hold only ``held``. Raises OutputError where there is no room."""
        self.path = folder / uuid.uuid4().hex
        try:
            with pa.ipc.new_file(str(self.path), self._batch.schema) as out:
                out.write_batch(self._batch)
        except OSError as error:
            raise OutputError(f"cannot write temporary files in {folder}: {error.strerror or error}") from error
        self.arrays = {name: array for name, array in self.arrays.items() if name in set(held)}

    @property
    def _batch(self) -> Any:
        return pa.RecordBatch.from_arrays(list(self.arrays.values()), list(self.arrays))

    def loaded(self) -> Stored:
        """The same with all its columns in memory."""
        if self.path is None:
            return self
        with pa.OSFile(str(self.path)) as file:
            batch = pa.ipc.open_file(file).get_batch(0)
            return replace(self, arrays=dict(zip(batch.schema.names, batch.columns, strict=True)), path=None)


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
        self.size = 0

    def add_refused(self, record: FileRecord) -> None:
        """A file of which nothing is audited."""
        self.files.append(record)

    @cached_property
    def numbers_in_force(self) -> Numbers:
        """The pack's numbers with what the house has set."""
        return self.pack.numbers.with_house(self.profile.house)

    @cached_property
    def needed_for_placing(self) -> frozenset[str]:
        """The columns that are held for all events, however many there are."""
        roles = self.pack.roles
        names = (roles.site, roles.table, roles.event_id, roles.seq, roles.time, roles.day)
        return frozenset((*names, roles.names_event, roles.responsible)) - {""}

    @cached_property
    def _spool(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="throwaudit-")

    @property
    def spool_folder(self) -> Path:
        """A folder of this audit's own; it goes when the audit does."""
        return Path(self._spool.name)

    def numbers(self, name: str, absent: int = -1) -> np.ndarray[Any, Any]:
        """A column over the whole audit as whole numbers, ``absent`` where it is not known.

        Of 32 bits where they fit: with millions of events the width tells.
        """
        plain = pa.int32() if STORED[self.pack.by_name[name].kind.value].bit_width == 32 else pa.int64()
        parts = []
        for s in self.blocks:
            array = s.arrays.get(name)
            if array is None:
                parts.append(np.full(s.size, absent, dtype=np.int32))
            else:
                parts.append(_narrow(array.cast(plain).fill_null(absent).to_numpy(zero_copy_only=False)))
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


def _narrow(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Whole numbers of 32 bits, if they fit."""
    bounds = np.iinfo(np.int32)
    fits = not len(numbers) or (numbers.min() >= bounds.min and numbers.max() <= bounds.max)
    return numbers.astype(np.int32) if fits else numbers
