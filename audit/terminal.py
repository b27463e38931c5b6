"""What the terminal shows: a summary in plain words, progress on long work, one line for cron."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from audit.record import RunRecord
from audit.status import Exit
from audit.telling import Words
from reports.json import period
from reports.text import Speaker, number, shown_plainly
from rules import log_integrity
from rules.kit import Disposition

_COLORS = {
    Disposition.VIOLATION: "red",
    Disposition.DISCREPANCY: "yellow",
    Disposition.INDETERMINATE: "cyan",
    Disposition.OBSERVATION: "blue",
}
#: How many of the most frequent rules, columns or rows are named.
_TOP = 5

Progress = Callable[[str, int], None]


def plain(text: str) -> str:
    """Untrusted text without anything that a terminal would obey."""
    return shown_plainly(text, lambda _: True).replace("\n", "[U+000A]")


@contextmanager
def progress(logs: Sequence[str], quiet: bool) -> Iterator[Progress]:
    """A progress bar on a terminal; nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda _, __: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    speaker = Speaker(None)
    steps = {
        "read": speaker.say("terminal", "reading"),
        "audit": speaker.say("terminal", "auditing"),
        "write": speaker.say("terminal", "writing"),
    }
    size = sum(os.path.getsize(path) for path in logs if os.path.isfile(path)) or None
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(steps["read"], total=size)
        current = "read"

        def advance(step: str, done: int) -> None:
            nonlocal current
            if step != current:
                current = step
                bar.update(task, description=steps[step], total=None, completed=0)
            bar.advance(task, done)

        yield advance


def _reasons(record: RunRecord, speaker: Speaker) -> list[str]:
    """Why rows were set aside, a line each, the most frequent first."""
    first: dict[str, Any] = {}
    counts: Counter[str] = Counter()
    for row in record.quarantine:
        counts[row.kind] += 1
        first.setdefault(row.kind, row)
    lines = []
    for kind, count in counts.most_common():
        row = first[kind]
        reason = plain(row.reason if count == 1 else kind)
        where = {"file": plain(row.source_file), "line": str(row.source_line)}
        lines.append(speaker.say("terminal", "aside", count=count, reason=reason, **where))
    return lines


def _problems(record: RunRecord, speaker: Speaker) -> list[str]:
    """What makes the audit incomplete, a line each."""
    lines = [
        speaker.say("terminal", "unread", file=plain(i.name), problem=plain(i.problem))
        for i in record.unreadable_inputs
    ]
    lines += _reasons(record, speaker)
    return lines + [
        speaker.say("terminal", "rule_error", code=rule.code, error=plain(rule.error)) for rule in record.rules_in_error
    ]


def say_briefly(record: RunRecord) -> None:
    """Nothing if all is well, else one line on stderr."""
    if record.status is Exit.CLEAN:
        return
    speaker = Speaker(record.pack)
    parts = [speaker.counted(d, count) for d, count in record.by_disposition.items() if count]
    if record.pack:
        parts.insert(0, speaker.say("terminal", "audited", audited=record.tallies.audited))
    problems = _problems(record, speaker)
    if problems:
        parts.append(f"{speaker.say('terminal', 'incomplete')}: {problems[0]}")
        if len(problems) > 1:
            parts.append(speaker.say("terminal", "more", count=len(problems) - 1))
    click.echo(speaker.say("terminal", "quiet", summary="; ".join(parts)), err=True)


def say(record: RunRecord, folder: Path, written: Sequence[Path], told: bool) -> None:
    """The summary of a run."""
    speaker = Speaker(record.pack)
    if record.pack:
        _say_result(record, speaker, told)
    for note in (*record.notes, *(f"{i.name} {note}" for i in record.inputs for note in i.notes)):
        click.echo(plain(note))
    problems = _problems(record, speaker)
    if problems:
        click.secho(speaker.say("terminal", "incomplete"), bold=True, err=True)
        for line in problems:
            click.echo(f"  {line}", err=True)
    click.echo(speaker.say("terminal", "reports", folder=plain(str(folder))))
    for path in written:
        click.echo(f"  {plain(str(path))}")


