"""The command line: thin. What is heavy is imported inside the command that needs it."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
import traceback
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path

import click

from audit import status
from audit.arguments import FAIL_ON, FORMATS, Comma, complete_code, complete_pack, flat, folder, iso_date
from audit.errors import BusyError, OutputError, ThrowauditError, UsageError
from audit.nightly.cli import COMMANDS as NIGHTLY


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="throwaudit", prog_name="throwaudit", message="%(prog)s %(version)s")
def cli() -> None:
    """Audit casino dice-throw logs against the rules of the game and report what was found."""


@cli.command(short_help="Audit logs and write the results to a folder.")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option("--pack", default="", shell_complete=complete_pack, help="Rule pack; else told from the header.")
@click.option("--profile", type=click.Path(path_type=Path), help="TOML file on how this house logs.")
@click.option(
    "--out", callback=folder, default="audit-out", show_default=True, metavar="PATH", help="Folder for results."
)
@click.option(
    "--format",
    "formats",
    type=Comma(FORMATS),
    multiple=True,
    help=f"Any of {','.join(FORMATS)}; by default pdf,csv,json. floor: one page a site and day.",
)
@click.option(
    "--select", type=Comma(complete=complete_code), multiple=True, help="Only these rules: codes or prefixes."
)
@click.option("--ignore", type=Comma(complete=complete_code), multiple=True, help="Not these rules: codes or prefixes.")
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="discrepancy",
    show_default=True,
    help="Exit with status 1 on findings this grave or graver.",
)
@click.option("--site", default="", help="The facility, where the log names none.")
@click.option("--timezone", default="", help="Time zone of times without offset, such as America/New_York.")
@click.option("--date", "report_date", callback=iso_date, help="The report's date (YYYY-MM-DD); by default today.")
@click.option("--paper", type=click.Choice(["letter", "a4"]), default="letter", show_default=True, help="Of PDFs.")
@click.option(
    "--annex",
    type=click.Choice(["none", "all"]),
    default="none",
    show_default=True,
    help="all: the report ends with every finding, a line each.",
)
@click.option(
    "--pseudonyms",
    type=click.Path(path_type=Path),
    metavar="KEYFILE",
    help="Name staff and patrons by pseudonyms made with the key in this file, in every output.",
)
@click.option("--quiet", is_flag=True, help="Say nothing if all is well, else one line.")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Compare with the results in DIR: status 0 if identical, 1 if results differ, 3 if inputs or options do.",
)
def check(
    logs: tuple[str, ...],
    pack: str,
    profile: Path | None,
    out: Path,
    formats: tuple[tuple[str, ...], ...],
    select: tuple[tuple[str, ...], ...],
    ignore: tuple[tuple[str, ...], ...],
    fail_on: str,
    site: str,
    timezone: str,
    report_date: str,
    paper: str,
    annex: str,
    pseudonyms: Path | None,
    quiet: bool,
    against: Path | None,
) -> int:
    """Audit LOG... (files, folders, globs) and write the results to a folder."""
    from audit import output, terminal
    from audit.packs import load_packs
    from audit.pipeline import Options, audit_logs

    options = Options(
        logs=logs,
        pack=pack,
        profile=profile,
        select=flat(select),
        ignore=flat(ignore),
        fail_on=fail_on,
        site=site,
        timezone=timezone,
        report_date=report_date,
        formats=flat(formats) or ("pdf", "csv", "json"),
        pseudonyms=pseudonyms,
    )
    packs = load_packs()
    if against:
        from audit.against import read

        if against.absolute() == out.absolute():
            raise UsageError("--against and --out name one folder: the results to compare with would be replaced")
        read(against)
    output.prepare(out)
    with terminal.progress(logs, quiet) as progress:
        record = audit_logs(options, packs, progress)
        progress("write", 0)
        written = output.write(record, out, options.formats, report_date or _today(), paper, annex == "all")
    with suppress(OSError):  # the results are written, whoever reads the summary
        if quiet:
            terminal.say_briefly(record)
        else:
            terminal.say(record, out, written, told=not pack)
    if against:
        return terminal.say_against(record, against)
    return int(record.status)


def _today() -> str:
    """The date of SOURCE_DATE_EPOCH where it is set, else of the clock."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isdigit():
        return datetime.fromtimestamp(int(epoch), UTC).date().isoformat()
    return date.today().isoformat()


@cli.command()
@click.option("--pack", default="", shell_complete=complete_pack, help="Only the rules of this pack.")
@click.option(
    "--format", "form", type=click.Choice(["table", "json", "md"]), default="table", show_default=True, help="How."
)
def rules(pack: str, form: str) -> None:
    """List the rules: code, clause, disposition, title."""
    from audit import reference
    from audit.packs import find_pack, load_packs

    packs = load_packs()
    reference.list_rules([find_pack(pack, packs)] if pack else packs, form)


