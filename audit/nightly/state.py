"""What the ledger comes to: which inputs are in, which rows stand for each table and day, which reports were issued."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from audit.nightly.files import as_json
from audit.nightly.ledger import Entry

#: What became of the rows of one log for one table and day.
NEW, ADDED, SUPERSEDES, HELD, REFUSED = "new", "added", "supersedes", "held", "refused"
#: So many days back an event may lie that a later one names.
LOOK_BACK = 35
#: Stands for the gaming day of events of which no time is known.
UNDATED = "undated"


class SiteDay(NamedTuple):
    """A gaming day of a site, under one pack. ``day`` is an ISO date, or ``undated``."""

    pack: str
    site: str
    day: str


@dataclass(frozen=True)
class PartRecord:
    """A part as the ledger has it. ``log``: which log of the input; ``units``: rows by table."""

    path: str
    sha256: str
    where: SiteDay
    input: str
    log: int
    units: Mapping[str, int]
    fates: Mapping[str, str]
    changes: str
    quarantined: int
    first: bool


@dataclass(frozen=True)
class Layout:
    """The columns of logs, and those of them in which they have values. ``number``: in the order in which they came."""

    number: int
    columns: Sequence[str]
    logged: Sequence[str]

    def of(self, log: Mapping[str, Any]) -> Mapping[str, Any]:
        """A log, with its columns."""
        return {**log, "columns": self.columns, "logged": self.logged}


@dataclass(frozen=True)
class Held:
    """Rows that overlap in part with what is archived: somebody must decide."""

    key: str
    where: SiteDay
    table: str
    part: str
    input: str
    rows: int


@dataclass(frozen=True)
class Issue:
    """A report that was issued, and what it rests on. ``changes``: how many lists of changed rows it tells of."""

    number: int
    folder: str
    sums: str
    results: str
    results_sha256: str
    basis: str
    links: tuple[str, ...]
    unresolved: bool
    status: int
    summary: Mapping[str, Any]
    replaces: int
    changes: int


@dataclass
class State:
    """The fold of all entries, in their order."""

    inputs: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    contents: dict[tuple[str, str], str] = field(default_factory=dict)
    parts: dict[str, PartRecord] = field(default_factory=dict)
    parts_of: dict[SiteDay, list[PartRecord]] = field(default_factory=lambda: defaultdict(list))
    current: dict[SiteDay, dict[str, list[str]]] = field(default_factory=dict)
    held: dict[str, Held] = field(default_factory=dict)
    issues: dict[SiteDay, list[Issue]] = field(default_factory=dict)
    changed: dict[SiteDay, list[str]] = field(default_factory=dict)
    only_aside: dict[SiteDay, list[str]] = field(default_factory=dict)
    layouts: dict[str, Layout] = field(default_factory=dict)
    _moved: set[SiteDay] = field(default_factory=set)
    _days: dict[tuple[str, str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    _site_days: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, entry: Entry) -> None:
        """Take in one entry."""
        match entry["kind"]:
            case "layout":
                self.layouts[entry["layout"]] = Layout(len(self.layouts), entry["columns"], entry["logged"])
            case "taken":
                record = entry["input"]
                logs = [self.layouts[log["layout"]].of(log) for log in record["logs"]]
                self.inputs[record["sha256"]] = {**record, "logs": logs, "number": len(self.inputs)}
                for log in logs:
                    self.contents.setdefault((log["content_sha256"], log["part"]), record["sha256"])
                for part in entry["parts"]:
                    self._add_part(part, record["sha256"])
            case "decided":
                held = self.held.pop(entry["held"])
                if entry["take"]:
                    self._stand(held.where, held.table, held.part, SUPERSEDES)
                    self.changed.setdefault(held.where, []).append(entry["changes"])
            case "issued":
                self._add_issue(entry)

    def _add_part(self, entry: Mapping[str, Any], sha256: str) -> None:
        where = SiteDay(entry["pack"], entry["site"], entry["day"])
        part = PartRecord(
            entry["path"],
            entry["sha256"],
            where,
            sha256,
            entry["log"],
            entry["units"],
            entry["fates"],
            entry["changes"],
            entry["quarantined"],
            entry["first"],
        )
        self.parts[part.path] = part
        self.parts_of[where].append(part)
        if part.changes:
            self.changed.setdefault(where, []).append(part.changes)
        if not part.units:
            self.only_aside.setdefault(where, []).append(part.path)
            self._moved.add(where)
        for table, fate in part.fates.items():
            if fate == HELD:
                key = held_key(part.input, where, table)
                self.held[key] = Held(key, where, table, part.path, part.input, part.units[table])
            elif fate != REFUSED:
                self._stand(where, table, part.path, fate)

    def _stand(self, where: SiteDay, table: str, path: str, fate: str) -> None:
        tables = self.current.setdefault(where, {})
        if table in tables and fate != SUPERSEDES:
            tables[table] = [*tables[table], path]
        else:
            tables[table] = [path]
        days = self._days[where.pack, where.site, table]
        at = _once(days, where.day)
        _once(self._site_days[where.pack, where.site], where.day)
        self._moved.update(where._replace(day=day) for day in days[max(0, at - 1) : at + 2])
        for later in self._later(where, LOOK_BACK):
            issue = self.issue(later)
            if issue and (issue.links or issue.unresolved):
                self._moved.add(later)
                self._moved.update(where._replace(day=day) for day in issue.links)
        self._links_moved(where, self.issue(where))

    def _links_moved(self, where: SiteDay, issue: Issue | None) -> None:
        """The days of events that a day's own name are audited with it."""
        if issue:
            self._moved.update(where._replace(day=day) for day in issue.links)

    def _later(self, where: SiteDay, count: int) -> list[SiteDay]:
        """So many archived days of the site after one."""
        days = self._site_days[where.pack, where.site]
        at = bisect_left(days, where.day) + 1
        return [where._replace(day=day) for day in days[at : at + count]]

    def _add_issue(self, entry: Entry) -> None:
        where = SiteDay(entry["pack"], entry["site"], entry["day"])
        issues = self.issues.setdefault(where, [])
        issue = Issue(
            entry["issue"],
            entry["folder"],
            entry["sums"],
            entry["results"],
            entry["results_sha256"],
            entry["basis"],
            tuple(entry["links"]),
            entry["unresolved"],
            entry["status"],
            entry["summary"],
            entry["replaces"],
            entry["changes"],
        )
        before = issues[-1] if issues else None
        if before is None or before.links != issue.links:
            self._links_moved(where, before)
            self._links_moved(where, issue)
        self._moved.discard(where)  # its basis was taken of what was archived then
        if before and before.number == issue.number:
            issues[-1] = issue  # looked at again, and confirmed
        else:
            issues.append(issue)

    # What a site-day's audit looks at

    def days_of(self, pack: str, site: str) -> Sequence[str]:
        """The archived gaming days of a site, ascending."""
        return self._site_days.get((pack, site), [])

    def context(self, where: SiteDay, links: Iterable[str]) -> dict[SiteDay, set[str]]:
        """Tables of other days that the audit of one looks at: each table's day before and after, and what names what.

        By day, with the tables. ``links``: the days of events that this one's name.
        """
        if where not in self.current or where.day == UNDATED:
            return {}
        around: dict[SiteDay, set[str]] = defaultdict(set)

        def with_day(day: str, tables: Iterable[str]) -> None:
            other = where._replace(day=day)
            around[other].update(table for table in tables if table in self.current[other])

        for table in self.current[where]:
            days = self._days[where.pack, where.site, table]
            at = bisect_left(days, where.day)
            if at > 0:
                with_day(days[at - 1], [table])
            if at + 1 < len(days) and days[at + 1] != UNDATED:
                with_day(days[at + 1], [table])
        for day in links:
            with_day(day, self.current[where._replace(day=day)])
        for later in self._later(where, LOOK_BACK):
            issue = self.issue(later)
            if issue and where.day in issue.links:
                with_day(later.day, self.current[later])
        return around

    def issue(self, where: SiteDay) -> Issue | None:
        """The report that stands."""
        issues = self.issues.get(where)
        return issues[-1] if issues else None

    def before(self, where: SiteDay) -> Sequence[str]:
        """The archived days of the site that an event of this one may name."""
        days = self.days_of(where.pack, where.site)
        at = bisect_left(days, where.day)
        return days[max(0, at - LOOK_BACK) : at]

    def basis(self, where: SiteDay, links: Iterable[str], unresolved: bool) -> str:
        """A sum over all that the audit of a site-day rests on: it is to be looked at again where this changes.

        ``unresolved``: an event of this day names one that is not archived, and may yet come.
        """
        digest = hashlib.sha256()

        def take(other: SiteDay, tables: Iterable[str]) -> None:
            for table in sorted(tables):
                digest.update(as_json([other.day, table, self.current[other][table]]))

        take(where, self.current[where])
        digest.update(as_json(self.only_aside.get(where, [])))
        for other, tables in sorted(self.context(where, links).items()):
            take(other, tables)
        if unresolved:
            for day in self.before(where):
                take(where._replace(day=day), self.current[where._replace(day=day)])
        return digest.hexdigest()

    def unaudited(self) -> list[SiteDay]:
        """Site-days whose report does not rest on what is archived now, in their order.

        Only those are looked at around which something has moved since, so that years cost nothing.
        """
        self._moved = {where for where in self._moved if where in self.current and not self.rests(where)}
        return sorted(self._moved)

    def rests(self, where: SiteDay) -> bool:
        """Whether the report that stands rests on what is archived now."""
        issue = self.issue(where)
        return issue is not None and issue.basis == self.basis(where, issue.links, issue.unresolved)


def _once(ascending: list[str], day: str) -> int:
    """Put a day in its place, where it is not there yet; its place."""
    at = bisect_left(ascending, day)
    if at == len(ascending) or ascending[at] != day:
        ascending.insert(at, day)
    return at


def held_key(sha256: str, where: SiteDay, table: str) -> str:
    """A short name for rows that are held."""
    text = "\0".join((sha256, *where, table))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def state_of(entries: Iterable[Entry]) -> State:
    """The state that some entries come to."""
    state = State()
    for entry in entries:
        state.add(entry)
    return state
