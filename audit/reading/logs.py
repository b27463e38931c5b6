"""Read all logs of an audit: each file whole or not at all, several runs of rows at a time on all processors."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain, islice

import pyarrow as pa

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading import cells
from audit.reading.delimited import Cut, read_blocks, type_blocks
from audit.reading.events import Events, FileRecord
from audit.reading.formats import TEXT, kind_of, row_logs
from audit.reading.header import Header, columns_of, prove_delimiter, understand
from audit.reading.intake import Intake
from audit.reading.lines import Block
from audit.reading.long import widened
from audit.reading.profile import Profile
from audit.reading.rowwise import RowLog, Rows, type_rows
from audit.reading.sources import Content, Source
from audit.reading.typed import Layout, TypedBlock
from rules.kit import Pack

#: Blocks of text that are typed together.
STRETCH = 12

Progress = Callable[[int], None]
Typing = tuple[Callable[[], list[TypedBlock]], int, str]


def _nothing(_: int) -> None:
    pass


class _Reading:
    """One run through the sources; the first file whose header fits a pack decides it for all."""

    def __init__(self, pack: Pack | None, packs: Sequence[Pack], profile: Profile, progress: Progress) -> None:
        self.packs = packs
        self.profile = profile
        self.progress = progress
        self.events = Events(pack, profile) if pack else None
        self.refused: list[FileRecord] = []
        self._contents: dict[tuple[str, str], str] = {}

    @property
    def pack(self) -> Pack | None:
        return self.events.pack if self.events else None

    def layout(self, header: Header) -> Layout:
        columns = (*header.pack.columns, *columns_of(header.pack, self.profile))
        own = [column for column in columns if not column.derived]
        return Layout(header, cells.readers(own, header.pack.roles.event_id, self.profile.habits))

    def file(self, source: Source, pool: ThreadPoolExecutor) -> None:
        """Read one file: whole, or not at all."""
        try:
            self._read(source, pool)
        except UnreadableInputError as problem:
            sha256, size = source.identity()
            self._refuse(FileRecord(source.label, sha256, size=size, problem=problem.reason, problem_line=problem.line))
        finally:
            source.close()

    def _refuse(self, record: FileRecord) -> None:
        if self.events is None:
            self.refused.append(record)
        else:
            self.events.add_refused(record)

    def _read(self, source: Source, pool: ThreadPoolExecutor) -> None:
        if source.problem:
            raise UnreadableInputError(source.problem)
        content = source.open()
        kind = kind_of(content)
        if kind is TEXT and self.profile.long is None:
            self._read_text(source, content, pool)
            return
        for log in row_logs(kind, source, content, self.pack, self.packs, self.profile):
            label = f"{source.label}!{log.part}" if log.part else source.label
            record = FileRecord(label, format=kind, part=log.part)
            try:
                intake = self._read_rows(record, log, pool)
            except UnreadableInputError as problem:
                if not log.part:
                    raise
                sha256, size = source.identity()
                self._refuse(FileRecord(label, sha256, size=size, problem=problem.reason, problem_line=problem.line))
                continue
            self._finish(content, record, intake)
            self.progress(record.size)

    def _read_text(self, source: Source, content: Content, pool: ThreadPoolExecutor) -> None:
        def of_line(line: str) -> tuple[str, Layout]:
            delimiter, header = prove_delimiter(line, self.pack, self.packs, self.profile)
            return delimiter, self.layout(header)

        pairs = read_blocks(source, content, of_line, self.profile)
        first = next(pairs, None)
        if first is None:
            raise UnreadableInputError(errors.EMPTY)
        record = FileRecord(source.label, delimiter=first[0].delimiter)
        intake = self._begin(record, first[0].layout.header)
        self._take(record, intake, _text_runs(chain([first], pairs)), pool)
        self._finish(content, record, intake)

    def _read_rows(self, record: FileRecord, log: RowLog, pool: ThreadPoolExecutor) -> Intake:
        header = understand(log.names, self.pack, self.packs, self.profile)
        intake = self._begin(record, header)
        record.notes.extend(log.notes)
        runs = log.rows
        if self.profile.long is not None:
            rows = widened(header, self.profile.long, log.rows)
            plain = Profile(constants=self.profile.constants)
            header = understand(list(rows.columns), header.pack, [], plain)
            runs = iter([lambda: rows])
        layout = self.layout(header)
        self._take(record, intake, (self._row_run(layout, log, record, run) for run in runs), pool)
        return intake

    def _row_run(self, layout: Layout, log: RowLog, record: FileRecord, run: Callable[[], Rows]) -> Typing:
        def typed() -> list[TypedBlock]:
            rows = run()
            own = layout
            if log.open_ended and list(rows.columns) != list(layout.header.names):
                header = understand(list(rows.columns), layout.header.pack, [], self.profile, whole=False)
                own = Layout(header, layout.readers)
                record.columns |= frozenset(column.name for column in header.columns)
                record.ignored_columns = tuple(dict.fromkeys((*record.ignored_columns, *header.ignored)))
            return [type_rows(own, rows, log.open_ended)]

        return typed, 0, "utf-8"

    def _begin(self, record: FileRecord, header: Header) -> Intake:
        record.ignored_columns = header.ignored
        record.columns = frozenset(column.name for column in header.columns) | frozenset(header.constants)
        for wanted in header.wanted:
            theirs = " + ".join(header.names[place] for place in wanted.places)
            record.meant |= {column.name: theirs for column in wanted.columns}
        if header.absent:
            record.notes.append(errors.columns_absent(header.absent))
        return Intake(self._events_of(header.pack), record)

    def _take(self, record: FileRecord, intake: Intake, runs: Iterable[Typing], pool: ThreadPoolExecutor) -> None:
        """Type the runs in their order, a few ahead, and take them in."""
        waiting: deque[tuple[Future[list[TypedBlock]], int, str]] = deque()
        ahead = os.cpu_count() or 1

        def next_one() -> None:
            future, size, encoding = waiting.popleft()
            intake.add(future.result())
            record.encoding = encoding
            self.progress(size)

        for typed, size, encoding in runs:
            waiting.append((pool.submit(typed), size, encoding))
            if len(waiting) > ahead:
                next_one()
        while waiting:
            next_one()

    def _finish(self, content: Content, record: FileRecord, intake: Intake) -> None:
        sha256, size, content_sha256 = content.finish()
        record.sha256, record.size, record.content_sha256 = sha256, size, content_sha256
        same = self._contents.setdefault((content_sha256, record.part), record.label)
        if same == record.label:
            intake.commit()
        elif self.events is not None:
            again = FileRecord(record.label, sha256, content_sha256, size)
            again.notes.append(errors.SAME_AGAIN.format(other=same))
            self.events.files.append(again)

    def _events_of(self, pack: Pack) -> Events:
        """The events of the audit, begun with the first file that tells its pack."""
        if self.events is None:
            self.events = Events(pack, self.profile)
            for record in self.refused:
                self.events.add_refused(record)
        return self.events


def _text_runs(pairs: Iterable[tuple[Cut, Block]]) -> Iterator[Typing]:
    """A stretch of blocks at a time."""
    pairs = iter(pairs)
    while taken := list(islice(pairs, STRETCH)):
        blocks = [block for _, block in taken]
        size = sum(len(block.data) for block in blocks)
        yield partial(type_blocks, taken[0][0], blocks), size, blocks[-1].encoding


def read_logs(
    sources: Sequence[Source],
    pack: Pack | None,
    packs: Sequence[Pack],
    profile: Profile,
    progress: Progress = _nothing,
) -> Events | list[FileRecord]:
    """All events of the sources, or, where not one of them tells what pack it is, the records of what was wrong.

    A file with the bytes of one before it is read once, and said so.
    """
    reading = _Reading(pack, packs, profile, progress)
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for source in sources:
            reading.file(source, pool)
    if reading.events is None:
        return reading.refused
    reading.events.check_counts()
    pa.default_memory_pool().release_unused()
    return reading.events