@cli.command(short_help="Explain one rule, with examples.")
@click.argument("code", shell_complete=complete_code)
def explain(code: str) -> None:
    """Explain one rule: clause, what it tests, what it needs, examples, its reading of the text."""
    from audit import reference
    from audit.packs import load_packs

    reference.explain(code, load_packs())


@cli.command()
@click.argument("pack", shell_complete=complete_pack)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="csv: an empty log with its header.",
)
def schema(pack: str, form: str) -> None:
    """Show the log layout of PACK: columns, types, allowed values."""
    from audit import reference
    from audit.packs import find_pack, load_packs

    reference.schema(find_pack(pack, load_packs()), form)


@cli.command(short_help="Write a synthetic log with its answer key.")
@click.argument("pack", shell_complete=complete_pack)
@click.option("--events", type=click.IntRange(min=0), default=1000, show_default=True, help="How many rows.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Same seed, same bytes.")
@click.option(
    "--error-rate", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Share of rows with an error."
)
@click.option(
    "--gap-rate", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Share of rows with a blank cell."
)
@click.option("--profile", type=click.Path(path_type=Path), help="Play by the options in [house] of this file.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The log to write.")
@click.option("--answers", type=click.Path(path_type=Path), help="The answer key to write.")
def sample(
    pack: str,
    events: int,
    seed: int,
    error_rate: float,
    gap_rate: float,
    profile: Path | None,
    out: Path,
    answers: Path | None,
) -> None:
    """Write a realistic synthetic log for PACK, and what an audit must find in it."""
    from audit.packs import find_pack, load_packs
    from audit.reading.profile import Profile
    from audit.reading.profile_file import load
    from audit.sample import write_sample
    from rules.sampling import Sample

    house = (load(profile) if profile else Profile()).house
    write_sample(find_pack(pack, load_packs()), Sample(events, seed, error_rate, gap_rate, house), out, answers)


@cli.command(short_help="Draft a profile for an unknown log, or try one.")
@click.argument("log", metavar="LOG")
@click.option("--pack", default="", shell_complete=complete_pack, help="Rule pack; else the one that most columns fit.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the draft to this file.")
@click.option("--check", "tried", type=click.Path(path_type=Path), help="Show how this profile reads the log.")
def profile(log: str, pack: str, out: Path | None, tried: Path | None) -> int:
    """Draft a profile for LOG: what each column is taken for and why, what is missing, what is ambiguous.

    With --check, show what a profile makes of the log: its columns, what is set aside, its first rows.
    """
    from audit.drafting.command import draft_profile, try_profile
    from audit.packs import find_pack, load_packs

    packs = load_packs()
    if pack:
        packs = [find_pack(pack, packs)]
    if tried is not None:
        return int(try_profile(log, tried, packs))
    draft_profile(log, packs, out)
    return 0


for _command in NIGHTLY:
    cli.add_command(_command)


def _complain(line: str) -> None:
    click.echo(f"throwaudit: {line}", err=True)


def _internal(error: BaseException) -> int:
    """One line, and the details in a file."""
    try:
        with tempfile.NamedTemporaryFile("w", prefix="throwaudit-", suffix=".log", delete=False) as details:
            details.write("".join(traceback.format_exception(error)))
        _complain(f"internal error; details in {details.name}")
    except OSError:
        _complain(f"internal error: {type(error).__name__}: {error}")
    return status.Exit.INTERNAL


class _TerminatedError(BaseException):
    """Somebody asked the process to end (SIGTERM, SIGHUP): what was begun is cleaned up first."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def _terminate(number: int, _: object) -> None:
    raise _TerminatedError(number)


def _mend_streams() -> None:
    """Streams that are closed swallow what is printed; those that are not show what they cannot encode as a mark."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _flush() -> None:
    """Hand out what is still held back; where nobody can take it, let it go."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            _complain(f"cannot print: {error.strerror}")


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    _mend_streams()
    with suppress(ValueError):  # only the main thread may
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _terminate)
    try:
        result = cli.main(arguments, prog_name="throwaudit", standalone_mode=False)
        _flush()
        return int(result or 0)
    except UsageError as error:
        _complain(str(error))
        return status.Exit.USAGE
    except BusyError as error:
        _complain(str(error))
        return status.Exit.BUSY
    except OutputError as error:
        _complain(str(error))
        return status.Exit.INCOMPLETE
    except ThrowauditError as error:
        _complain(str(error))
        return status.Exit.INCOMPLETE
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return status.Exit.USAGE
    except click.ClickException as error:
        _complain(error.format_message())
        return status.Exit.USAGE
    except SystemExit:  # click's way of saying that nobody reads what is printed any more
        return status.Exit.CLEAN
    except (KeyboardInterrupt, click.Abort):
        _complain("interrupted")
        return status.Exit.INTERRUPTED
    except _TerminatedError as asked:
        _complain("terminated")
        return 128 + asked.number
    except Exception as error:
        return _internal(error)


def main() -> None:
    """The console command."""
    result = run()
    gc.freeze()  # the process ends: what a report was made of need not be searched for garbage once more
    sys.exit(result)
