"""Take in logs: read each whole, see what it is to what is archived, write its parts, and say so in the ledger."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from audit.errors import SAME_AGAIN
from audit.nightly.comparing import KNOWN, Compared, compare
from audit.nightly.files import as_json, write_bytes, write_whole
from audit.nightly.inbox import Arrived
from audit.nightly.journal import Journal
from audit.nightly.parts import Part, cut, day_name, part_path, read_part, write_part
from audit.nightly.state import NEW, SiteDay, State
from audit.nightly.work import Work
from audit.packs import find_pack
from audit.reading.events import Events, FileRecord
from audit.reading.logs import read_logs
from audit.reading.profile import Profile
from audit.reading.sources import Source, find_sources
from audit.record import all_rules
from audit.set_aside import ANY, NONE, set_aside
from rules.kit import Pack

#: So many bytes of logs are read at a time.
TOGETHER = 256 << 20


@dataclass
class Taken:
    """What became of the files of one run."""

    inputs: int = 0
    rows: int = 0
    quarantined: int = 0
    unplaced: list[tuple[str, int]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    changed: list[Path] = field(default_factory=list)


@dataclass
class Taking(Work):
    """Takes the files that arrived into the archive."""

    journal: Journal
    taken: Taken = field(default_factory=Taken)

    def take(self, arrived: Sequence[Arrived]) -> Taken:
        """All files that are not in yet. Raises OutputError; what is in by then stays in."""
        new: dict[str, Arrived] = {}
        for file in arrived:
            if file.problem:
                self.taken.problems.append((self._name(file.path), file.problem))
            elif file.sha256 not in self.state.inputs:
                new.setdefault(file.sha256, file)
        for number in range(len(self.config.inboxes)):
            own = [file for file in new.values() if file.inbox == number]
            told = bool(self.config.inboxes[number].pack or self.profiles[number].pack)
            for together in _batches(own) if told else ([file] for file in own):  # each may be of another pack
                self._read(number, together)
        return self.taken

    def _name(self, path: Path) -> str:
        here = self.config.path.absolute().parent
        return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)

    def _read(self, number: int, files: Sequence[Arrived]) -> None:
        inbox, profile = self.config.inboxes[number], self.profiles[number]
        name = inbox.pack or profile.pack
        pack = find_pack(name, self.packs).for_house(profile.house) if name else None
        sources: list[Source] = []
        of_file: dict[str, Arrived] = {}
        for file in files:
            for source in find_sources([str(file.path)])[0]:
                source.label = self._name(file.path) + source.label.removeprefix(str(file.path))
                sources.append(source)
                of_file[source.label] = file
        events = read_logs(sources, pack, self.packs, profile)
        records = events.files if isinstance(events, Events) else events
        parts = list(cut(events, sources)) if isinstance(events, Events) else []
        logs: dict[str, list[int]] = {file.sha256: [] for file in files}
        for place, record in enumerate(records):
            label = record.label.removesuffix(f"!{record.part}") if record.part else record.label
            logs[of_file[label].sha256].append(place)
        for file in files:
            self._input(file, number, events, [records[place] for place in logs[file.sha256]], logs[file.sha256], parts)

    def _input(
        self,
        file: Arrived,
        inbox: int,
        events: Events | list[FileRecord],
        records: Sequence[FileRecord],
        places: Sequence[int],
        parts: Sequence[Part],
    ) -> None:
        """One file: into the archive as one entry of the ledger, or not at all."""
        read = [record for record in records if not record.problem]
        for record in records:
            if record.problem:
                where = f"line {record.problem_line}: " if record.problem_line else ""
                self.taken.problems.append((record.label, where + record.problem))
        if not read or not isinstance(events, Events):
            return
        if any(record.sha256 != file.sha256 for record in read):
            self.taken.changed.append(file.path)
            return
        if self.config.originals and not self._keep_original(file):
            self.taken.changed.append(file.path)
            return
        aside = _Aside(events, self.state, self.config.archive)
        logs: list[dict[str, Any]] = []
        entries: list[dict[str, Any]] = []
        for place, record in zip(places, records, strict=True):
            own = [part for part in parts if part.file == place]
            key = (record.content_sha256, record.part)
            if record.problem or key in self.state.contents:
                logs.append(self._log(record, known=record.accepted + record.joined + record.quarantined, same=True))
                continue
            found = self._parts(events.pack, file.sha256, len(logs), own)
            rows_aside = aside.of(place, {SiteDay(events.pack.name, part.site, part.day) for part in own})
            known = found.known + rows_aside.known
            entries.extend(self._with_quarantine(events.pack, file.sha256, len(logs), found.entries, rows_aside, own))
            logs.append(self._log(record, known, len(rows_aside.unplaced)))
            if rows_aside.kept:
                write_bytes(
                    self.config.archive / quarantine_path(file.sha256, len(logs) - 1),
                    b"".join(as_json(row) + b"\n" for row in rows_aside.kept),
                )
            if rows_aside.unplaced:
                self.taken.unplaced.append((record.label, len(rows_aside.unplaced)))
            self.taken.quarantined += len(rows_aside.kept)
        taken = {
            "sha256": file.sha256,
            "name": self._name(file.path),
            "inbox": inbox,
            "size": read[0].size,
            "pack": events.pack.name,
            "original": self.config.originals,
            "logs": logs,
        }
        self.state.add(self.ledger.add({"kind": "taken", "input": taken, "parts": entries}))
        self.journal.note("taken", file=taken["name"], sha256=file.sha256, rows=[log["rows_read"] for log in logs])
        for entry in entries:
            self.journal.note("part", site=entry["site"], day=entry["day"], fates=entry["fates"], units=entry["units"])
        self.taken.inputs += 1
        self.taken.rows += sum(log["rows_read"] for log in logs)

    def _keep_original(self, file: Arrived) -> bool:
        """Copy the file byte for byte; whether it still is the file that was found."""
        path = self.config.archive / original_path(file.sha256)
        if path.exists():
            return True
        digest = write_whole(path, lambda temporary: shutil.copyfile(file.path, temporary))
        if digest != file.sha256:
            path.unlink()
            return False
        return True

    def _parts(self, pack: Pack, sha256: str, log: int, own: Sequence[Part]) -> _Found:
        """Write the parts of one log, each table by what it is to what is archived."""
        found = _Found()
        column = pack.roles.order
        for place, part in enumerate(own):
            where = SiteDay(pack.name, part.site, part.day)
            units = part.units(column)
            compared = {table: self._compared(pack, where, table, part.table) for table in units}
            known = {table for table, result in compared.items() if result.fate == KNOWN}
            found.known += sum(units[table] for table in known)
            kept = {table: rows for table, rows in units.items() if table not in known}
            if not kept:
                continue
            rows = of_tables(part.table, column, kept) if known else part.table
            path = part_path(where, sha256, f"{log}-{place}")
            changes = [change.as_list() for result in compared.values() for change in result.changes]
            changes_path = ""
            if changes:
                changes_path = path.replace("events/", "changes/", 1).removesuffix(".parquet") + ".json"
                write_bytes(self.config.archive / changes_path, as_json(changes))
            digest = write_part(self.config.archive, path, rows)
            fates = {table: compared[table].fate for table in kept}
            found.entries.append(_part(path, digest, where, log, kept, fates, changes_path))
        return found

    def _compared(self, pack: Pack, where: SiteDay, table: str, arrived: Any) -> Compared:
        paths = self.state.current.get(where, {}).get(table)
        if paths is None:
            return Compared(NEW)
        archived = read_unit(self.config.archive, pack, paths, table)
        return compare(pack, table, archived, of_tables(arrived, pack.roles.order, [table]))

    def _with_quarantine(
        self, pack: Pack, sha256: str, log: int, entries: list[dict[str, Any]], aside: _Rows, own: Sequence[Part]
    ) -> list[dict[str, Any]]:
        """Give each part the number of rows set aside that are its day's; days of nothing else get a part of none."""
        by_day = {(entry["site"], entry["day"]): entry for entry in entries}
        for place, part in enumerate(own):
            count = aside.by_day.get((part.site, part.day), 0)
            if not count:
                continue
            if (part.site, part.day) not in by_day:
                where = SiteDay(pack.name, part.site, part.day)
                path = part_path(where, sha256, f"{log}-{place}")
                digest = write_part(self.config.archive, path, part.table.slice(0, 0))
                entries.append(_part(path, digest, where, log, {}, {}, ""))
                by_day[part.site, part.day] = entries[-1]
            by_day[part.site, part.day]["quarantined"] = count
        if entries:
            entries[0]["first"] = True
        return entries

    def _layout(self, record: FileRecord) -> str:
        """The name under which the columns of a log stand in the ledger: once, as most logs have the same."""
        columns = {"columns": sorted(record.columns), "logged": sorted(record.logged)}
        name = hashlib.sha256(as_json(columns)).hexdigest()[:16]
        if name not in self.state.layouts:
            self.state.add(self.ledger.add({"kind": "layout", "layout": name, **columns}))
        return name

    def _log(self, record: FileRecord, known: int, unplaced: int = 0, same: bool = False) -> dict[str, Any]:
        notes = list(record.notes)
        if same and not record.problem:
            notes.append(SAME_AGAIN.format(other="a log that is archived"))
        return {
            "label": record.label,
            "part": record.part,
            "content_sha256": record.content_sha256,
            "rows_read": record.rows_read,
            "accepted": record.accepted + record.joined,
            "joined": record.joined,
            "quarantined": record.quarantined,
            "known": known,
            "unplaced": unplaced,
            "problem": record.problem,
            "encoding": record.encoding,
            "delimiter": record.delimiter,
            "ignored": list(record.ignored_columns),
            "layout": self._layout(record),
            "times": [record.times_without_offset, record.times_twice, record.times_never],
            "notes": notes,
        }


