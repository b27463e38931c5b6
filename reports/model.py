"""What the report says, before anything is drawn: pure, and shared by all renderings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow.compute as pc

from audit.findings import SHOWN, shown_of_each_rule
from audit.record import InputRecord, RuleRecord, RunRecord
from audit.tallies import NOT_RECORDED, Tally
from audit.telling import Words
from reports.json import clock, period
from reports.pieces import (
    Cell,
    Clause,
    ClauseFindings,
    ExhibitShown,
    Question,
    RuleFindings,
    Shown,
    Table,
)
from reports.text import Speaker, capitalized, number
from rules import log_integrity
from rules.kit import Disposition, Per

_OPEN = Disposition.INDETERMINATE.value


@dataclass
class Report:
    """The whole report, section by section."""

    record: RunRecord
    speaker: Speaker = field(init=False)

    def __post_init__(self) -> None:
        self.speaker = Speaker(self.record.pack)

    def say(self, section: str, key: str, **values: Any) -> str:
        return self.speaker.say(section, key, **values)

    @cached_property
    def words(self) -> Words:
        return Words(self.record.pack, log_integrity.CATALOGUE)

    # Identification

    @cached_property
    def facility(self) -> str:
        sites = sorted({site for site, _ in self.record.tallies.by_place if site})
        return ", ".join(sites) or self.say("report", "no_facility")

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
        heads = self._heads("file", numbers=("rows_read", "accepted", "quarantined"))
        rows = [
            [
                Cell(i.name, below=self.say("columns", "sha256_value", digest=i.sha256)),
                *_numbers(i.rows_read, i.accepted, i.quarantined),
            ]
            for i in self.record.inputs
            if not i.problem
        ]
        record = self.record
        counts = _numbers(record.rows_read, record.accepted, len(record.quarantine))
        return Table(heads, rows, [Cell(self.say("columns", "total")), *counts])

    @property
    def unreadable(self) -> list[InputRecord]:
        return self.record.unreadable_inputs

    # Result

    @cached_property
    def result(self) -> str:
        total, audited = self.record.findings.num_rows, self.record.tallies.audited
        if not audited:
            return self.say("result", "nothing")
        return self.say("result", "found" if total else "clean", total=total, audited=audited)

    @cached_property
    def dispositions(self) -> list[tuple[str, str, str]]:
        return [
            (self.say("dispositions", d), number(count), self.say("disposition_meaning", d))
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
                Cell(number(n), number=True, strong=bool(n) and (called_for, r) in pack.contradictions)
                for n, r in zip(line, rulings, strict=True)
            ]
            label = Cell(self.words.value("called_for", called_for))
            rows.append([label, *cells, Cell(number(sum(line)), number=True)])
        totals = [sum(counts.get((c, ruling), 0) for c in pack.rulings_called_for) for ruling in rulings]
        return Table(heads, rows, [Cell(self.say("matrix", "total")), *_numbers(*totals, sum(totals))])

    def _ruling(self, ruling: str) -> str:
        return self.words.value("ruling", ruling)

    # Checklist

    def _clause_group(self, rule: RuleRecord) -> str:
        keys = self.record.pack.catalogue.table("clauses")
        fitting = [key for key in keys if rule.group.startswith(key)]
        return max(fitting, key=len) if fitting else rule.group

    def _by_clause(self) -> dict[str, list[RuleRecord]]:
        """Rules under the headings of their clauses, in the order of the source."""
        groups: dict[str, list[RuleRecord]] = {}
        for rule in self.record.rules:
            groups.setdefault(self._clause_group(rule), []).append(rule)
        return groups

    def _clause_heading(self, group: str) -> str:
        return str(self.record.pack.catalogue.table("clauses").get(group, group))

    @cached_property
    def checklist(self) -> list[Clause]:
        return [
            Clause(self._clause_heading(group), [self._question(rule) for rule in rules])
            for group, rules in self._by_clause().items()
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

    # Findings

    @cached_property
    def findings(self) -> list[ClauseFindings]:
        counts: Counter[str] = Counter()
        for (code, _), count in self.record.by_rule.items():
            counts[code] += count
        sections = []
        for group, rules in self._by_clause().items():
            told = [self._rule_findings(rule, counts[rule.code]) for rule in rules if counts[rule.code]]
            if told:
                sections.append(ClauseFindings(self._clause_heading(group), told))
        return sections

    def _rule_findings(self, rule: RuleRecord, count: int) -> RuleFindings:
        table = self.record.findings
        own = table.filter(pc.equal(table["rule"], rule.code))
        by = {d: count for (code, d), count in self.record.by_rule.items() if code == rule.code}
        shown = [self._shown(row) for row in own.slice(0, SHOWN).to_pylist()]
        parts = [f"{self.say('dispositions', d.value)}: {number(by[d.value])}" for d in Disposition if d.value in by]
        return RuleFindings(
            code=rule.code,
            clause=rule.clause,
            title=self.words.rule(
                rule.code, "question" if by.keys() == {_OPEN} and rule.disposition.value != _OPEN else "title"
            ),
            question=self.words.rule(rule.code, "question"),
            effect=self.words.rule(rule.code, "effect").format_map(_Leave(self._log_words())),
            counts=", ".join(parts),
            showing=self.say("findings", "showing", shown=SHOWN, all=count) if count > SHOWN else "",
            shown=shown,
        )

    def _log_words(self) -> dict[str, str]:
        return {"judged": self.record.pack.roles.judged, **self.speaker.own}

    def _shown(self, row: dict[str, Any]) -> Shown:
        say = self.say
        return Shown(
            event=row["event_id"],
            part=self.words.part(row["part"]) if row["part"] else "",
            when=(row["occurred_at"] or "").replace("T", " "),
            place=" · ".join(filter(None, (row["site"], row["table"]))),
            person=row["responsible"] or (say("findings", "nobody") if self.names_people else ""),
            message=row["message"],
            told=say("findings", "told", recorded=row["recorded"], expected=row["expected"]),
            where=say("findings", "line", file=row["source_file"], line=row["source_line"]),
            evidence=say("findings", "camera", evidence=row["evidence"]) if row["evidence"] else "",
            disposition=say("dispositions", row["disposition"]),
        )

    @cached_property
    def exhibits(self) -> list[ExhibitShown]:
        """The log's own lines for the findings shown, once an event."""
        rows: dict[int, dict[str, Any]] = {}
        for row in shown_of_each_rule(self.record.findings).to_pylist():
            rows.setdefault(row["row"], row)
        shown = []
        for place in sorted(rows):
            exhibit = self.record.exhibits.get(place)
            if exhibit is None:
                continue
            row = rows[place]
            before, after = exhibit.before, exhibit.after
            neighbors = (
                self.say("exhibits", "before", id=before) if before else self.say("exhibits", "first"),
                self.say("exhibits", "after", id=after) if after else self.say("exhibits", "last"),
            )
            told = self.say("exhibits", "further") if exhibit.further else "; ".join(neighbors)
            where = self.say("findings", "line", file=row["source_file"], line=row["source_line"])
            shown.append(ExhibitShown(row["event_id"], where, exhibit.line or self.say("exhibits", "changed"), told))
        return shown

    # Tables by place, person and hour

    def _heads(self, *names: str, numbers: Sequence[str] = ()) -> list[Cell]:
        heads = [Cell(self.say("columns", name)) for name in names]
        return heads + [Cell(self.say("columns", name), number=True) for name in numbers]

    def _tally_table(self, heads: Sequence[str], rows: Sequence[tuple[Sequence[str], Tally]]) -> Table:
        pack = self.record.pack
        rulings = (*pack.rulings, NOT_RECORDED) if pack.rulings else ()
        seen = [r for r in rulings if any(tally.rulings.get(r) for _, tally in rows)]
        columns = [Cell(head) for head in heads]
        columns.append(Cell(capitalized(self.speaker.own["events"]), number=True))
        columns += [Cell(self._ruling(ruling), number=True) for ruling in seen]
        columns += [Cell(self.say("dispositions", d.value), number=True) for d in Disposition]

        def counts(tally: Tally) -> list[int]:
            by_ruling = [tally.rulings.get(ruling, 0) for ruling in seen]
            return [tally.events, *by_ruling, *(tally.findings.get(d.value, 0) for d in Disposition)]

        cells = [[*(Cell(text) for text in texts), *_numbers(*counts(tally))] for texts, tally in rows]
        sums = [sum(column) for column in zip(*(counts(tally) for _, tally in rows), strict=True)]
        blanks = [Cell("")] * (len(heads) - 1)
        return Table(columns, cells, [Cell(self.say("columns", "total")), *blanks, *_numbers(*sums)])

    @cached_property
    def names_people(self) -> bool:
        """Somebody is named as responsible somewhere."""
        return any(name for _, name in self.record.tallies.by_responsible)

    @cached_property
    def names_places(self) -> bool:
        return any(site or table for site, table in self.record.tallies.by_place)

    @cached_property
    def by_place(self) -> Table:
        nowhere = self.say("people", "nowhere")
        rows = [((s or nowhere, t or nowhere), tally) for (s, t), tally in sorted(self.record.tallies.by_place.items())]
        heads = (self.say("labels", "facility"), capitalized(self.speaker.own["place"]))
        return self._tally_table(heads, rows)

    @cached_property
    def by_person(self) -> Table:
        nobody = self.say("people", "nobody")
        nowhere = self.say("people", "nowhere")
        tallies = sorted(self.record.tallies.by_responsible.items())
        rows = [((site or nowhere, name or nobody), tally) for (site, name), tally in tallies]
        heads = (self.say("labels", "facility"), capitalized(self.speaker.own["responsible"]))
        return self._tally_table(heads, rows)

    @cached_property
    def by_hour(self) -> Table:
        begins = self.record.gaming_day_starts // 60
        hours = sorted(self.record.tallies.by_hour.items(), key=lambda item: (item[0] - begins) % 24)
        rows = [((f"{hour:02d}:00",), tally) for hour, tally in hours]
        return self._tally_table((self.say("columns", "hour"),), rows)

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
            rows.append([Cell(kind), *_numbers(len(members)), Cell(where), Cell(reasons)])
        heads = [*self._heads("reason", numbers=("count",)), *self._heads("where", "examples")]
        return Table(heads, rows)


class _Leave(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "{" + key + "}"


def _numbers(*counts: int) -> list[Cell]:
    return [Cell(number(count), number=True) for count in counts]


def _times(when: dict[str, Any]) -> dict[str, str]:
    return {name: when[name].replace("T", " ") for name in ("first", "last")}
