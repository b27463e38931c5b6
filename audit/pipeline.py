"""One run on one screen: read, place, audit, record, write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from audit import __version__, pseudonyms
from audit.days import table_days
from audit.engine import Audit, Result
from audit.errors import UsageError
from audit.exhibits import exhibits
from audit.findings import COUNTS, FINDINGS, OUTCOMES, rows_shown
from audit.memory import use_one_heap
from audit.packs import check_choice, choose_rules, find_pack
from audit.reading.events import Events, FileRecord
from audit.reading.logs import read_logs
from audit.reading.profile import Profile
from audit.reading.profile_file import load
from audit.reading.sources import find_sources
from audit.record import InputRecord, QuarantinedRow, RuleRecord, RunRecord, all_rules
from audit.status import Exit
from audit.tallies import Tallies
from audit.telling import clause_in_full
from rules.kit import Disposition, Pack, Rule
from rules.options import OptionError

Progress = Callable[[str, int], None]

#: ``--fail-on``: findings this grave or graver are failure.
FAIL_ON: Mapping[str, int] = {**{d.value: d.gravity for d in Disposition}, "never": 5}


@dataclass(frozen=True)
class Options:
    """What was asked for. ``report_date`` is an ISO date; blank where none was given. ``pseudonyms``: a key file."""

    logs: tuple[str, ...]
    pack: str = ""
    profile: Path | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = Disposition.DISCREPANCY.value
    site: str = ""
    timezone: str = ""
    report_date: str = ""
    pseudonyms: Path | None = None
    formats: tuple[str, ...] = field(default=("pdf", "csv", "json"))

    def as_text(self) -> dict[str, Any]:
        """The options that bear on the result, for summary and report."""
        return {
            "pack": self.pack,
            "profile": self.profile.name if self.profile else "",
            "select": list(self.select),
            "ignore": list(self.ignore),
            "fail_on": self.fail_on,
            "site": self.site,
            "timezone": self.timezone,
            "date": self.report_date,
            "formats": list(self.formats),
        }


def audit_logs(options: Options, packs: Sequence[Pack], progress: Progress = lambda _, __: None) -> RunRecord:
    """Read the logs, hold them against the rules, and record what there is to say. Raises UsageError."""
    use_one_heap()
    key = pseudonyms.load(options.pseudonyms) if options.pseudonyms else None
    profile = load(options.profile) if options.profile else Profile()
    profile = profile.with_options(options.site, options.timezone)
    pack = find_pack(options.pack or profile.pack, packs) if options.pack or profile.pack else None
    check_choice([pack] if pack else packs, options.select, options.ignore)
    if pack:
        _check_profile(profile, pack)
        pack = pack.for_house(profile.house)
    else:
        packs = [_for_house(candidate, profile) for candidate in packs]
    sources, notes = find_sources(list(options.logs))
    if not sources:
        raise UsageError("no log is named")
    events = read_logs(sources, pack, packs, profile, lambda done: progress("read", done))
    if not isinstance(events, Events):
        return _nothing_read(options, packs, events, notes)
    if pack is None:
        _check_profile(profile, events.pack)
    if key:
        pseudonyms.put_in_place(events, key)
    codes = choose_rules(events.pack, options.select, options.ignore)
    in_force = [rule for rule in all_rules(events.pack) if rule.code in codes]
    audit = Audit(events, in_force, lambda done: progress("audit", done))
    result = audit.run()
    record = _recorded(options, events, codes, result, notes)
    if key:
        record = replace(
            record,
            options={**record.options, "pseudonyms": key.fingerprint},
            quarantine=[pseudonyms.withheld(row, key) for row in record.quarantine],
            blank=pseudonyms.of_blanks(record.blank, events.pack, key),
        )
    if {"pdf", "html", "floor"} & set(options.formats):
        record = replace(record, days=table_days(events, audit.placing, result.findings))
    if {"pdf", "html"} & set(options.formats):
        shown = rows_shown(result.findings)
        record = replace(
            record,
            exhibits=exhibits(
                events,
                audit.placing,
                shown,
                sources,
                pseudonyms.as_read(events, audit.desk, shown) if key else None,
            ),
            sections=audit.sections(shown),
            seen=audit.seen(shown),
        )
    return record


def _check_profile(profile: Profile, pack: Pack) -> None:
    profile.check_against(pack, {rule.code: rule.disposition for rule in all_rules(pack)})


def _for_house(pack: Pack, profile: Profile) -> Pack:
    """A pack that may be the log's, as the house's options make it; as it is, where they are not its own."""
    own = {option.name for option in pack.options}
    try:
        return pack.for_house(profile.house) if set(profile.house) <= own else pack
    except OptionError:
        return pack


def _nothing_read(
    options: Options, packs: Sequence[Pack], refused: Sequence[FileRecord], notes: Sequence[str]
) -> RunRecord:
    """Not one input could be read: the record says so, and that nothing was tested."""
    events = Events(packs[0], Profile())
    for file in refused:
        events.add_refused(file)
    outcomes, findings = OUTCOMES.empty_table(), FINDINGS.empty_table()
    result = Result(outcomes, findings, Tallies(events), [])
    record = _recorded(options, events, set(), result, notes)
    return replace(record, pack=None, rules=())


def _recorded(
    options: Options,
    events: Events,
    codes: set[str],
    result: Result,
    notes: Sequence[str],
) -> RunRecord:
    errors = {error.rule: error.message for error in result.errors}
    record = RunRecord(
        tool_version=__version__,
        pack=events.pack,
        options=options.as_text(),
        inputs=[_input(file) for file in events.files],
        notes=list(notes),
        rules=[_rule(rule, events, codes, result, errors) for rule in all_rules(events.pack)],
        outcomes=result.outcomes,
        findings=result.findings,
        tallies=result.tallies,
        quarantine=[
            QuarantinedRow(
                events.files[file].label,
                aside.line,
                aside.reason.text,
                aside.reason.kind,
                aside.raw,
                events.files[file].encoding,
            )
            for file, aside in events.aside
        ],
        timezone=str(events.profile.timezone or ""),
        times={
            "without_offset": sum(file.times_without_offset for file in events.files),
            "twice": sum(file.times_twice for file in events.files),
            "never": sum(file.times_never for file in events.files),
        },
        house=dict(events.profile.house),
        blank=dict(events.profile.blank),
        gaming_day_starts=events.profile.gaming_day_starts,
        status=Exit.CLEAN,
    )
    return replace(record, status=status_of(record, options.fail_on))


def _input(file: FileRecord) -> InputRecord:
    problem = file.problem
    if problem and file.problem_line:
        problem = f"line {file.problem_line}: {problem}"
    return InputRecord(
        name=file.label,
        sha256=file.sha256,
        content_sha256=file.content_sha256,
        size=file.size,
        rows_read=file.rows_read,
        accepted=file.accepted + file.joined,
        quarantined=file.quarantined,
        problem=problem,
        encoding=file.encoding,
        delimiter=file.delimiter,
        ignored_columns=file.ignored_columns,
        columns_without_values=tuple(sorted(file.columns - file.logged)) if file.accepted else (),
        notes=tuple(file.notes),
    )


def _rule(rule: Rule, events: Events, codes: set[str], result: Result, errors: Mapping[str, str]) -> RuleRecord:
    own = [row for row in result.outcomes.to_pylist() if row["rule"] == rule.code]
    needs = events.pack.columns_needed(rule, "")
    lacking = {name for file in events.files if file.accepted for name in needs if name not in file.logged}
    return RuleRecord(
        code=rule.code,
        clause=clause_in_full(events.pack, rule),
        group=rule.clause,
        disposition=events.profile.dispositions.get(rule.code, rule.disposition),
        unit=rule.per.value,
        needs=rule.needs,
        on=rule.code in codes,
        counts={name: sum(row[name] for row in own) for name in COUNTS},
        missing=tuple(name for name in needs if name in lacking),
        error=errors.get(rule.code, ""),
        raised=rule.code in events.profile.dispositions,
    )


def status_of(record: RunRecord, fail_on: str) -> Exit:
    """The exit status that the record calls for."""
    if record.unreadable_inputs or record.quarantine or record.rules_in_error:
        return Exit.INCOMPLETE
    gravest = max((Disposition(d).gravity for d, count in record.by_disposition.items() if count), default=0)
    return Exit.FINDINGS if gravest >= FAIL_ON[fail_on] else Exit.CLEAN
