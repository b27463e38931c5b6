"""Read all logs of an audit: each file whole or not at all, several blocks at a time on all processors."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice

import pyarrow as pa

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading import cells
from audit.reading.delimited import Layout, TypedBlock, read_blocks, type_blocks
from audit.reading.events import Events, FileRecord
from audit.reading.intake import Intake
from audit.reading.lines import Block
from audit.reading.profile import Profile
from audit.reading.sources import Content, Source
from rules.kit import Pack

#: What a file is, told by its first bytes; what is not read yet is refused by name.
_OTHER_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", errors.not_yet("a spreadsheet")),
    (b"\xd0\xcf\x11\xe0", errors.not_yet("an old or an encrypted spreadsheet")),
    (b"PAR1", errors.not_yet("a Parquet file")),
    (b"%PDF", errors.not_a_log("a PDF document")),
    (b"\x89PNG", errors.not_a_log("a picture")),
    (b"\xff\xd8\xff", errors.not_a_log("a picture")),
    (b"\x7fELF", errors.not_a_log("a program")),
)

#: Blocks that are typed together.
STRETCH = 12

Progress = Callable[[int], None]


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
        self._contents: dict[str, str] = {}

    def readers(self, pack: Pack) -> dict[str, cells.Reader]:
        return cells.readers(pack.columns, self.profile.blank)

    def file(self, source: Source, pool: ThreadPoolExecutor) -> None:
        """Read one file: whole, or not at all."""
        try:
            self._read(source, pool)
        except UnreadableInputError as problem:
            record = FileRecord(source.label, problem=problem.reason, problem_line=problem.line)
            record.sha256, record.size = source.identity()
            if self.events is None:
                self.refused.append(record)
            else:
                self.events.add_refused(record)
        finally:
            source.close()

    def _read(self, source: Source, pool: ThreadPoolExecutor) -> None:
        if source.problem:
            raise UnreadableInputError(source.problem)
        record = FileRecord(source.label)
        content = source.open()
        self._refuse_other_kinds(content)
        pairs = read_blocks(source, content, self.events.pack if self.events else None, self.packs, self.readers)
        first = next(pairs, None)
        if first is None:
            raise UnreadableInputError(errors.EMPTY)
        layout = first[0]
        record.delimiter = layout.delimiter
        record.ignored_columns = layout.header.ignored
        record.columns = frozenset(column.name for column in layout.header.columns if column)
        events = self._events_of(layout.header.pack)
        intake = Intake(events, record)
        for stretch, done in _typed(chain([first], pairs), pool):
            intake.add(done)
            record.encoding = stretch[-1].encoding
            self.progress(sum(len(block.data) for block in stretch))
        record.sha256, record.size, record.content_sha256 = content.finish()
        same = self._contents.setdefault(record.content_sha256, source.label)
        if same == source.label:
            intake.commit()
        else:
            again = FileRecord(source.label, record.sha256, record.content_sha256, record.size)
            again.notes.append(errors.SAME_AGAIN.format(other=same))
            events.files.append(again)

    def _events_of(self, pack: Pack) -> Events:
        """The events of the audit, begun with the first file that tells its pack."""
        if self.events is None:
            self.events = Events(pack, self.profile)
            for record in self.refused:
                self.events.add_refused(record)
        return self.events

    @staticmethod
    def _refuse_other_kinds(content: Content) -> None:
        head = content.peek(8)
        if not head or head == b"\xef\xbb\xbf":
            raise UnreadableInputError(errors.EMPTY)
        for magic, reason in _OTHER_KINDS:
            if head.startswith(magic):
                raise UnreadableInputError(reason)
        if head.lstrip()[:1] in (b"{", b"["):
            raise UnreadableInputError(errors.not_yet("JSON"))


def _typed(
    pairs: Iterable[tuple[Layout, Block]], pool: ThreadPoolExecutor
) -> Iterator[tuple[list[Block], list[TypedBlock]]]:
    """Type the blocks in their order, a stretch of them at a time and a few stretches ahead."""
    waiting: deque[tuple[list[Block], Future[list[TypedBlock]]]] = deque()
    ahead = os.cpu_count() or 1
    pairs = iter(pairs)
    while taken := list(islice(pairs, STRETCH)):
        stretch = [block for _, block in taken]
        waiting.append((stretch, pool.submit(type_blocks, taken[0][0], stretch)))
        if len(waiting) > ahead:
            stretch, future = waiting.popleft()
            yield stretch, future.result()
    while waiting:
        stretch, future = waiting.popleft()
        yield stretch, future.result()


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
