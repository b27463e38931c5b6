"""One nightly run: look, take in, audit, report; and what is to be said of it."""

from __future__ import annotations

import gc
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.errors import OutputError, UsageError, unknown
from audit.nightly.clock import stamp
from audit.nightly.config import Config
from audit.nightly.files import as_json, cannot_write, sweep, write_bytes
from audit.nightly.inbox import Arrived, Found, look
from audit.nightly.journal import Journal
from audit.nightly.ledger import NAME, Ledger
from audit.nightly.lock import only_run
from audit.nightly.state import Held, State, state_of
from audit.status import Exit

if TYPE_CHECKING:
    from audit.nightly.issuing import Issued

RUNNING, RUNS = "running", "runs.json"


@dataclass
class Night:
    """What a run did. ``again``: archived days were audited anew; ``error``: what ended it early."""

    issued: list[Issued] = field(default_factory=list)
    confirmed: int = 0
    again: bool = False
    inputs: int = 0
    rows: int = 0
    unfinished: list[str] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    unplaced: list[tuple[str, int]] = field(default_factory=list)
    held: list[tuple[Held, str]] = field(default_factory=list)
    error: str = ""

    @property
    def status(self) -> Exit:
        """The worst of all that happened."""
        if self.error or self.problems or self.unplaced or self.held:
            return Exit.INCOMPLETE
        worst = {issued.issue.status for issued in self.issued}
        return next((s for s in (Exit.INCOMPLETE, Exit.FINDINGS) if s in worst), Exit.CLEAN)


def open_archive(config: Config) -> tuple[Ledger, State]:
    """The archive as it stands."""
    gc.disable()  # years of entries are made, and all stay
    try:
        ledger = Ledger(config.archive)
        return ledger, state_of(ledger.entries)
    finally:
        gc.enable()
        gc.freeze()


def run(config: Config, journal: Journal, again: tuple[str, str] | None = None) -> Night:
    """One night. ``again``: first and last day of a period that is audited anew, whatever has changed.

    Raises BusyError, UsageError (nothing was done) and OutputError (the archive cannot be written to at all).
    """
    with only_run(config.archive):
        night = Night()
        found = look(config)
        night.unfinished = list(found.unfinished)
        for name in night.unfinished:
            journal.note("left", file=name)
        if not again and settled(config, found):
            _end(config, night, last_runs(config.archive)["settled"])
            journal.note("run", status=int(night.status), inputs=0, issued=0)
            return night
        ledger, state = open_archive(config)
        _begin(config, state)
        new = [file for file in found.complete if file.problem or file.sha256 not in state.inputs]
        try:
            if new or again or state.unaudited():
                _take_and_issue(config, ledger, state, journal, night, new, again)
        except OutputError as error:
            night.error = str(error)
            journal.note("error", error=str(error))
        night.held = [(held, state.inputs[held.input]["name"]) for held in state.held.values()]
        _end(config, night, _settled(config, state, found))
        journal.note("run", status=int(night.status), inputs=night.inputs, issued=len(night.issued))
        return night


def _settled(config: Config, state: State, found: Found) -> list[object]:
    """By what the next run knows that nothing has come since, without going through the years of the ledger."""
    known = all(file.sha256 in state.inputs for file in found.complete)
    if state.held or state.unaudited() or not known or not state.inputs:
        return []
    return _mark_of_ledger(config, found)


def _mark_of_ledger(config: Config, found: Found) -> list[object]:
    try:
        at = (config.archive / NAME).stat()
    except OSError:
        return []
    return [at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns, found.seen]


def settled(config: Config, found: Found) -> bool:
    """Whether the last run left nothing open, and files and ledger are those that it left."""
    if (config.archive / RUNNING).exists():
        return False
    mark = last_runs(config.archive).get("settled")
    return bool(mark) and mark == _mark_of_ledger(config, found)


