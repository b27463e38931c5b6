"""The commands of the nightly job: thin. What is heavy is imported inside the command that needs it."""

from __future__ import annotations

from pathlib import Path

import click

from audit.errors import UsageError

_config = click.option(
    "--config",
    type=click.Path(path_type=Path),
    default="throwaudit.toml",
    show_default=True,
    metavar="FILE",
    help="The configuration; throwaudit init writes one.",
)
_json = click.option("--json", "as_json", is_flag=True, help="The answer as JSON.")


def _span(value: str | None, option: str) -> str:
    from datetime import date

    try:
        return date.fromisoformat(value).isoformat() if value else ""
    except ValueError as error:
        raise UsageError(f"{option} is {value!r}: expected a date such as 2026-03-03") from error


@click.command(short_help="Write a commented example configuration.")
@click.argument("path", type=click.Path(path_type=Path), default="throwaudit.toml")
def init(path: Path) -> None:
    """Write a commented example configuration to PATH, and say how to have it run every night."""
    from audit.nightly import say, setting_up

    say.set_up(path, setting_up.write_example(path))


@click.command(short_help="Take in what has come, audit it, issue reports.")
@_config
@click.option("--no-originals", is_flag=True, help="Keep no copy of the logs, byte for byte, in the archive.")
@click.option("--again", is_flag=True, help="Audit archived days anew, and revise reports that come out differently.")
@click.option("--from", "first", metavar="DATE", help="With --again: the first day.")
@click.option("--to", "last", metavar="DATE", help="With --again: the last day.")
@click.option("--log-json", is_flag=True, help="Write the log file as JSON lines.")
@click.option("--quiet", is_flag=True, help="Say nothing if all is well.")
def nightly(
    config: Path, no_originals: bool, again: bool, first: str | None, last: str | None, log_json: bool, quiet: bool
) -> int:
    """Take in the logs that have come, audit them with their neighbors, and issue reports.

    Exit status: 0 all is well; 1 findings at or above fail_on; 3 something is incomplete or held; 4 another run is on.
    """
    from dataclasses import replace

    from audit.nightly import config as configuration
    from audit.nightly import say
    from audit.nightly.journal import journal
    from audit.nightly.run import run

    if (first or last) and not again:
        raise UsageError("--from and --to go with --again")
    settings = configuration.load(config)
    if log_json and settings.log_file is None:
        raise UsageError(f"--log-json: {config} names no log_file")
    if no_originals:
        settings = replace(settings, originals=False)
    span = (_span(first, "--from"), _span(last, "--to") or "9999-12-31") if again else None
    with journal(settings.log_file, log_json) as (notes, problem):
        night = run(settings, notes, span)
    say.night(settings, night, problem, quiet)
    return int(night.status)


@click.command(short_help="Settle rows that are held.")
@click.argument("key")
@_config
@click.option("--take/--leave", required=True, help="The held rows are to stand, or those that are archived.")
def decide(key: str, config: Path, take: bool) -> None:
    """Settle the rows held under KEY: a log that overlaps in part with what is archived. The next run acts on it."""
    from audit.nightly import config as configuration
    from audit.nightly import say
    from audit.nightly.run import decide as settle

    say.decided(settle(configuration.load(config), key, take), take)


@click.command(short_help="Report on a period from the archive.")
@_config
@click.option("--site", default="", help="The facility; may be left out where there is one.")
@click.option("--pack", default="", help="The rule pack; may be left out where there is one.")
@click.option("--from", "first", metavar="DATE", help="The first day.")
@click.option("--to", "last", metavar="DATE", help="The last day.")
@click.option("--period", metavar="PERIOD", help="Instead: 2026-03-02, 2026-W10, 2026-03, 2026-Q1 or 2026.")
@click.option("--out", type=click.Path(path_type=Path), default="period-report", show_default=True, metavar="PATH")
@click.option("--format", "formats", default="pdf,csv,json", show_default=True, help="pdf, html, csv, json, parquet.")
@click.option("--date", "on", metavar="DATE", help="The report's date; by default today.")
def report(
    config: Path,
    site: str,
    pack: str,
    first: str | None,
    last: str | None,
    period: str | None,
    out: Path,
    formats: str,
    on: str | None,
) -> int:
    """Report on a day, week, month, quarter or any other period, beside the period before.

    Its numbers are those of the reports of its days, added up.
    """
    from audit.nightly import config as configuration
    from audit.nightly import say
    from audit.nightly.period import report as add_up
    from audit.nightly.period import span as days_of

    settings = configuration.load(config)
    span = days_of(period or "", _span(first, "--from"), _span(last, "--to"))
    words = tuple(word.strip() for word in formats.split(",") if word.strip())
    record, written = add_up(settings, site, pack, span, out, words, _span(on, "--date"))
    say.period(record, out, written)
    return int(record.status)


@click.command(short_help="Hold archive and reports against the ledger.")
@_config
@_json
def verify(config: Path, as_json: bool) -> int:
    """Check that archive and reports are what was written: sums, counts, and reports against the archive.

    Exit status: 0 all is as it was written; 1 something is not; 3 something could not be looked at.
    """
    from audit.nightly import config as configuration
    from audit.nightly import say
    from audit.nightly import verify as verifying

    found = verifying.verify(configuration.load(config))
    say.verified(found, as_json)
    return int(found.status)


@click.command(name="status", short_help="Say how the last run ended, and what is missing.")
@_config
@_json
@click.option("--date", "on", metavar="DATE", help="As of this day; by default today.")
def status_(config: Path, as_json: bool, on: str | None) -> int:
    """Say how the last run ended, which was the last good one, and which days lack a log that usually comes.

    Exit status: 0 all is well; 1 logs are missing; 3 the last run left something open, or there was none.
    """
    from audit.nightly import config as configuration
    from audit.nightly import say, standing

    found = standing.standing(configuration.load(config), _span(on, "--date"))
    say.standing(found, as_json)
    return int(found.status)


COMMANDS = (init, nightly, decide, report, verify, status_)
