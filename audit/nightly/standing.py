"""How things stand: the last run, what is open, and which days lack a log that usually comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from audit.nightly.clock import today
from audit.nightly.config import Config
from audit.nightly.run import last_runs, open_archive
from audit.nightly.state import UNDATED, State
from audit.status import Exit

#: A table usually has a log if it had one on at least half of the so many days before that the site was open, …
USUAL = 28
#: … looked at over the last so many days.
LOOKED_AT = 31
_ONE = timedelta(days=1)


@dataclass(frozen=True)
class Standing:
    """``last_days``: site and the last day of which it has a log; ``open`` and ``missing``: a line each."""

    last: Mapping[str, Any] | None
    good: Mapping[str, Any] | None
    last_days: Sequence[tuple[str, str]]
    open: Sequence[str]
    missing: Sequence[str]
    missing_days: Sequence[Mapping[str, str]]

    @property
    def status(self) -> Exit:
        if self.last is None or self.open:
            return Exit.INCOMPLETE
        return Exit.FINDINGS if self.missing else Exit.CLEAN

    def as_json(self) -> dict[str, Any]:
        return {
            "status": int(self.status),
            "last_run": self.last,
            "last_good_run": self.good,
            "last_days": [{"site": site, "day": day} for site, day in self.last_days],
            "open": list(self.open),
            "missing": [dict(entry) for entry in self.missing_days],
        }


def standing(config: Config, on: str) -> Standing:
    """How things stand, as of a day (ISO; blank: today), whose own logs are not yet due."""
    _, state = open_archive(config)
    runs = last_runs(config.archive)
    last = runs.get("last")
    day = date.fromisoformat(on) if on else today()
    sites = _sites(state)
    missing = _missing(state, sites, day)
    return Standing(
        last=last,
        good=runs.get("good"),
        last_days=[(site, days[-1]) for (_, site), days in sorted(sites.items())],
        open=_open(state, last),
        missing=_lines(missing),
        missing_days=[{"pack": p, "site": s, "table": t, "day": d} for p, s, t, d in missing],
    )


def _open(state: State, last: Mapping[str, Any] | None) -> list[str]:
    lines = [
        f"held: {held.rows} rows of {held.where.site} {held.table} on {held.where.day}: throwaudit decide {held.key}"
        for held in state.held.values()
    ]
    if last:
        lines += [f"{name}: {why}" for name, why in last["problems"]]
        lines += [last["error"]] if last["error"] else []
    lines += [f"{where.site} {where.day}: waits for its audit" for where in state.unaudited()]
    return lines


def _sites(state: State) -> dict[tuple[str, str], list[str]]:
    """The days of which each site has a log, ascending."""
    found: dict[tuple[str, str], set[str]] = {}
    for where in state.current:
        if where.day != UNDATED:
            found.setdefault((where.pack, where.site), set()).add(where.day)
    return {key: sorted(days) for key, days in found.items()}


def _missing(
    state: State, sites: Mapping[tuple[str, str], Sequence[str]], today: date
) -> list[tuple[str, str, str, str]]:
    """Pack, site, table and day of each log that is missing; a blank table stands for the whole site."""
    missing = []
    for (pack, site), open_days in sorted(sites.items()):
        present: dict[str, set[str]] = {}
        for where, tables in state.current.items():
            if (where.pack, where.site) == (pack, site):
                for table in tables:
                    present.setdefault(table, set()).add(where.day)
        if _by_game(pack):
            continue
        begin = max(date.fromisoformat(open_days[0]), today - LOOKED_AT * _ONE)
        silent_from = date.fromisoformat(open_days[-1])
        day = begin
        while day < today:
            text = day.isoformat()
            if text not in open_days:
                if day > silent_from or _opens(open_days, day):
                    missing.append((pack, site, "", text))
            else:
                missing += [
                    (pack, site, table, text)
                    for table, days in sorted(present.items())
                    if text not in days and _usual(days, open_days, text)
                ]
            day += _ONE
    return missing


def _by_game(pack: str) -> bool:
    """Whether the units of a pack are games, each of which comes once."""
    from audit.packs import find_pack, load_packs

    return find_pack(pack, load_packs()).games is not None


def _opens(open_days: Sequence[str], day: date) -> bool:
    """The site is open on that day of the week, by the four before."""
    known = [(day - timedelta(weeks=back)).isoformat() for back in range(1, 5)]
    known = [text for text in known if text >= open_days[0]]
    return 2 * sum(text in open_days for text in known) >= len(known)


def _usual(days: set[str], open_days: Sequence[str], text: str) -> bool:
    """The table had a log on at least half of the days, of those before on which the site was open and it was known."""
    since = min(days)
    before = [day for day in open_days if since <= day < text][-USUAL:]
    return bool(before) and 2 * sum(day in days for day in before) >= len(before)


def _lines(missing: Sequence[tuple[str, str, str, str]]) -> list[str]:
    """One line for each run of days."""
    by_place: dict[tuple[str, str, str], list[str]] = {}
    for pack, site, table, day in missing:
        by_place.setdefault((pack, site, table), []).append(day)
    lines = []
    for (_, site, table), days in sorted(by_place.items()):
        starts = [days[0]] + [b for a, b in pairwise(days) if date.fromisoformat(b) - date.fromisoformat(a) != _ONE]
        for place, start in enumerate(starts):
            end = days[-1] if place + 1 == len(starts) else days[days.index(starts[place + 1]) - 1]
            what = f"{site}, {table}" if table else f"{site}, no log at all"
            lines.append(f"{what}: {start}" + (f" to {end}" if end != start else ""))
    return lines
