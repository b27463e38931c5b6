"""Audit the days whose report does not rest on what is archived, and issue reports: new ones, or revisions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from audit import output
from audit.days import table_days
from audit.errors import OutputError
from audit.findings import rows_shown
from audit.nightly.clock import today
from audit.nightly.config import Config
from audit.nightly.daily import DayAudits, DayFound
from audit.nightly.files import UNFINISHED, as_json, cannot_write, folder_name, remove_folder, sync_folder, write_bytes
from audit.nightly.ledger import Ledger
from audit.nightly.parts import read_part
from audit.nightly.results import Results, findings_as_bytes, read_results, record_of, results_of, stored_names
from audit.nightly.state import UNDATED, Issue, SiteDay, State
from audit.nightly.taking import check_profile, of_tables
from audit.nightly.window import Reader, Window, named_elsewhere, read_window
from audit.packs import find_pack
from audit.reading.profile import Profile
from audit.record import Exhibit, Night, RunRecord, all_rules
from rules.kit import Pack

#: Events of about so many rows are audited together.
TOGETHER = 400_000
#: A revision may call for another: no more than so many times in one run.
_ROUNDS = 8


@dataclass(frozen=True)
class Issued:
    """A day that was looked at. ``new``: a report was issued; else the one that stands was confirmed."""

    where: SiteDay
    issue: Issue
    new: bool


class Issuing:
    """Brings the reports up to what is archived."""

    def __init__(
        self,
        config: Config,
        ledger: Ledger,
        state: State,
        packs: Sequence[Pack],
        profiles: Sequence[Profile],
        done: Callable[[Issued], None],
    ) -> None:
        self.config, self.ledger, self.state, self.packs = config, ledger, state, packs
        self.profiles, self.done = profiles, done

    def bring_up(self) -> None:
        """Audit and report what is waiting. Raises OutputError; what is issued by then is issued."""
        for _ in range(_ROUNDS):
            waiting = self.state.unaudited()
            if not waiting:
                return
            self.audit(waiting)

    def audit(self, days: Sequence[SiteDay]) -> None:
        """Audit some days, whether or not anything has changed, and report what comes out differently."""
        for (name, site), own in groupby(sorted(days), key=lambda where: (where.pack, where.site)):
            pack = find_pack(name, self.packs)
            profile = self._profile(pack, site)
            check_profile(profile, pack)
            pack = pack.for_house(profile.house)
            for together in self._windows(pack, list(own)):
                self._window(pack, profile, together)

    def _profile(self, pack: Pack, site: str) -> Profile:
        """How the site's logs of a pack are read now."""
        of_pack = [
            (inbox, profile)
            for inbox, profile in zip(self.config.inboxes, self.profiles, strict=True)
            if (inbox.pack or profile.pack or pack.name) == pack.name
        ]
        own = [profile for _, profile in of_pack if profile.site == site]
        if own:
            return own[0]
        return replace(of_pack[0][1], site="") if of_pack else Profile()

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

    def _window(self, pack: Pack, profile: Profile, days: Sequence[SiteDay]) -> None:
        reader = Reader(self.config.archive, self.state, pack)
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
        audit = DayAudits(window, list(all_rules(pack)))
        found = audit.by_day()
        for where in days:
            found_of_day = found.get(where)
            if found_of_day is not None:
                own_links, unresolved = links.get(where, ((), False))
                self._issue(pack, profile, where, found_of_day, audit, own_links, unresolved)

    def _issue(
        self,
        pack: Pack,
        profile: Profile,
        where: SiteDay,
        found: DayFound,
        audit: DayAudits,
        links: tuple[str, ...],
        unresolved: bool,
    ) -> None:
        results = results_of(self.config.archive, self.state, pack, profile, where, found)
        before = self.state.issue(where)
        told = self.state.changed.get(where, [])
        news = told[before.changes :] if before else []
        if before and not news:
            old = read_results(self.config.archive, before.results)
            if results.same_as(old):
                basis = self.state.basis(where, links, unresolved)
                issue = replace(before, basis=basis, links=links, unresolved=unresolved)
                if issue == before:
                    self.done(Issued(where, before, new=False))
                else:
                    self._enter(where, issue)
                return
        number = before.number + 1 if before else 1
        record = record_of(pack, [results], self._options(where), self.config.fail_on)
        record = replace(record, night=self._night(where, number, before, results, news))
        if {"pdf", "html", "floor"} & set(self.config.formats):
            tables = table_days(audit.events, audit.placing, found.findings)
            record = replace(record, days=[t for t in tables if (t.site, t.day) == (where.site, where.day)])
        if {"pdf", "html"} & set(self.config.formats):
            shown = rows_shown(found.findings)
            lines = exhibits(self.config.archive, audit, audit.window, shown)
            record = replace(
                record,
                exhibits=lines,
                sections=audit.sections(shown),
                seen=audit.seen(shown),
                findings=_with_rows(record.findings, found),
            )
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

    def _night(self, where: SiteDay, number: int, before: Issue | None, results: Results, news: Sequence[str]) -> Night:
        if before is None:
            return Night(where.site, where.day, number)
        rows: list[Sequence[str]] = []
        for path in news:
            rows.extend(json.loads((self.config.archive / path).read_bytes()))
        changes = findings_changed(read_results(self.config.archive, before.results), results)
        return Night(where.site, where.day, number, before.folder, before.sums, changes, rows)

    def _write(self, record: RunRecord, where: SiteDay, number: int) -> tuple[str, str]:
        """Write a report under a temporary name, then give its folder its own; the folder and the sum of its sums."""
        parent = self.config.reports / folder_name(where.site or "site-not-named") / where.day
        folder = parent / f"{folder_name(where.pack)}-{number}"
        temporary = parent / f"{UNFINISHED}{folder.name}"
        try:
            for left in (temporary, folder):  # of a run that was ended before it said so in the ledger
                if left.exists():
                    remove_folder(left)
            temporary.mkdir(parents=True)
            output.write(record, temporary, self.config.formats, today().isoformat())
            sync_folder(temporary)
            os.replace(temporary, folder)
            sync_folder(parent)
        except OSError as error:
            raise cannot_write(folder, error) from error
        except OutputError as error:
            remove_folder(temporary)
            raise OutputError(str(error).replace(str(temporary), str(folder))) from error
        return str(folder.relative_to(self.config.reports)), output.sum_of_sums(folder)


