"""What a day's report shows beyond numbers: lines of the log with their neighbors, drawings, what has changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from audit import pseudonyms
from audit.days import table_days
from audit.findings import rows_shown
from audit.nightly.daily import DayAudits, DayFound
from audit.nightly.parts import read_part
from audit.nightly.results import Results
from audit.nightly.state import SiteDay
from audit.nightly.taking import of_tables
from audit.nightly.window import Window
from audit.record import Exhibit, RunRecord
from rules.kit import Pack

Key = pseudonyms.Pseudonyms | None


def shown(record: RunRecord, archive: Path, audit: DayAudits, where: SiteDay, found: DayFound, key: Key) -> RunRecord:
    """The record with what its reports draw and cite; ``record.options`` names the formats."""
    formats = set(record.options["formats"])
    if {"pdf", "html", "floor"} & formats:
        record = replace(record, days=table_days(audit.events_of(where), audit.placing, found.findings))
    if {"pdf", "html"} & formats:
        rows = rows_shown(found.findings)
        record = replace(
            record,
            exhibits=exhibits(archive, audit, audit.window, rows, key),
            sections=audit.sections(rows),
            seen=audit.seen(rows),
            findings=_with_rows(record.findings, found),
        )
    return record


def rows_changed(archive: Path, pack: Pack, lists: Sequence[str], key: Key) -> list[Sequence[str]]:
    """What later logs word otherwise, cell by cell."""
    rows: list[Sequence[str]] = [row for path in lists for row in json.loads((archive / path).read_bytes())]
    if key is None:
        return rows
    return [
        [table, event, column, *(pseudonyms.cell(pack, column, text, key) if column else text for text in texts)]
        for table, event, column, *texts in rows
    ]


def findings_changed(before: Results, after: Results) -> list[tuple[str, str, str, str, str]]:
    """Findings that are new, gone or told otherwise: what, rule, event, part, message."""
    names = ("finding_id", "disposition", "message", "recorded", "rule", "event_id", "part")

    def told(results: Results) -> dict[str, dict[str, Any]]:
        return {row["finding_id"]: row for row in results.findings.select(names).to_pylist()}

    alike = before.pseudonyms == after.pseudonyms
    old, new = told(before), told(after)
    changes = []
    for key in [*new, *(key for key in old if key not in new)]:
        row = new.get(key) or old[key]
        message = row["message"] if key in new or alike else pseudonyms.WITHHELD
        if key not in old or key not in new:
            what = "new" if key in new else "gone"
        elif any(old[key][name] != row[name] for name in ("disposition", "message", "recorded")):
            what = "changed"
        else:
            continue
        changes.append((what, row["rule"], row["event_id"] or "", row["part"] or "", message))
    return changes


def _with_rows(findings: Any, found: DayFound) -> Any:
    """Findings with their places in the audit, by which exhibits are found."""
    place = dict(zip(found.findings["finding_id"].to_pylist(), found.findings["row"].to_pylist(), strict=True))
    rows = pa.array([place.get(key, -1) for key in findings["finding_id"].to_pylist()], pa.int64())
    return findings.set_column(findings.schema.get_field_index("row"), "row", rows)


def exhibits(archive: Path, audit: DayAudits, window: Window, rows: set[int], key: Key) -> Mapping[int, Exhibit]:
    """Line and neighbors of some events, from the archive."""
    if not rows:
        return {}
    events, placing = audit.events, audit.placing
    wanted = np.array(sorted(rows))
    near = np.unique(np.concatenate([placing.last[wanted], placing.next[wanted]]))
    near = near[near >= 0]
    ids = dict(zip(near.tolist(), events.event_ids(near), strict=True))
    lines: dict[int, str] = dict(pseudonyms.as_read(events, audit.desk, rows)) if key else {}
    for number, stored in enumerate(events.blocks if key is None else ()):
        at = stored.start
        for part, size in window.parts[number]:
            inside = wanted[(wanted >= at) & (wanted < at + size)]
            if len(inside):
                lines.update(
                    _lines(archive, events.pack, part.path, list(window.tables[number][part.path]), inside, at)
                )
            at += size
    return {
        row: Exhibit(
            row,
            lines.get(row, ""),
            ids.get(int(placing.last[row]), ""),
            ids.get(int(placing.next[row]), ""),
            bool(placing.duplicate[row]),
        )
        for row in wanted.tolist()
    }


def _lines(archive: Path, pack: Pack, path: str, tables: list[str], rows: Any, start: int) -> dict[int, str]:
    """The lines of some rows of a part, of which only some tables were read."""
    own = of_tables(read_part(archive, path, ["log_text", pack.roles.order]), pack.roles.order, tables)
    texts = own["log_text"].combine_chunks().take(pa.array(rows - start)).to_pylist()
    return {
        row: (text or b"").decode("utf-8", "backslashreplace") for row, text in zip(rows.tolist(), texts, strict=True)
    }
