"""Parts: what one log holds of one site and gaming day, as a Parquet file that is written once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from audit.errors import OutputError, UnreadableInputError
from audit.nightly.columns import archived
from audit.nightly.files import folder_name, write_whole
from audit.nightly.state import UNDATED, SiteDay
from audit.reading.events import Events, FileRecord, Stored
from audit.reading.formats import Format
from audit.reading.lines import blocks
from audit.reading.sources import Source

_DAY, _MINUTE = 86_400_000_000, 60_000_000
#: What is read for every audit is packed to be unpacked fast; the lines as they stood, to be small.
_PACKED = {"log_text": "zstd"}


@dataclass
class Part:
    """Rows of one log, of one site and gaming day. ``units``: tables (games) by name, in the order of the rows."""

    site: str
    day: str
    file: int
    table: Any

    def units(self, column: str) -> dict[str, int]:
        """Rows by table (game), by name."""
        counted = self.table[column].combine_chunks().value_counts().to_pylist()
        return dict(sorted((entry["values"] or "", entry["counts"]) for entry in counted))


def part_path(where: SiteDay, sha256: str, name: str) -> str:
    """Where a part lies, seen from the archive."""
    folder = f"pack={folder_name(where.pack)}/site={folder_name(where.site)}/day={where.day}"
    return f"events/{folder}/{sha256[:32]}-{name}.parquet"


def cut(events: Events, sources: Sequence[Source]) -> Iterator[Part]:
    """All events, log by log, each cut by site and gaming day."""
    by_label = {source.label: source for source in sources}
    unreadable = _unreadable(events)
    for number, record in enumerate(events.files):
        own = [stored for stored in events.blocks if stored.file == number]
        if not own:
            continue
        source = by_label.get(record.label.removesuffix(f"!{record.part}") if record.part else record.label)
        whole = pa.concat_tables(
            [_table(events, record, stored.loaded(), unreadable) for stored in own], promote_options="default"
        ).combine_chunks()
        lines = whole["log_line"].to_numpy()
        text = pa.array(_texts(source, record, lines), pa.binary())
        whole = whole.set_column(whole.schema.get_field_index("log_text"), "log_text", text)
        site = np.concatenate([_codes(stored, events.pack.roles.site) for stored in own])
        day = _days(events, own)
        for code, ordinal in np.unique(np.stack([site, day], axis=1), axis=0).tolist():
            rows = np.flatnonzero((site == code) & (day == ordinal))
            name = str(events.text_column(events.pack.roles.site)[code]) if code >= 0 else ""
            table = whole if len(rows) == whole.num_rows else whole.take(pa.array(rows))
            yield Part(name, day_name(ordinal), number, table)


def day_name(ordinal: int) -> str:
    return str(np.datetime64(ordinal, "D")) if ordinal >= 0 else UNDATED


def _codes(stored: Stored, name: str) -> np.ndarray[Any, Any]:
    array = stored.column(name)
    if array is None:
        return np.full(stored.size, -1, dtype=np.int64)
    codes: np.ndarray[Any, Any] = array.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return codes


def _days(events: Events, own: Sequence[Stored]) -> np.ndarray[Any, Any]:
    """The gaming day of each event; of packs that have none, the day on which its game began, -1 where unknown."""
    roles = events.pack.roles
    if roles.day:
        days = [stored.column(roles.day).cast(pa.int32()).to_numpy(zero_copy_only=False) for stored in own]
        return np.concatenate(days).astype(np.int64)
    far = np.iinfo(np.int64).max
    begins, game = np.full(sum(s.size for s in own), far), np.concatenate([_codes(s, roles.order) for s in own])
    at = 0
    for stored in own:
        time = stored.column(roles.time)
        if time is not None:
            instant = time.cast(pa.int64()).fill_null(far).to_numpy(zero_copy_only=False)
            local = instant + stored.loaded().offset.astype(np.int64) * _MINUTE * (instant < far)
            begins[at : at + stored.size] = local
        at += stored.size
    games, place = np.unique(game, return_inverse=True)
    first = np.full(len(games), far)
    np.minimum.at(first, place, begins)
    day = (first - events.profile.gaming_day_starts * _MINUTE) // _DAY
    day[first == far] = -1
    of_event: np.ndarray[Any, Any] = day[place]
    return of_event


def _unreadable(events: Events) -> dict[int, dict[str, str | None]]:
    """Cells that cannot be read, by event and column."""
    cells: dict[int, dict[str, str | None]] = {}
    for stored in events.blocks:
        for name, rows in stored.unreadable.items():
            for row in rows.tolist():
                cells.setdefault(row + stored.start, {})[name] = None
    for cell in events.unreadable:
        cells.setdefault(cell.row, {})[cell.column] = cell.text
    return cells


def _table(events: Events, record: FileRecord, stored: Stored, cells: dict[int, dict[str, str | None]]) -> Any:
    same = pa.array(np.zeros(stored.size, dtype=np.int32))
    bad = [
        json.dumps(cells[row], ensure_ascii=False, sort_keys=True) if row in cells else None
        for row in (range(stored.start, stored.start + stored.size) if cells else ())
    ]
    log: dict[str, Any] = {
        "log_sha256": pa.DictionaryArray.from_arrays(same, pa.array([record.sha256], pa.string())),
        "log_file": pa.DictionaryArray.from_arrays(same, pa.array([record.label], pa.string())),
        "log_line": pa.array(stored.lines.astype(np.int64)),
        "log_text": pa.nulls(stored.size, pa.binary()),
        "utc_offset_minutes": pa.array(stored.offset.astype(np.int16)),
        "cells_filled": pa.array(stored.filled.astype(np.uint16)),
        "cells_unreadable": pa.array(bad, pa.string()) if bad else pa.nulls(stored.size, pa.string()),
    }
    own = {
        column.name: archived(events, column, stored.arrays[column.name])
        for column in events.pack.columns
        if column.name in stored.arrays
    }
    return pa.table({**own, **log})


def _texts(source: Source | None, record: FileRecord, lines: np.ndarray[Any, Any]) -> list[bytes | None]:
    """Each row as it stood, as UTF-8; none where rows are not lines of text, or the file is another by now."""
    nothing: list[bytes | None] = [None] * len(lines)
    if source is None or record.format not in (Format.TEXT, Format.JSON_LINES):
        return nothing
    again = Source(source.label, source.path, source.member)
    texts: list[bytes | None] = []
    try:
        content = again.open()
        for block in blocks(content, lambda: record.encoding != "cp1252", record.encoding):
            low, high = np.searchsorted(lines, [block.line, block.line + block.line_count])
            if high > low:
                texts.extend(_rows(block.data, lines[low:high] - block.line))
        _, _, content_sha256 = content.finish()
    except UnreadableInputError:
        return nothing
    finally:
        again.close()
    sound = content_sha256 == record.content_sha256 and len(texts) == len(lines)
    return texts if sound else nothing


def _rows(data: bytes, places: np.ndarray[Any, Any]) -> list[bytes]:
    """The rows that begin at some lines; a row goes on while its quotes are open."""
    starts = _line_starts(data)
    ends = np.append(starts[1:], len(data))
    rows = [data[s:e] for s, e in zip(starts[places].tolist(), ends[places].tolist(), strict=True)]
    if b'"' in data:
        for at, place in enumerate(places.tolist()):
            end = place
            while rows[at].count(b'"') % 2 and end + 1 < len(ends):
                end += 1
                rows[at] = data[starts[place] : ends[end]]
    return [row.rstrip(b"\r\n") for row in rows]


def _line_starts(data: bytes) -> np.ndarray[Any, Any]:
    view = np.frombuffer(data, dtype=np.uint8)
    feed = view == ord("\n")
    if b"\r" in data:
        bare = view == ord("\r")
        bare[:-1] &= ~feed[1:]
        feed = feed | bare
    starts = np.flatnonzero(feed) + 1
    return np.concatenate([[0], starts[starts < len(data)]])


def write_part(archive: Path, path: str, table: Any) -> str:
    """Write a part; its SHA-256. Raises OutputError."""

    def write(temporary: Path) -> None:
        try:
            packed = {name: _PACKED.get(name, "lz4") for name in table.schema.names}
            pq.write_table(table, temporary, compression=packed)
        except pa.ArrowException as error:
            raise OSError(str(error)) from error

    return write_whole(archive / path, write)


def read_part(archive: Path, path: str, columns: Sequence[str] | None = None) -> Any:
    """A part, or some of its columns. Raises OutputError where it is not there any more."""
    try:
        file = pq.ParquetFile(archive / path)
        if columns is None:
            return file.read()
        there = set(file.schema_arrow.names)
        return file.read(columns=[name for name in columns if name in there], use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise OutputError(f"cannot read {archive / path}: run throwaudit verify ({error})") from error