def _take_and_issue(
    config: Config,
    ledger: Ledger,
    state: State,
    journal: Journal,
    night: Night,
    new: Sequence[Arrived],
    again: tuple[str, str] | None,
) -> None:
    from audit.memory import use_one_heap
    from audit.nightly.anew import confirmed
    from audit.nightly.houses import check_houses
    from audit.nightly.issuing import Issued, Issuing
    from audit.nightly.taking import Taking, check_profile
    from audit.packs import find_pack, load_packs

    use_one_heap()
    packs = load_packs()
    profiles = [inbox.loaded_profile() for inbox in config.inboxes]
    check_houses(config.inboxes, profiles)
    for inbox, profile in zip(config.inboxes, profiles, strict=True):
        if inbox.pack or profile.pack:
            check_profile(profile, find_pack(inbox.pack or profile.pack, packs))

    def done(issued: Issued) -> None:
        if issued.new:
            night.issued.append(issued)
        else:
            night.confirmed += 1
        what = "issued" if issued.new else "confirmed"
        journal.note(what, **issued.where._asdict(), issue=issued.issue.number, folder=issued.issue.folder)

    issuing = Issuing(config, ledger, state, packs, profiles, done)
    taking = Taking(config, ledger, state, packs, profiles, journal)
    try:
        taking.take(new)
    finally:
        taken = taking.taken
        night.inputs, night.rows = taken.inputs, taken.rows
        night.problems, night.unplaced = taken.problems, taken.unplaced
        night.unfinished += [str(path) for path in taken.changed]
    issuing.bring_up()
    if again:
        night.again = True
        days = [where for where in state.current if again[0] <= where.day <= again[1]]
        same = confirmed(config, list(issuing.windows(days)))
        for where in sorted(same):
            done(Issued(where, state.issues[where][-1], new=False))
        issuing.audit([where for where in days if where not in same])
        issuing.bring_up()


def _begin(config: Config, state: State) -> None:
    """Mark that a run is on; after one that did not end, sweep what it left half-done."""
    marker = config.archive / RUNNING
    if marker.exists():
        sweep(config.archive)
        if config.reports.exists():
            sweep(config.reports)
        _sweep_unnamed(config.archive, state)
    try:
        marker.touch()
    except OSError as error:
        raise cannot_write(marker, error) from error


def _sweep_unnamed(archive: Path, state: State) -> None:
    """Remove parts and results that the ledger does not name: the run that wrote them ended before it said so."""
    named = set(state.parts) | {path for paths in state.changed.values() for path in paths}
    for issues in state.issues.values():
        for issue in issues:
            named |= {f"{issue.results}.json", f"{issue.results}.parquet"}
    for top in ("events", "changes", "results"):
        for path in (archive / top).rglob("*.*"):
            if path.is_file() and path.relative_to(archive).as_posix() not in named:
                path.unlink()


def _end(config: Config, night: Night, settled: object) -> None:
    """Say in the archive how the run ended, for ``throwaudit status``."""
    last = {
        "at": stamp(),
        "status": int(night.status),
        "inputs": night.inputs,
        "issued": len(night.issued),
        "problems": [list(problem) for problem in night.problems],
        "error": night.error,
    }
    runs = last_runs(config.archive)
    good = last if not (night.error or night.problems or night.unplaced or night.held) else runs.get("good")
    try:
        write_bytes(config.archive / RUNS, as_json({"last": last, "good": good, "settled": settled}))
        if not night.error:
            (config.archive / RUNNING).unlink(missing_ok=True)
    except (OutputError, OSError):
        night.error = night.error or f"cannot write {config.archive / RUNS}"


def last_runs(archive: Path) -> dict[str, Any]:
    """How the last run ended, and the last that left nothing open."""
    try:
        runs = json.loads((archive / RUNS).read_bytes())
        return runs if isinstance(runs, dict) else {}
    except (OSError, ValueError):
        return {}


def decide(config: Config, key: str, take: bool) -> Held:
    """Settle what is held: ``take`` its rows instead of those that stand, or leave those. Raises UsageError."""
    from audit.nightly.comparing import superseding
    from audit.nightly.parts import read_part
    from audit.nightly.taking import of_tables, read_unit
    from audit.packs import find_pack, load_packs

    with only_run(config.archive):
        ledger, state = open_archive(config)
        held = state.held.get(key)
        if held is None:
            if not state.held:
                raise UsageError("nothing is held")
            raise unknown("key", key, state.held)
        changes = ""
        if take:
            pack = find_pack(held.where.pack, load_packs())
            archived = read_unit(config.archive, pack, state.current[held.where][held.table], held.table)
            arrived = of_tables(read_part(config.archive, held.part), pack.roles.order, [held.table])
            changes = f"changes/decided-{key}.json"
            found = superseding(pack, held.table, archived, arrived).changes
            write_bytes(config.archive / changes, as_json([change.as_list() for change in found]))
        state.add(ledger.add({"kind": "decided", "held": key, "take": take, "changes": changes}))
        return held
