"""What `throwaudit profile` does: draft a profile, or show one at work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from audit.drafting.draft import drafted
from audit.drafting.glimpse import glimpse
from audit.drafting.guess import guess
from audit.drafting.shown import shown
from audit.errors import OutputError, UnreadableInputError, UsageError
from audit.packs import find_pack
from audit.reading.events import Events
from audit.reading.logs import read_logs
from audit.reading.profile_file import load
from audit.reading.sources import Source, find_sources
from audit.record import all_rules
from audit.status import Exit
from audit.terminal import plain
from rules.kit import Pack


def _one_log(log: str) -> Source:
    sources, _ = find_sources([log])
    if len(sources) != 1:
        raise UsageError(f"{log} stands for {len(sources)} logs: name one")
    return sources[0]


def draft_profile(log: str, packs: Sequence[Pack], out: Path | None) -> None:
    """Draft a profile for a log, to a file or to be read. Raises UnreadableInputError, OutputError."""
    source = _one_log(log)
    try:
        seen = glimpse(source, packs)
    except UnreadableInputError as error:
        raise UnreadableInputError(f"{log} {error.reason}") from error
    text = drafted(log, seen, guess(seen, packs))
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"cannot write {out}: {error.strerror or error}") from error
    click.echo(str(out))


def try_profile(log: str, profile: Path, packs: Sequence[Pack]) -> Exit:
    """Show how a profile reads a log. Raises UsageError."""
    tried = load(profile)
    pack = find_pack(tried.pack, packs) if tried.pack else packs[0] if len(packs) == 1 else None
    if pack is not None:
        tried.check_against(pack, {rule.code: rule.disposition for rule in all_rules(pack)})
        pack = pack.for_house(tried.house)
    events = read_logs(find_sources([log])[0], pack, packs, tried)
    if not isinstance(events, Events):
        for record in events:
            where = f"line {record.problem_line}: " if record.problem_line else ""
            click.echo(plain(f"{record.label}: {where}{record.problem}"), err=True)
        return Exit.INCOMPLETE
    for line in shown(events):
        click.echo(plain(line))
    refused = any(record.problem for record in events.files)
    return Exit.INCOMPLETE if refused or events.aside else Exit.CLEAN
