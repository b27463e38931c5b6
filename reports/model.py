"""What the report says, before anything is drawn: pure, and shared by all renderings."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from audit.record import InputRecord, RuleRecord, RunRecord
from audit.tallies import NOT_RECORDED
from audit.telling import Words
from reports.counted import Counted
from reports.json import clock, period
from reports.night import NightShown, shown
from reports.pictures import NAME, Pictures
from reports.pieces import Cell, Clause, Question, Table, numbers
from reports.text import Speaker, capitalized, cut, number
from reports.told import Told
from rules import log_integrity
from rules.kit import Per

#: Inputs that are listed; the others stand in summary.json.
INPUTS = 60
#: Facilities named in the heading.
SITES = 6


@dataclass
class Report:
    """The whole report, section by section."""

    record: RunRecord
    annex: bool = False
    speaker: Speaker = field(init=False)

    def __post_init__(self) -> None:
        self.speaker = Speaker(self.record.pack)

    def say(self, section: str, key: str, **values: Any) -> str:
        return self.speaker.say(section, key, **values)

    @cached_property
    def words(self) -> Words:
        return Words(self.record.pack, log_integrity.CATALOGUE)

    @cached_property
    def pictures(self) -> Pictures:
        return Pictures(self.record, self.words, self.speaker)

    @cached_property
    def told(self) -> Told:
        return Told(self.record, self.speaker, self.words, self.pictures, self.annex)

    @cached_property
    def counted(self) -> Counted:
        return Counted(self.record, self.speaker, self.words)

    @cached_property
    def night(self) -> NightShown | None:
        """What the nightly job has to add."""
        return shown(self.record, self.speaker)

    # Identification

    @cached_property
    def facility(self) -> str:
        sites = sorted({site for site, _ in self.record.tallies.by_place if site})
        shown = [cut(site, NAME) for site in sites[:SITES]]
        if len(sites) > SITES:
            shown.append(self.say("report", "more_facilities", count=len(sites) - SITES))
        return ", ".join(shown) or self.say("report", "no_facility")

    @property
    def title(self) -> str:
        return self.say("report", "title")

    @property
    def subtitle(self) -> str:
        return self.say("report", "subject") if self.record.pack else self.say("report", "no_pack")

    @property
    def running(self) -> str:
        key = "running" if self.record.pack else "running_empty"
        return self.say("report", key, facility=self.facility)

    @cached_property
    def warnings(self) -> list[str]:
        """What makes the audit incomplete; the report opens with it."""
        record = self.record
        lines = []
        if record.unreadable_inputs:
            lines.append(
                self.say("report", "incomplete_inputs", count=len(record.unreadable_inputs), all=len(record.inputs))
            )
        if record.quarantine:
            lines.append(self.say("report", "incomplete_rows", count=len(record.quarantine), all=record.rows_read))
        if record.rules_in_error:
            codes = ", ".join(rule.code for rule in record.rules_in_error)
            lines.append(self.say("report", "incomplete_rules", count=len(record.rules_in_error), codes=codes))
        return lines

    @cached_property
    def identification(self) -> list[tuple[str, str]]:
        record, say = self.record, self.say
        when = period(record)
        facts = [(say("labels", "facility"), self.facility)]
        if when["first"]:
            facts.append((say("labels", "period"), say("labels", "period_value", **_times(when))))
            if when["days"]:
                days = "days_one" if when["days"] == 1 else "days_value"
                value = say("labels", days, first=when["first_day"], last=when["last_day"], count=when["days"])
                facts.append((capitalized(say("labels", "days")), value))
        elif not record.tallies.audited:
            facts.append((say("labels", "period"), say("labels", "period_none")))
        if record.pack:
            edition = say("labels", "edition", name=record.pack.name, edition=record.pack.edition)
            facts.append((say("labels", "pack"), edition))
            facts.append((say("labels", "source"), self.speaker.own["source"]))
        facts.append((say("labels", "tool"), say("labels", "tool_value", version=record.tool_version)))
        return facts

    @cached_property
    def options(self) -> list[tuple[str, str]]:
        record, say = self.record, self.say
        facts = [(say("labels", "timezone"), record.timezone or say("labels", "timezone_none"))]
        if record.times["without_offset"]:
            facts.append((say("labels", "times"), say("labels", "times_value", **record.times)))
        facts.extend((say("labels", key), record.options[key]) for key in ("profile", "site") if record.options[key])
        if fingerprint := record.options.get("pseudonyms"):
            value = say("labels", "pseudonyms_value", fingerprint=fingerprint)
            facts.append((say("labels", "pseudonyms"), value))
        if record.house:
            facts.append((say("labels", "house"), ", ".join(f"{k} = {v}" for k, v in self._house)))
        if record.blank:
            facts.append((say("labels", "blank"), ", ".join(f"{k} = {v}" for k, v in sorted(record.blank.items()))))
        if not record.pack or record.pack.roles.day:
            facts.append((say("labels", "day_starts"), clock(record.gaming_day_starts)))
        raised = [f"{rule.code} = {rule.disposition.value}" for rule in record.rules if rule.raised]
        if raised:
            facts.append((say("labels", "raised"), ", ".join(raised)))
        off = [rule.code for rule in record.rules if not rule.on]
        if off:
            facts.append((say("labels", "off"), ", ".join(off)))
        facts.append((say("labels", "fail_on"), say("labels", "fail_on_value", level=record.options["fail_on"])))
        for label, attribute in (("ignored", "ignored_columns"), ("empty", "columns_without_values")):
            columns = sorted({name for i in record.inputs for name in getattr(i, attribute)})
            if columns:
                facts.append((say("labels", label), ", ".join(columns)))
        return facts

    @property
    def _house(self) -> list[tuple[str, str]]:
        """What the house has set, in words."""
        options = {option.name: option for option in self.record.pack.options} if self.record.pack else {}
        given = sorted(self.record.house.items())
        return [(name, options[name].shown(value) if name in options else str(value)) for name, value in given]

    @property
    def assumptions(self) -> list[str]:
        return list(self.record.pack.catalogue.entries.get("assumptions", [])) if self.record.pack else []

    @cached_property
    def inputs(self) -> Table:
        read = [i for i in self.record.inputs if not i.problem]
        heads = self._heads("file", numbers=("rows_read", "accepted", "quarantined"))
        rows = [
            [
                Cell(i.name, below=self.say("columns", "sha256_value", digest=i.sha256)),
                *numbers(i.rows_read, i.accepted, i.quarantined),
            ]
            for i in read[:INPUTS]
        ]
        record = self.record
        counts = numbers(record.rows_read, record.accepted, len(record.quarantine))
        omitted = self.say("columns", "inputs_omitted", shown=INPUTS, all=len(read)) if len(read) > INPUTS else ""
        return Table(heads, rows, [Cell(self.say("columns", "total")), *counts], omitted)

    @property
    def unreadable(self) -> list[InputRecord]:
        return self.record.unreadable_inputs[:INPUTS]

    @property
    def unreadable_omitted(self) -> str:
        """That further inputs could not be read, if so."""
        count = len(self.record.unreadable_inputs)
        return self.say("columns", "inputs_omitted", shown=INPUTS, all=count) if count > INPUTS else ""

    def _heads(self, *names: str, numbers: tuple[str, ...] = ()) -> list[Cell]:
        heads = [Cell(self.say("columns", name)) for name in names]
        return heads + [Cell(self.say("columns", name), number=True) for name in numbers]

    # Result

    @cached_property
    def result(self) -> str:
        total, audited = self.record.findings.num_rows, self.record.tallies.audited
        if not audited:
            return self.say("result", "nothing")
        return self.say("result", "found" if total else "clean", total=total, audited=audited)

    @cached_property
    def dispositions(self) -> list[tuple[str, str, str, str]]:
        """Word, name, count and meaning of each disposition."""
        return [
            (d, self.say("dispositions", d), number(count), self.say("disposition_meaning", d))
            for d, count in self.record.by_disposition.items()
        ]

    @cached_property
    def rows_add_up(self) -> str:
        record = self.record
        return self.say(
            "result",
            "adds_up",
            read=record.rows_read,
            accepted=record.accepted,
            quarantined=len(record.quarantine),
            audited=record.tallies.audited,
            further=record.accepted - record.tallies.audited,
        )

    @cached_property
    def tests_add_up(self) -> str:
        sums = {
            name: sum(rule.counts[name] for rule in self.record.rules)
            for name in ("applicable", "tested", "breached", "unverifiable", "not_logged")
        }
        return self.say("result", "tests_add_up", passed=sums["tested"] - sums["breached"], **sums)

    @cached_property
    def matrix(self) -> Table | None:
        pack, counts = self.record.pack, self.record.tallies.matrix
        if not pack or not pack.rulings_called_for or not counts:
            return None
        rulings = [r for r in (*pack.rulings, NOT_RECORDED) if r in pack.rulings or any(c[1] == r for c in counts)]
        heads = [Cell(self.speaker.own["called_for"]), *(Cell(self._ruling(r), number=True) for r in rulings)]
        heads.append(Cell(self.say("matrix", "total"), number=True))
        rows = []
        for called_for in pack.rulings_called_for:
            line = [counts.get((called_for, ruling), 0) for ruling in rulings]
            cells = [
                Cell(
                    number(n),
                    number=True,
                    strong=bool(n) and (called_for, r) in pack.contradictions,
                    closed=not n and (called_for, r) in pack.contradictions,
                )
                for n, r in zip(line, rulings, strict=True)
            ]
            label = Cell(self.words.value("called_for", called_for))
            rows.append([label, *cells, Cell(number(sum(line)), number=True)])
        totals = [sum(counts.get((c, ruling), 0) for c in pack.rulings_called_for) for ruling in rulings]
        return Table(heads, rows, [Cell(self.say("matrix", "total")), *numbers(*totals, sum(totals))])

    def _ruling(self, ruling: str) -> str:
        return self.words.value("ruling", ruling)

    # Checklist

    @cached_property
    def checklist(self) -> list[Clause]:
        return [
            Clause(self.told.heading(group), [self._question(rule) for rule in rules])
            for group, rules in self.told.by_clause.items()
        ]

    def _question(self, rule: RuleRecord) -> Question:
        note = ""
        if not rule.on:
            note = self.say("checklist", "off")
        elif rule.error:
            note = self.say("checklist", "error", error=rule.error)
        elif rule.missing and rule.counts["not_logged"]:
            note = self.say("checklist", "needs", columns=", ".join(rule.missing))
        names = ("applicable", "tested", "breached", "unverifiable", "not_logged")
        counts = [Cell(number(rule.counts[n]) if rule.on else "–", number=True) for n in names]
        question = self.words.rule(rule.code, "question")
        if rule.unit == Per.PART.value:
            question = f"{question} {self.say('checklist', 'every')}"
        return Question(rule.code, question, counts, note, rule.counts["breached"] > 0)

    # Quarantine

    @cached_property
    def quarantine(self) -> Table | None:
        """Rows set aside, by reason, the most frequent first."""
        if not self.record.quarantine:
            return None
        groups: dict[str, list[Any]] = {}
        for row in self.record.quarantine:
            groups.setdefault(row.kind, []).append(row)
        rows = []
        for kind, members in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
            where = "; ".join(
                self.say("quarantine", "line", file=m.source_file, line=m.source_line) for m in members[:3]
            )
            reasons = members[0].reason if members[0].reason != kind else ""
            rows.append([Cell(kind), *numbers(len(members)), Cell(where), Cell(reasons)])
        heads = [*self._heads("reason", numbers=("count",)), *self._heads("where", "examples")]
        return Table(heads, rows)


def _times(when: dict[str, Any]) -> dict[str, str]:
    return {name: when[name].replace("T", " ") for name in ("first", "last")}
