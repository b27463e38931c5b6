"""What the commands of the nightly job print."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audit.nightly.config import Config
from audit.nightly.state import Held
from audit.terminal import plain
from reports.text import Speaker

if TYPE_CHECKING:
    from audit.nightly.run import Night
    from audit.nightly.standing import Standing
    from audit.nightly.verify import Verified
    from audit.record import RunRecord

#: So many lines of a kind are printed; all of them stand in the log, and in --json.
_TOP = 40


def _words(word: str, /, **values: object) -> str:
    shown = {name: plain(value) if isinstance(value, str) else value for name, value in values.items()}
    return Speaker(None).say("nightly", word, **shown)


def set_up(path: Path, text: str) -> None:
    """The configuration is written: how to have it run every night."""
    here = path.absolute()
    command = Path(sys.argv[0]).absolute()
    click.echo(_words("wrote", path=str(path)))
    click.echo(_words("schedule", command=str(command), config=str(here), folder=str(here.parent)))


def night(config: Config, done: Night, problem: str, quiet: bool) -> None:
    """One line a site and day, and a line for whatever is not well."""
    speaker = Speaker(None)
    if not (quiet and not done.status):
        for issued in done.issued:
            summary, where = issued.issue.summary, issued.where
            counted = [speaker.counted(d, n) for d, n in summary["findings"].items() if n]
            if summary["quarantined"]:
                counted.append(_words("aside", count=summary["quarantined"]))
            key = "revised" if issued.issue.replaces else "issued"
            line = _words(
                key,
                site=where.site or _words("no_site"),
                day=where.day,
                audited=summary["audited"],
                found=", ".join(counted) or _words("no_finding"),
                folder=str(config.reports / issued.issue.folder),
            )
            click.echo(line)
        for path in done.unfinished:
            click.echo(_words("unfinished", file=path))
        if done.again:
            click.echo(_words("again", confirmed=done.confirmed, issued=len(done.issued)))
        elif not (done.issued or done.unfinished or done.status):
            click.echo(_words("nothing_new"))
    for name, why in done.problems:
        click.echo(_words("problem", file=name, problem=why), err=True)
    for name, count in done.unplaced:
        click.echo(_words("unplaced", file=name, count=count), err=True)
    for held, name in done.held:
        where = held.where
        click.echo(
            _words("held", file=name, site=where.site, table=held.table, day=where.day, hold=held.key, rows=held.rows),
            err=True,
        )
    for text in filter(None, (problem, done.error)):
        click.echo(f"throwaudit: {plain(text)}", err=True)


def decided(held: Held, take: bool) -> None:
    key = "taken" if take else "left"
    click.echo(_words(key, table=held.table, day=held.where.day, rows=held.rows))


def period(record: RunRecord, folder: Path, written: Sequence[Path]) -> None:
    """The sum of a period, beside the one before."""
    from audit.record import Period

    assert isinstance(record.night, Period)
    own = record.night
    speaker = Speaker(record.pack)
    click.echo(_words("period", first=own.first, last=own.last, days=len(own.days)))
    click.echo(speaker.say("terminal", "audited", audited=record.tallies.audited))
    for name, count in record.by_disposition.items():
        before = sum(day.findings.get(name, 0) for day in own.days_before)
        found = speaker.counted(name, count)
        click.echo("  " + (_words("beside", found=found, before=before) if own.days_before else found))
    if not own.days_before:
        click.echo(speaker.say("night", "nothing_before", first=own.first_before, last=own.last_before))
    click.echo(speaker.say("terminal", "reports", folder=plain(str(folder))))
    for path in written:
        click.echo(f"  {plain(str(path))}")


def _lines(lines: Sequence[str]) -> None:
    for line in lines[:_TOP]:
        click.echo(f"  {plain(line)}")
    if len(lines) > _TOP:
        click.echo("  " + _words("more", count=len(lines) - _TOP))


def verified(found: Verified, as_json: bool) -> None:
    """What was held against what, and what does not agree."""
    if as_json:
        click.echo(json.dumps(found.as_json(), indent=2, ensure_ascii=False))
        return
    click.echo(_words("verified", **found.counts))
    if not found.wrong and not found.unseen:
        click.echo(_words("sound"))
    for key, lines in (("wrong", found.wrong), ("unseen", found.unseen)):
        if lines:
            click.echo(_words(key, count=len(lines)))
            _lines(lines)


def standing(found: Standing, as_json: bool) -> None:
    """How the last run ended, and what is missing."""
    if as_json:
        click.echo(json.dumps(found.as_json(), indent=2, ensure_ascii=False))
        return
    last, good = found.last, found.good
    click.echo(_words("last_run", at=last["at"], status=last["status"]) if last else _words("no_run"))
    click.echo(_words("last_good", at=good["at"]) if good else _words("never_good"))
    for site, day in found.last_days:
        click.echo(_words("last_day", site=site or _words("no_site"), day=day))
    for key, lines in (("open", found.open), ("missing", found.missing)):
        if lines:
            click.echo(_words(key, count=len(lines)))
            _lines(lines)
    if not found.open and not found.missing:
        click.echo(_words("all_there"))
