"""Audit the days whose report does not rest on what is archived, and issue reports: new ones, or revisions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from audit import output
from audit.errors import OutputError
from audit.memory import give_back
from audit.nightly.clock import today
from audit.nightly.daily import DayAudits, DayFound
from audit.nightly.files import UNFINISHED, as_json, cannot_write, folder_name, remove_folder, sync_folder, write_bytes
from audit.nightly.houses import house_of
from audit.nightly.results import Results, findings_as_bytes, read_results, record_of, results_of, stored_names
from audit.nightly.shown import findings_changed, rows_changed, shown
from audit.nightly.state import UNDATED, Issue, SiteDay
from audit.nightly.taking import check_profile
from audit.nightly.window import Reader, named_elsewhere, read_window
from audit.nightly.work import Work
from audit.packs import find_pack
from audit.pseudonyms import put_in_place
from audit.record import Night, RunRecord, all_rules
from rules.kit import Pack

#: Events of about so many rows are audited together.
TOGETHER = 300_000
#: A revision may call for another: no more than so many times in one run.
_ROUNDS = 8


@dataclass(frozen=True)
class Issued:
    """A day that was looked at. ``new``: a report was issued; else the one that stands was confirmed."""

    where: SiteDay
    issue: Issue
    new: bool


@dataclass(frozen=True)
class Audited:
    """A day that was audited. ``links``: the days of events that its own name; ``unresolved``: one is nowhere."""

    pack: Pack
    where: SiteDay
    found: DayFound
    audit: DayAudits
    results: Results
    links: tuple[str, ...]
    unresolved: bool


@dataclass
class Issuing(Work):
    """Brings the reports up to what is archived."""

    done: Callable[[Issued], None]
    threads: int = os.cpu_count() or 1
    _ids: dict[SiteDay, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.key = self.config.key()

    def bring_up(self) -> None:
        """Audit and report what is waiting. Raises OutputError; what is issued by then is issued."""
        for _ in range(_ROUNDS):
            waiting = self.state.unaudited()
            if not waiting:
                return
            self.audit(waiting)

    def audit(self, days: Sequence[SiteDay]) -> None:
        """Audit some days, whether or not anything has changed, and report what comes out differently."""
        for together in self.windows(days):
            for audited in self.audited(together):
                self._issue(audited)

    def windows(self, days: Sequence[SiteDay]) -> Iterator[list[SiteDay]]:
        """Days that are audited together: of one pack and site."""
        for (name, _), own in groupby(sorted(days), key=lambda where: (where.pack, where.site)):
            yield from self._windows(find_pack(name, self.packs), list(own))

    def audited(self, days: Sequence[SiteDay]) -> Iterator[Audited]:
        """Audit days of one pack and site together. Raises UsageError where the profile does not fit, OutputError."""
        pack = find_pack(days[0].pack, self.packs)
        profile = house_of(self.config.inboxes, self.profiles, pack, days[0].site)
        check_profile(profile, pack)
        pack = pack.for_house(profile.house)
        give_back(TOGETHER)  # what the days before these took
        reader = Reader(self.config.archive, self.state, pack, self._ids, self.threads)
        links: dict[SiteDay, tuple[tuple[str, ...], bool]] = {}
        context: dict[SiteDay, set[str]] = {}
        reader.read_ahead(dict.fromkeys(days))
        for where in days if pack.games is None else ():
            near = self.state.context(where, ())
            links[where] = named_elsewhere(reader, self.state, pack, where, near)
            for other, tables in self.state.context(where, links[where][0]).items():
                context.setdefault(other, set()).update(tables)
        context = {where: tables for where, tables in context.items() if where not in days}
        window = read_window(self.config.archive, self.state, reader, pack, profile, days, context)
        if self.key:
            put_in_place(window.events, self.key)
        audit = DayAudits(window, list(all_rules(pack)), self.threads)
        found = audit.by_day()
        for where in days:
            if where in found:
                results = results_of(self.config.archive, self.state, pack, profile, where, found[where], self.key)
                yield Audited(pack, where, found[where], audit, results, *links.get(where, ((), False)))

    def confirmed(self, audited: Audited) -> Issue | None:
        """The report that stands, as it rests on what is archived now; ``None`` where another is to be issued."""
        where = audited.where
        before = self.state.issue(where)
        if before is None or self.state.changed.get(where, [])[before.changes :]:
            return None
        if not audited.results.same_as(read_results(self.config.archive, before.results)):
            return None
        basis = self.state.basis(where, audited.links, audited.unresolved)
        return replace(before, basis=basis, links=audited.links, unresolved=audited.unresolved)

    def _windows(self, pack: Pack, days: Sequence[SiteDay]) -> Iterator[list[SiteDay]]:
        """Days that are audited together; where events are judged by game, each day for itself."""
        window: list[SiteDay] = []
        rows = 0
        for where in days:
            own = sum(
                self.state.parts[path].units[table]
                for table, paths in self.state.current[where].items()
                for path in paths
            )
            alone = pack.games is not None or where.day == UNDATED
            if window and (alone or rows + own > TOGETHER):
                yield window
                window, rows = [], 0
            window.append(where)
            rows += own
        if window:
            yield window

    def _issue(self, audited: Audited) -> None:
        where, results, links, unresolved = audited.where, audited.results, audited.links, audited.unresolved
        before = self.state.issue(where)
        same = self.confirmed(audited)
        if same is not None:
            if same == before:
                self.done(Issued(where, same, new=False))
            else:
                self._enter(where, same)
            return
        told = self.state.changed.get(where, [])
        news = told[before.changes :] if before else []
        number = before.number + 1 if before else 1
        record = record_of(audited.pack, [results], self._options(where), self.config.fail_on)
        record = replace(record, night=self._night(audited.pack, where, number, before, results, news))
        record = shown(record, self.config.archive, audited.audit, where, audited.found, self.key)
        name = f"results/{'/'.join(map(folder_name, where))}/{number}"
        json_name, table_name = stored_names(name)
        digest = write_bytes(self.config.archive / json_name, as_json(results.numbers))
        digest += write_bytes(self.config.archive / table_name, findings_as_bytes(results))
        folder, sums = self._write(record, where, number)
        issue = Issue(
            number=number,
            folder=folder,
            sums=sums,
            results=name,
            results_sha256=digest,
            basis=self.state.basis(where, links, unresolved),
            links=links,
            unresolved=unresolved,
            status=int(record.status),
            summary={
                "audited": record.tallies.audited,
                "read": record.rows_read,
                "accepted": record.accepted,
                "quarantined": len(record.quarantine),
                "findings": record.by_disposition,
            },
            replaces=before.number if before else 0,
            changes=len(told),
        )
        self._enter(where, issue, new=True)

    def _enter(self, where: SiteDay, issue: Issue, new: bool = False) -> None:
        entry = {
            "kind": "issued",
            **where._asdict(),
            "issue": issue.number,
            "folder": issue.folder,
            "sums": issue.sums,
            "results": issue.results,
            "results_sha256": issue.results_sha256,
            "basis": issue.basis,
            "links": list(issue.links),
            "unresolved": issue.unresolved,
            "status": issue.status,
            "summary": dict(issue.summary),
            "replaces": issue.replaces,
            "changes": issue.changes,
        }
        self.state.add(self.ledger.add(entry))
        self.done(Issued(where, issue, new))

    def _options(self, where: SiteDay) -> dict[str, Any]:
        return {
            "pack": where.pack,
            "profile": "",
            "select": [],
            "ignore": [],
            "fail_on": self.config.fail_on,
            "site": "",
            "timezone": "",
            "date": "",
            "formats": list(self.config.formats),
        }

    def _night(
        self, pack: Pack, where: SiteDay, number: int, before: Issue | None, results: Results, news: Sequence[str]
    ) -> Night:
        if before is None:
            return Night(where.site, where.day, number)
        rows = rows_changed(self.config.archive, pack, news, self.key)
        changes = findings_changed(read_results(self.config.archive, before.results), results)
        return Night(where.site, where.day, number, before.folder, before.sums, changes, rows)

    def _write(self, record: RunRecord, where: SiteDay, number: int) -> tuple[str, str]:
        """Write a report under a temporary name, then give its folder its own; the folder and the sum of its sums."""
        config = self.config
        parent = config.reports / folder_name(where.site or "site-not-named") / where.day
        folder = parent / f"{folder_name(where.pack)}-{number}"
        temporary = parent / f"{UNFINISHED}{folder.name}"
        try:
            for left in (temporary, folder):  # of a run that was ended before it said so in the ledger
                if left.exists():
                    remove_folder(left)
            temporary.mkdir(parents=True)
            output.write(record, temporary, config.formats, today().isoformat(), config.paper, config.annex)
            sync_folder(temporary)
            os.replace(temporary, folder)
            sync_folder(parent)
        except OSError as error:
            raise cannot_write(folder, error) from error
        except OutputError as error:
            remove_folder(temporary)
            raise OutputError(str(error).replace(str(temporary), str(folder))) from error
        return str(folder.relative_to(config.reports)), output.sum_of_sums(folder)