@dataclass
class _Found:
    entries: list[dict[str, Any]] = field(default_factory=list)
    known: int = 0


@dataclass
class _Rows:
    """Rows of one log that were set aside. ``kept``: as the archive has them; ``known``: how many it had already."""

    kept: list[Mapping[str, Any]] = field(default_factory=list)
    unplaced: list[Mapping[str, Any]] = field(default_factory=list)
    by_day: dict[tuple[str, str], int] = field(default_factory=dict)
    known: int = 0


class _Aside:
    """Finds, for each row set aside, the site and day in whose report it is counted."""

    def __init__(self, events: Events, state: State, archive: Path) -> None:
        self._events, self._state, self._archive = events, state, archive

    def of(self, file: int, days: set[SiteDay]) -> _Rows:
        """The rows of one log. They are counted on the day that they name, else on the log's first."""
        rows = _Rows()
        if not any(number == file for number, _ in self._events.aside):
            return rows
        sites = self._events.texts(self._events.pack.roles.site)
        known = {raw for where in days for raw in self._known(where)}
        for (number, aside), said in zip(self._events.aside, set_aside(self._events), strict=True):
            if number != file:
                continue
            raw = base64.b64encode(aside.raw).decode("ascii")
            if raw in known:
                rows.known += 1
                continue
            site = sites[said.site] if said.site not in (ANY, NONE) and sites else ""
            where = next((w for w in sorted(days) if w.site == site and w.day == _day(said.day)), None)
            where = where or next((w for w in sorted(days) if w.site == site), None) or min(days, default=None)
            row = {
                "line": aside.line,
                "kind": aside.reason.kind,
                "reason": aside.reason.text,
                "raw": raw,
                "cells": dict(aside.cells),
                "site": where.site if where else None,
                "day": where.day if where else None,
            }
            rows.kept.append(row)
            if where is None:
                rows.unplaced.append(row)
            else:
                key = (where.site, where.day)
                rows.by_day[key] = rows.by_day.get(key, 0) + 1
        return rows

    def _known(self, where: SiteDay) -> Iterator[str]:
        """The rows set aside that are counted on a day already."""
        for part in self._state.parts_of[where]:
            if part.quarantined:
                for row in read_quarantine(self._archive, part.input, part.log):
                    if (row["site"], row["day"]) == (where.site, where.day):
                        yield row["raw"]


