"""The report of a period: the reports of its days, added up, beside the period before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from audit import output
from audit.errors import UsageError, unknown
from audit.nightly.clock import today
from audit.nightly.config import FORMATS, Config
from audit.nightly.results import Results, read_results, record_of
from audit.nightly.run import open_archive
from audit.nightly.state import UNDATED, SiteDay, State
from audit.packs import find_pack, load_packs
from audit.record import DayCounts, Period, RunRecord

_ONE = timedelta(days=1)
#: The floor's page is of one day.
_FORMATS = tuple(word for word in FORMATS if word != "floor")


def span(period: str, first: str, last: str) -> tuple[date, date]:
    """First and last day: of a named period, or as given. Raises UsageError."""
    if bool(period) == bool(first or last):
        raise UsageError("name the period: --from and --to, or --period")
    if period:
        return _named(period)
    begin = date.fromisoformat(first or last)
    end = date.fromisoformat(last or first)
    if begin > end:
        raise UsageError(f"--from {first} is after --to {last}")
    return begin, end


def _named(period: str) -> tuple[date, date]:
    wrong = UsageError(f"--period is {period!r}: expected one such as 2026-03-02, 2026-W10, 2026-03, 2026-Q1 or 2026")
    try:
        if match := re.fullmatch(r"(\d{4})-W(\d\d?)", period):
            monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
            return monday, monday + 6 * _ONE
        if match := re.fullmatch(r"(\d{4})-Q([1-4])", period):
            return _months(int(match[1]), 3 * int(match[2]) - 2, 3)
        if match := re.fullmatch(r"(\d{4})-(\d\d)", period):
            return _months(int(match[1]), int(match[2]), 1)
        if re.fullmatch(r"\d{4}", period):
            return _months(int(period), 1, 12)
        day = date.fromisoformat(period)
    except ValueError as error:
        raise wrong from error
    return day, day


def _months(year: int, month: int, count: int) -> tuple[date, date]:
    """``count`` calendar months from the first day of one on."""
    after = year * 12 + month - 1 + count
    return date(year, month, 1), date(after // 12, after % 12 + 1, 1) - _ONE


def before(first: date, last: date) -> tuple[date, date]:
    """The period before: as many calendar months where it is made of whole ones, else as many days."""
    months = (last + _ONE).year * 12 + (last + _ONE).month - first.year * 12 - first.month
    if first.day == 1 and (last + _ONE).day == 1:
        earlier = first.year * 12 + first.month - 1 - months
        return date(earlier // 12, earlier % 12 + 1, 1), first - _ONE
    return first - (last - first + _ONE), first - _ONE


def report(
    config: Config, site: str, pack: str, days: tuple[date, date], out: Path, formats: Sequence[str], on: str
) -> tuple[RunRecord, list[Path]]:
    """Add up the days of a period and write the report. Raises UsageError where nothing is archived of it."""
    for word in formats:
        if word not in _FORMATS:
            raise unknown("value of --format", word, _FORMATS)
    _, state = open_archive(config)
    pack = _chosen("pack", "--pack", pack, sorted({where.pack for where in state.issues}))
    sites = sorted({where.site for where in state.issues if where.pack == pack})
    site = _chosen("site", "--site", site, sites)
    first, last = days
    own = _days(state, pack, site, first, last)
    if not own:
        raise UsageError(f"no report of {site or 'this site'} from {first} to {last} is archived")
    earlier = before(first, last)
    theirs = _days(state, pack, site, *earlier)
    output.prepare(out)
    options = {
        "pack": pack,
        "profile": "",
        "select": [],
        "ignore": [],
        "fail_on": config.fail_on,
        "site": "",
        "timezone": "",
        "date": on,
        "formats": list(formats),
    }
    results = [read_results(config.archive, _issue(state, where)) for where in own]
    _check_names(config, results, own)
    record = record_of(find_pack(pack, load_packs()), results, options, config.fail_on)
    rules: Counter[str] = Counter()
    for where in theirs:
        rules.update(read_results(config.archive, _issue(state, where)).findings["rule"].to_pylist())
    record = replace(
        record,
        night=Period(
            first=first.isoformat(),
            last=last.isoformat(),
            days=[_counts(state, where) for where in own],
            first_before=earlier[0].isoformat(),
            last_before=earlier[1].isoformat(),
            days_before=[_counts(state, where) for where in theirs],
            rules_before=dict(sorted(rules.items())),
        ),
    )
    return record, output.write(record, out, formats, on or today().isoformat(), config.paper, config.annex)


def _check_names(config: Config, results: Sequence[Results], days: Sequence[SiteDay]) -> None:
    """No name may come in by a day that was reported before there was a key. Raises UsageError."""
    key = config.key()
    wanted = key.fingerprint if key else results[-1].pseudonyms
    other = [where.day for where, one in zip(days, results, strict=True) if one.pseudonyms != wanted]
    if other:
        raise UsageError(
            f"the report of {other[0]} was not issued under the pseudonyms of this key: "
            f"throwaudit nightly --again --from {other[0]} --to {other[-1]} revises it"
        )


def _chosen(what: str, option: str, given: str, known: Sequence[str]) -> str:
    if not known:
        raise UsageError("no report is archived yet")
    if not given and len(known) > 1:
        raise UsageError(f"{option} is needed: the archive has {', '.join(known)}")
    if given and given not in known:
        raise unknown(what, given, known)
    return given or known[0]


def _days(state: State, pack: str, site: str, first: date, last: date) -> list[SiteDay]:
    low, high = first.isoformat(), last.isoformat()
    return sorted(
        where
        for where in state.issues
        if (where.pack, where.site) == (pack, site) and where.day != UNDATED and low <= where.day <= high
    )


def _issue(state: State, where: SiteDay) -> str:
    return state.issues[where][-1].results


def _counts(state: State, where: SiteDay) -> DayCounts:
    issue = state.issues[where][-1]
    own = issue.summary
    return DayCounts(where.site, where.day, issue.folder, own["audited"], own["quarantined"], own["findings"])