def _say_result(record: RunRecord, speaker: Speaker, told: bool) -> None:
    if told:
        read = [i for i in record.inputs if not i.problem]
        name = read[0].name if len(read) == 1 else speaker.say("terminal", "logs", count=len(read))
        key = "told" if len(read) == 1 else "told_several"
        click.echo(speaker.say("terminal", key, file=plain(name), pack=record.pack.name))
    for i in record.inputs:
        if i.ignored_columns:
            columns = plain(", ".join(i.ignored_columns))
            click.echo(speaker.say("terminal", "unread_columns", file=plain(i.name), columns=columns))
    audited = speaker.say("terminal", "audited", audited=record.tallies.audited)
    when = period(record)
    if when["first"]:
        audited += ", " + speaker.say("terminal", "period", first=_clock(when["first"]), last=_clock(when["last"]))
    click.echo(audited)
    rows = {"read": record.rows_read, "accepted": record.accepted, "quarantined": len(record.quarantine)}
    click.echo(speaker.say("terminal", "rows", **rows))
    _say_untested(record, speaker)
    if not record.findings.num_rows:
        click.secho(speaker.say("terminal", "clean"), fg="green")
        return
    for disposition, count in record.by_disposition.items():
        if count:
            line = speaker.counted(disposition, count)
            meaning = speaker.say("disposition_meaning", disposition)
            click.echo(f"  {click.style(line, fg=_COLORS[Disposition(disposition)], bold=True)}: {meaning}")
    _say_most_often(record, speaker)


def _say_untested(record: RunRecord, speaker: Speaker) -> None:
    """Which questions the log could not answer at all, and which were not asked."""
    untested = [rule.code for rule in record.rules if rule.counts["not_logged"] and not rule.counts["tested"]]
    if untested:
        click.echo(speaker.say("terminal", "untested", count=len(untested), codes=_some(untested)))
    off = [rule.code for rule in record.rules if not rule.on]
    if off:
        click.echo(speaker.say("terminal", "off", codes=_some(off)))


def _some(codes: Sequence[str]) -> str:
    """The first of some codes."""
    return ", ".join(codes[: _TOP * 2]) + (" …" if len(codes) > _TOP * 2 else "")


def _clock(stamp: str) -> str:
    return stamp.replace("T", " ")


def _say_most_often(record: RunRecord, speaker: Speaker) -> None:
    words = Words(record.pack, log_integrity.CATALOGUE)
    grave = {rule.code: rule.disposition.gravity for rule in record.rules}
    open_too = {rule.code for rule in record.rules if rule.disposition is Disposition.INDETERMINATE}
    counts: Counter[str] = Counter()
    for (code, disposition), count in record.by_rule.items():
        if disposition != Disposition.INDETERMINATE.value or code in open_too:
            counts[code] += count
    ranked = sorted(counts.items(), key=lambda item: (-grave[item[0]], -item[1], item[0]))
    click.echo(speaker.say("terminal", "top"))
    for code, count in ranked[: _TOP * 2]:
        click.echo(f"  {number(count):>6}  {code:<8} {words.rule(code, 'title')}")
    if len(ranked) > _TOP * 2:
        click.echo("  " + speaker.say("terminal", "more_rules", count=len(ranked) - _TOP * 2))


def say_against(record: RunRecord, folder: Path) -> int:
    """Say ``identical``, or what differs from the results in ``folder``; the exit status that calls for."""
    from audit.against import compare

    speaker = Speaker(None)
    found = compare(record, folder)
    if found.identical:
        click.echo(speaker.say("against", "identical"))
        return Exit.CLEAN
    for key, lines in (("basis", found.basis), ("results", found.results)):
        if lines:
            click.echo(speaker.say("against", key, count=len(lines)))
            for line in lines:
                click.echo(f"  {plain(line)}")
    if found.results:
        return Exit.FINDINGS
    click.echo(speaker.say("against", "same_results"))
    return Exit.INCOMPLETE