def _day(ordinal: int | None) -> str:
    return day_name(ordinal) if ordinal is not None else ""


def _part(
    path: str,
    digest: str,
    where: SiteDay,
    log: int,
    units: Mapping[str, int],
    fates: Mapping[str, str],
    changes: str,
) -> dict[str, Any]:
    return {
        "path": path,
        "sha256": digest,
        "pack": where.pack,
        "site": where.site,
        "day": where.day,
        "log": log,
        "units": dict(units),
        "fates": dict(fates),
        "changes": changes,
        "quarantined": 0,
        "first": False,
    }


def original_path(sha256: str) -> str:
    """Where an original lies, seen from the archive."""
    return f"originals/{sha256[:2]}/{sha256}"


def quarantine_path(sha256: str, log: int) -> str:
    """Where the rows set aside of one log lie, seen from the archive."""
    return f"quarantine/{sha256}-{log}.jsonl"


def read_quarantine(archive: Path, sha256: str, log: int) -> list[dict[str, Any]]:
    """The rows set aside of one log."""
    path = archive / quarantine_path(sha256, log)
    try:
        return [json.loads(line) for line in path.read_bytes().splitlines()]
    except FileNotFoundError:
        return []


def of_tables(table: Any, column: str, names: Sequence[str] | Mapping[str, int]) -> Any:
    """The rows of some tables (games)."""
    texts = table[column].combine_chunks().cast(pa.string()).fill_null("")
    return table.filter(pc.is_in(texts, value_set=pa.array(sorted(names), pa.string())))


def read_unit(archive: Path, pack: Pack, paths: Sequence[str], name: str) -> Any:
    """The archived rows of one table and day."""
    own = [of_tables(read_part(archive, path), pack.roles.order, [name]) for path in paths]
    return pa.concat_tables(own, promote_options="permissive").combine_chunks()


def _batches(files: Sequence[Arrived]) -> Iterator[list[Arrived]]:
    """Files that are read together."""
    batch: list[Arrived] = []
    size = 0
    for file in files:
        own = file.path.stat().st_size if file.path.exists() else 0
        if batch and size + own > TOGETHER:
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += own
    if batch:
        yield batch


def check_profile(profile: Profile, pack: Pack) -> None:
    """Whether a profile fits its pack. Raises UsageError."""
    profile.check_against(pack, {rule.code: rule.disposition for rule in all_rules(pack)})
