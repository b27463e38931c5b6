"""What the nightly job adds to a report: which one it revises and why; a period's days, and the period before."""

from __future__ import annotations

import csv as std_csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

from audit.record import Night, Period, RunRecord
from audit.telling import Words
from reports.csv import neutral
from reports.pieces import Cell, Table
from reports.text import Speaker, number
from rules import log_integrity
from rules.kit import Disposition

#: So many changes are printed; all of them stand in changes.csv.
SHOWN = 60
CHANGES_COLUMNS = ("what", "rule", "table", "event_id", "part", "column", "before", "after", "message")


@dataclass(frozen=True)
class NightShown:
    """A section of the report. ``tables``: heading, note and table of each."""

    heading: str
    sentences: Sequence[str]
    tables: Sequence[tuple[str, str, Table]]


def shown(record: RunRecord, speaker: Speaker) -> NightShown | None:
    """The section, where there is something to say."""
    if isinstance(record.night, Period):
        return _period(record, record.night, speaker)
    if record.night and record.night.replaces:
        return _revision(record.night, speaker)
    return None


def summary(night: Night | Period) -> dict[str, Any]:
    """What ``summary.json`` holds of it."""
    if isinstance(night, Period):
        return {
            "first": night.first,
            "last": night.last,
            "days": [
                {
                    "day": day.day,
                    "report": day.report,
                    "audited": day.audited,
                    "quarantined": day.quarantined,
                    "findings": dict(day.findings),
                }
                for day in night.days
            ],
            "before": {
                "first": night.first_before,
                "last": night.last_before,
                "days": len(night.days_before),
                "audited": sum(day.audited for day in night.days_before),
                "findings": {d.value: _of(night.days_before, d) for d in Disposition},
                "rules": dict(night.rules_before),
            },
        }
    return {
        "site": night.site,
        "day": night.day,
        "issue": night.issue,
        "replaces": night.replaces or None,
        "replaces_sums_sha256": night.replaces_sums or None,
        "findings_changed": len(night.findings),
        "cells_changed": len(night.rows),
    }


def write_changes(record: RunRecord, out: IO[bytes]) -> None:
    """``changes.csv``: what a revision changes, findings first, then cells of the log."""
    assert isinstance(record.night, Night)
    text = io.TextIOWrapper(out, "utf-8", newline="", write_through=True)
    writer = std_csv.writer(text, lineterminator="\n")
    writer.writerow(CHANGES_COLUMNS)
    for what, rule, event, part, message in record.night.findings:
        writer.writerow(map(neutral, (f"finding {what}", rule, "", event, part, "", "", "", message)))
    for place, event, column, before, after in record.night.rows:
        told = (
            _row(column, after),
            "",
            place,
            event,
            "",
            column,
            before if column else "",
            after if column else "",
            "",
        )
        writer.writerow(map(neutral, told))
    text.detach()


def _row(column: str, after: str) -> str:
    if column:
        return "cell changed"
    return "row added" if after else "row gone"


def _revision(night: Night, speaker: Speaker) -> NightShown:
    def say(key: str, **values: Any) -> str:
        return speaker.say("night", key, **values)

    sentences = [say("replaces", issue=night.issue, folder=night.replaces), say("sums", digest=night.replaces_sums)]
    if not night.findings and not night.rows:
        sentences.append(say("counts_only"))
    tables = []
    if night.findings:
        heads = [Cell(say(name)) for name in ("what", "rule", "event", "message")]
        rows = [
            [Cell(say(f"finding_{what}")), Cell(rule), Cell(event + (f", {part}" if part else "")), Cell(message)]
            for what, rule, event, part, message in night.findings[:SHOWN]
        ]
        tables.append((say("findings"), _limit(say, len(night.findings)), Table(heads, rows)))
    if night.rows:
        heads = [Cell(say(name)) for name in ("place", "event", "column", "before", "after")]
        rows = [
            [Cell(place), Cell(event), Cell(column or say("row_added" if after else "row_gone"))]
            + ([Cell(before), Cell(after)] if column else [Cell(""), Cell("")])
            for place, event, column, before, after in night.rows[:SHOWN]
        ]
        tables.append((say("rows"), _limit(say, len(night.rows)), Table(heads, rows)))
    return NightShown(say("revision"), sentences, tables)


def _limit(say: Any, count: int) -> str:
    return str(say("showing", shown=SHOWN, all=count)) if count > SHOWN else ""


def _of(days: Sequence[Any], disposition: Disposition) -> int:
    return sum(day.findings.get(disposition.value, 0) for day in days)


def _period(record: RunRecord, period: Period, speaker: Speaker) -> NightShown:
    def say(key: str, **values: Any) -> str:
        return speaker.say("night", key, **values)

    sentences = [
        say(
            "period",
            site=period.days[0].site or say("no_site"),
            first=period.first,
            last=period.last,
            days=len(period.days),
        ),
        say("before_is", first=period.first_before, last=period.last_before, days=len(period.days_before)),
    ]
    if not period.days_before:
        sentences[1] = say("nothing_before", first=period.first_before, last=period.last_before)
    counted: list[tuple[str, int, int]] = [
        (say("audited"), record.tallies.audited, sum(day.audited for day in period.days_before)),
        (say("aside"), len(record.quarantine), sum(day.quarantined for day in period.days_before)),
    ]
    counted += [
        (speaker.say("dispositions", d.value), _of(period.days, d), _of(period.days_before, d)) for d in Disposition
    ]
    beside = Table(
        [Cell(""), Cell(say("this"), number=True), Cell(say("before_it"), number=True)],
        [[Cell(name), Cell(number(now), number=True), Cell(number(then), number=True)] for name, now, then in counted],
    )
    rules: Counter[str] = Counter()
    for (code, _), count in record.by_rule.items():
        rules[code] += count
    words = Words(record.pack, log_integrity.CATALOGUE)
    codes = [rule.code for rule in record.rules]
    by_rule = Table(
        [Cell(say("rule")), Cell(say("this"), number=True), Cell(say("before_it"), number=True)],
        [
            [
                Cell(code, below=words.rule(code, "question")),
                Cell(number(rules[code]), number=True),
                Cell(number(period.rules_before.get(code, 0)), number=True),
            ]
            for code in codes
            if rules[code] or period.rules_before.get(code)
        ],
    )
    days = Table(
        [
            Cell(say("day")),
            Cell(say("audited"), number=True),
            Cell(say("aside"), number=True),
            *(Cell(speaker.say("dispositions", d.value), number=True) for d in Disposition),
        ],
        [
            [
                Cell(day.day, below=day.report),
                Cell(number(day.audited), number=True),
                Cell(number(day.quarantined), number=True),
                *(Cell(number(day.findings.get(d.value, 0)), number=True) for d in Disposition),
            ]
            for day in period.days
        ],
    )
    tables = [(say("beside"), "", beside), (say("by_rule"), "", by_rule), (say("by_day"), say("adds_up"), days)]
    return NightShown(say("of_period"), sentences, [entry for entry in tables if entry[2].rows])
