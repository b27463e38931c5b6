"""The log's own line for each finding that a report shows, read again from the file and checked by its hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from audit.errors import UnreadableInputError
from audit.reading.events import Events, FileRecord
from audit.reading.formats import Format, row_logs
from audit.reading.lines import blocks
from audit.reading.rows import split_lines
from audit.reading.sources import Content, Source
from audit.record import Exhibit
from rules.placing import Placing

#: A row whose quotes run over several lines is shown with at most so many.
_LINES = 5


def exhibits(
    events: Events,
    placing: Placing,
    rows: set[int],
    sources: Sequence[Source],
    instead: Mapping[int, str] | None = None,
) -> dict[int, Exhibit]:
    """Line and neighbors of each of ``rows`` (places in the audit); ``instead``: what is shown in place of lines."""
    if not rows:
        return {}
    wanted = np.array(sorted(rows))
    lines, file_of = events.lines_of(wanted), events.file_of[wanted]
    near = np.unique(np.concatenate([placing.last[wanted], placing.next[wanted]]))
    near = near[near >= 0]
    ids = dict(zip(near.tolist(), events.event_ids(near), strict=True))
    by_label = {source.label: source for source in sources}
    told: dict[int, Exhibit] = {}
    for number in np.unique(file_of):
        record = events.files[number]
        here = file_of == number
        source = by_label[record.label.removesuffix(f"!{record.part}")]
        texts = _lines_again(events, source, record, set(lines[here].tolist())) if instead is None else {}
        for row, line in zip(wanted[here].tolist(), lines[here].tolist(), strict=True):
            further = bool(placing.duplicate[row])
            told[row] = Exhibit(
                row,
                texts.get(line, "") if instead is None else instead[row],
                ids.get(int(placing.last[row]), ""),
                ids.get(int(placing.next[row]), ""),
                further,
            )
    return told


def _lines_again(events: Events, source: Source, record: FileRecord, wanted: set[int]) -> dict[int, str]:
    """The lines ``wanted`` of a file; none where it is not the file that was audited any more."""
    again = Source(source.label, source.path, source.member)
    try:
        content = again.open()
        find = _of_text if record.format in (Format.TEXT, Format.JSON_LINES) else _of_rows
        texts = find(events, again, content, record, wanted)
        _, _, content_sha256 = content.finish()
    except UnreadableInputError:
        return {}
    finally:
        again.close()
    return texts if content_sha256 == record.content_sha256 else {}


def _of_text(events: Events, _: Source, content: Content, record: FileRecord, wanted: set[int]) -> dict[int, str]:
    texts: dict[int, str] = {}
    for block in blocks(content, lambda: record.encoding != "cp1252", events.profile.encoding):
        end = block.line + block.line_count
        inside = [line for line in wanted if block.line <= line < end]
        if inside:
            pieces = split_lines(block.data)
            for line in inside:
                texts[line] = _row(pieces, line - block.line)
    return texts


def _of_rows(events: Events, source: Source, content: Content, record: FileRecord, wanted: set[int]) -> dict[int, str]:
    texts: dict[int, str] = {}
    for log in row_logs(record.format, source, content, events.pack, [], events.profile):
        if log.part == record.part:
            for run in log.rows:
                rows = run()
                for row in np.flatnonzero(np.isin(rows.lines, list(wanted))).tolist():
                    texts[int(rows.lines[row])] = rows.raw(row).decode("utf-8", "replace")
    return texts


def _row(pieces: Sequence[bytes], at: int) -> str:
    """The row that begins at a line: further lines belong to it while its quotes are open."""
    raw = pieces[at]
    for more in pieces[at + 1 : at + _LINES]:
        if raw.count(b'"') % 2 == 0:
            break
        raw += more
    return raw.decode("utf-8", "backslashreplace").rstrip("\r\n")
