"""Hold archive and reports against the ledger: sums, counts, and what the reports say against what is archived."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from audit import output
from audit.errors import OutputError
from audit.nightly.config import Config
from audit.nightly.files import sha256_of
from audit.nightly.ledger import DamagedLedgerError, Ledger
from audit.nightly.results import read_results, standing_rows, stored_names
from audit.nightly.state import Issue, SiteDay, State, state_of
from audit.nightly.taking import original_path, read_quarantine
from audit.status import Exit


@dataclass
class Verified:
    """What was looked at. ``wrong``: what is not as it was written; ``unseen``: what could not be looked at."""

    counts: dict[str, int] = field(default_factory=lambda: {"inputs": 0, "parts": 0, "rows": 0, "reports": 0})
    wrong: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    @property
    def status(self) -> Exit:
        if self.wrong:
            return Exit.FINDINGS
        return Exit.INCOMPLETE if self.unseen else Exit.CLEAN

    def as_json(self) -> dict[str, Any]:
        return {"status": int(self.status), **self.counts, "wrong": self.wrong, "unseen": self.unseen}


def verify(config: Config) -> Verified:
    """Look at everything that the ledger names."""
    found = Verified()
    try:
        ledger = Ledger(config.archive)
    except DamagedLedgerError as error:
        found.wrong.append(str(error))
        return found
    except OutputError as error:
        found.unseen.append(str(error))
        return found
    if not ledger.entries:
        found.unseen.append(f"{ledger.path}: no entry")
    state = state_of(ledger.entries)
    _inputs(config.archive, state, found)
    _parts(config.archive, state, found)
    for where, issues in sorted(state.issues.items()):
        for issue in issues:
            found.counts["reports"] += 1
            _report(config, where, issue, found)
        _against_archive(config, state, where, issues[-1], found)
    return found


def _same(path: Path, sha256: str, found: Verified) -> bool:
    """Whether a file is there and has the sum that the ledger names."""
    try:
        if sha256_of(path) == sha256:
            return True
        found.wrong.append(f"{path} has changed")
    except FileNotFoundError:
        found.wrong.append(f"{path} is gone")
    except OSError as error:
        found.unseen.append(f"{path}: {error.strerror}")
    return False


def _inputs(archive: Path, state: State, found: Verified) -> None:
    """Originals, and of each log: rows read = archived + set aside + known already."""
    rows: dict[tuple[str, int], int] = {}
    for part in state.parts.values():
        key = (part.input, part.log)
        rows[key] = rows.get(key, 0) + sum(part.units.values())
    for sha256, record in state.inputs.items():
        found.counts["inputs"] += 1
        if record["original"]:
            _same(archive / original_path(sha256), sha256, found)
        for number, log in enumerate(record["logs"]):
            archived = rows.get((sha256, number), 0) + (log["joined"] if (sha256, number) in rows else 0)
            try:
                aside = len(read_quarantine(archive, sha256, number))
            except (OSError, ValueError) as error:
                found.unseen.append(f"{log['label']}: {error}")
                continue
            if log["rows_read"] != archived + aside + log["known"]:
                found.wrong.append(
                    f"{log['label']}: {log['rows_read']} rows read are not {archived} archived, {aside} set aside "
                    f"and {log['known']} known before"
                )


def _parts(archive: Path, state: State, found: Verified) -> None:
    for part in state.parts.values():
        found.counts["parts"] += 1
        path = archive / part.path
        if not _same(path, part.sha256, found):
            continue
        held = pq.ParquetFile(path).metadata.num_rows
        found.counts["rows"] += held
        if held != sum(part.units.values()):
            found.wrong.append(f"{path} holds {held} rows, and not {sum(part.units.values())}")


def _report(config: Config, where: SiteDay, issue: Issue, found: Verified) -> None:
    """A report's files against its own list of sums, and that against the ledger."""
    folder = config.reports / issue.folder
    numbers, table = stored_names(issue.results)
    for name, sha256 in ((numbers, issue.results_sha256[:64]), (table, issue.results_sha256[64:])):
        _same(config.archive / name, sha256, found)
    if not _same(folder / output.SUMS, issue.sums, found):
        return
    listed = dict(_listed(folder))
    for name, sha256 in listed.items():
        _same(folder / name, sha256, found)
    for path in sorted(folder.iterdir()):
        if path.name not in listed and path.name != output.SUMS:
            found.wrong.append(f"{path} was not written by throwaudit")


def _listed(folder: Path) -> Iterator[tuple[str, str]]:
    for line in (folder / output.SUMS).read_text("utf-8").splitlines():
        sha256, _, name = line.partition("  ")
        yield name, sha256


def _against_archive(config: Config, state: State, where: SiteDay, issue: Issue, found: Verified) -> None:
    """What the standing report says against the archive: rows and findings."""
    here = f"{where.site} {where.day}"
    if not state.rests(where):
        found.wrong.append(f"{here}: the report does not rest on what is archived: run throwaudit nightly")
        return
    try:
        results = read_results(config.archive, issue.results)
    except OutputError as error:
        found.unseen.append(str(error))
        return
    parts = state.parts_of[where]
    rows = sum(standing_rows(state, part) for part in parts)
    accepted = sum(own["accepted"] for own in results.numbers["inputs"])
    joined = sum(state.inputs[part.input]["logs"][part.log]["joined"] for part in parts if part.first)
    if not rows <= accepted <= rows + joined:
        found.wrong.append(f"{here}: the report counts {accepted} rows, the archive has {rows}")
    total = sum(issue.summary["findings"].values())
    if results.findings.num_rows != total:
        found.wrong.append(f"{here}: {results.findings.num_rows} findings are archived, {total} were reported")
    summary = _summary(config.reports / issue.folder)
    if summary and summary["findings"]["total"] != total:
        found.wrong.append(f"{here}: the report's summary does not have the findings that are archived")


def _summary(folder: Path) -> Mapping[str, Any] | None:
    try:
        entries = json.loads((folder / "summary.json").read_bytes())
    except (OSError, ValueError):
        return None  # said already
    return entries if isinstance(entries, dict) else None