def findings_changed(before: Results, after: Results) -> list[tuple[str, str, str, str, str]]:
    """Findings that are new, gone or told otherwise: what, rule, event, part, message."""
    names = ("finding_id", "disposition", "message", "recorded", "rule", "event_id", "part")

    def told(results: Results) -> dict[str, dict[str, Any]]:
        return {row["finding_id"]: row for row in results.findings.select(names).to_pylist()}

    old, new = told(before), told(after)
    changes = []
    for key in [*new, *(key for key in old if key not in new)]:
        row = new.get(key) or old[key]
        if key not in old or key not in new:
            what = "new" if key in new else "gone"
        elif any(old[key][name] != row[name] for name in ("disposition", "message", "recorded")):
            what = "changed"
        else:
            continue
        changes.append((what, row["rule"], row["event_id"] or "", row["part"] or "", row["message"]))
    return changes


def _with_rows(findings: Any, found: DayFound) -> Any:
    """Findings with their places in the audit, by which exhibits are found."""
    place = dict(zip(found.findings["finding_id"].to_pylist(), found.findings["row"].to_pylist(), strict=True))
    rows = pa.array([place.get(key, -1) for key in findings["finding_id"].to_pylist()], pa.int64())
    return findings.set_column(findings.schema.get_field_index("row"), "row", rows)


def exhibits(archive: Path, audit: DayAudits, window: Window, rows: set[int]) -> Mapping[int, Exhibit]:
    """Line and neighbors of some events, from the archive."""
    if not rows:
        return {}
    events, placing = audit.events, audit.placing
    wanted = np.array(sorted(rows))
    near = np.unique(np.concatenate([placing.last[wanted], placing.next[wanted]]))
    near = near[near >= 0]
    ids = dict(zip(near.tolist(), events.event_ids(near), strict=True))
    lines: dict[int, str] = {}
    for number, stored in enumerate(events.blocks):
        at = stored.start
        for part, size in window.parts[number]:
            inside = wanted[(wanted >= at) & (wanted < at + size)]
            if len(inside):
                lines.update(
                    _lines(archive, events.pack, part.path, list(window.tables[number][part.path]), inside, at)
                )
            at += size
    return {
        row: Exhibit(
            row,
            lines.get(row, ""),
            ids.get(int(placing.last[row]), ""),
            ids.get(int(placing.next[row]), ""),
            bool(placing.duplicate[row]),
        )
        for row in wanted.tolist()
    }


def _lines(archive: Path, pack: Pack, path: str, tables: list[str], rows: Any, start: int) -> dict[int, str]:
    """The lines of some rows of a part, of which only some tables were read."""
    own = of_tables(read_part(archive, path, ["log_text", pack.roles.order]), pack.roles.order, tables)
    texts = own["log_text"].combine_chunks().take(pa.array(rows - start)).to_pylist()
    return {
        row: (text or b"").decode("utf-8", "backslashreplace") for row, text in zip(rows.tolist(), texts, strict=True)
    }
