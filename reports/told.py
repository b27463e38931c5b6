"""The findings as the report tells them: by clause and rule, each with its drawing, and the lines that they cite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from textwrap import wrap
from typing import Any

import pyarrow.compute as pc

from audit.findings import SHOWN, shown_of_each_rule
from audit.record import RuleRecord, RunRecord
from audit.telling import Words
from reports.pictures import Pictures
from reports.pieces import AnnexRule, ClauseFindings, ExhibitShown, RuleFindings, Shown
from reports.text import Speaker, cut, number, shown_plainly
from rules.kit import Disposition

_OPEN = Disposition.INDETERMINATE.value
#: Findings of each rule that are told at length where the annex has them all, and they are more than so many.
SHOWN_BEFORE_ANNEX, FEW = 1, 500
#: How much of a text of the log is printed; what is left out is counted, and stands in full in findings.csv.
ID, TEXT, LINE = 60, 320, 1200
#: Letters of a piece of a log's line, and the room for it in widths of its type (7.2 points).
_PIECE, _ROOM = 132, 70.0
#: Lines of the annex that are set as one block: enough that blocks cost little, few enough to fill pages.
_BLOCK = 40
#: Letters of a line of the annex that surely find room beside each other, and how far lines are indented.
_LETTERS, _INDENT = 150, " " * 4


class Told:
    """Findings by clause, exhibits and annex of one record."""

    def __init__(self, record: RunRecord, speaker: Speaker, words: Words, pictures: Pictures, annex: bool) -> None:
        self.record, self.speaker, self.words, self.pictures, self.annex = record, speaker, words, pictures, annex
        self.say = speaker.say
        self.most = SHOWN_BEFORE_ANNEX if annex and record.findings.num_rows > FEW else SHOWN

    # By clause

    def clause_group(self, rule: RuleRecord) -> str:
        """The clause under whose heading a rule stands."""
        keys = self.record.pack.catalogue.table("clauses")
        fitting = [key for key in keys if rule.group.startswith(key)]
        return max(fitting, key=len) if fitting else rule.group

    @cached_property
    def by_clause(self) -> dict[str, list[RuleRecord]]:
        """Rules under the headings of their clauses, in the order of the source."""
        groups: dict[str, list[RuleRecord]] = {}
        for rule in self.record.rules:
            groups.setdefault(self.clause_group(rule), []).append(rule)
        return groups

    def heading(self, group: str) -> str:
        return str(self.record.pack.catalogue.table("clauses").get(group, group))

    @cached_property
    def _counts(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for (code, _), count in self.record.by_rule.items():
            counts[code] += count
        return counts

    @cached_property
    def findings(self) -> list[ClauseFindings]:
        """As many findings of each rule as are shown, with criterion and effect."""
        by_rule: dict[str, list[dict[str, Any]]] = {}
        for row in shown_of_each_rule(self.record.findings, self.most).to_pylist():
            by_rule.setdefault(row["rule"], []).append(row)
        sections = []
        for group, rules in self.by_clause.items():
            told = [self._rule(rule, by_rule[rule.code]) for rule in rules if rule.code in by_rule]
            if told:
                sections.append(ClauseFindings(self.heading(group), told))
        return sections

    def _of(self, rule: RuleRecord) -> dict[str, int]:
        """The rule's findings by disposition, gravest first."""
        return {d.value: count for d in Disposition if (count := self.record.by_rule.get((rule.code, d.value), 0))}

    def title(self, rule: RuleRecord) -> str:
        """The title of a breach; the question, where nothing but open questions is listed, so that no title accuses."""
        only_open = self._of(rule).keys() == {_OPEN} and rule.disposition.value != _OPEN
        return self.words.rule(rule.code, "question" if only_open else "title")

    def _rule(self, rule: RuleRecord, rows: Sequence[Mapping[str, Any]]) -> RuleFindings:
        by, count = self._of(rule), self._counts[rule.code]
        parts = [f"{self.say('dispositions', name)}: {number(of)}" for name, of in by.items()]
        rest = "showing_annex" if self.annex else "showing"
        return RuleFindings(
            code=rule.code,
            clause=rule.clause,
            title=self.title(rule),
            question=self.words.rule(rule.code, "question"),
            effect=self.words.rule(rule.code, "effect").format_map(_Leave(self._log_words())),
            counts=", ".join(parts),
            showing=self.say("findings", rest, shown=len(rows), all=count) if count > len(rows) else "",
            disposition=next(iter(by), rule.disposition.value),
            shown=[self._shown(row) for row in rows],
        )

    def _log_words(self) -> dict[str, str]:
        return {"judged": self.record.pack.roles.judged, **self.speaker.own}

    @cached_property
    def names_people(self) -> bool:
        """Somebody is named as responsible somewhere."""
        return any(name for _, name in self.record.tallies.by_responsible)

    def person(self, row: Mapping[str, Any]) -> str:
        """Who is named as responsible, or that nobody is."""
        return cut(row["responsible"] or "", ID) or (self.say("findings", "nobody") if self.names_people else "")

    def _shown(self, row: Mapping[str, Any]) -> Shown:
        say = self.say
        recorded, expected = cut(row["recorded"] or "", TEXT), cut(row["expected"] or "", TEXT)
        return Shown(
            event=cut(row["event_id"] or "", ID),
            part=self.words.part(row["part"]) if row["part"] else "",
            when=(row["occurred_at"] or "").replace("T", " "),
            place=" · ".join(cut(name, ID) for name in (row["site"], row["table"]) if name),
            person=self.person(row),
            message=cut(row["message"], TEXT),
            told=say("findings", "told", recorded=recorded, expected=expected),
            where=say("findings", "line", file=row["source_file"], line=row["source_line"]),
            evidence=say("findings", "camera", evidence=cut(row["evidence"], ID)) if row["evidence"] else "",
            disposition=row["disposition"],
            figure=self.pictures.throw(row),
        )

    # The log's own lines

    @cached_property
    def exhibits(self) -> list[ExhibitShown]:
        """The log's own lines for the findings shown, once an event."""
        rows: dict[int, dict[str, Any]] = {}
        for row in shown_of_each_rule(self.record.findings, self.most).to_pylist():
            rows.setdefault(row["row"], row)
        return [
            self._exhibit(rows[place], self.record.exhibits[place])
            for place in sorted(rows)
            if place in self.record.exhibits
        ]

    def _exhibit(self, row: Mapping[str, Any], exhibit: Any) -> ExhibitShown:
        say = self.say
        before, after = cut(exhibit.before, ID), cut(exhibit.after, ID)
        neighbors = (
            say("exhibits", "before", id=before) if before else say("exhibits", "first"),
            say("exhibits", "after", id=after) if after else say("exhibits", "last"),
        )
        told = say("exhibits", "further") if exhibit.further else "; ".join(neighbors)
        where = say("findings", "line", file=row["source_file"], line=row["source_line"])
        line, more = exhibit.line[:LINE], len(exhibit.line) - LINE
        if more > 0:
            line += " " + say("exhibits", "more", count=more)
        line = line or say("exhibits", "changed")
        pieces = [line[at : at + _PIECE] for at in range(0, len(line), _PIECE)]
        event = cut(row["event_id"] or "", ID)
        wide = not _find_room(f"{event} {where}{told}") or not all(map(_find_room, pieces))
        return ExhibitShown(event, where, pieces, told, wide)

    # Every finding

    @property
    def annexed(self) -> Iterator[AnnexRule]:
        """Every finding, a line each, by rule, in the order of the source."""
        table = self.record.findings
        for rules in self.by_clause.values():
            for rule in rules:
                count = self._counts[rule.code]
                if count:
                    own = table.filter(pc.equal(table["rule"], rule.code))
                    yield AnnexRule(rule.code, self.title(rule), number(count), self._lines(own))

    def _lines(self, own: Any) -> list[list[str]]:
        """Blocks of lines: site, table and year, below them where in the log, when, who, which event, what."""
        names = ("occurred_at", "site", "table", "responsible", "event_id", "part", "message")
        columns = [own[name].to_pylist() for name in (*names, "source_file", "source_line")]
        several = len(self.record.inputs) > 1
        above = None
        lines: list[str] = []
        blocks = [lines]
        for at, site, table, person, event, part, message, file, line in zip(*columns, strict=True):
            if len(lines) >= _BLOCK:
                above, lines = None, []
                blocks.append(lines)
            place = site, table, at[:4] if at else ""
            if place != above:
                lines.append(" · ".join(cut(name, ID) for name in place if name) or self.say("people", "nowhere"))
                above = place
            where = f"{cut(file, ID)}:{line}" if several else str(line)
            which = cut(event or "", ID) + (f", {self.words.part(part)}" if part else "")
            who = (f"{at[5:10]} {at[11:19]}" if at else "", cut(person or "", ID), which)
            told = f"{_INDENT}{where}  {' · '.join(filter(None, who))}: {cut(message, TEXT)}"
            told = shown_plainly(told, lambda _: True)  # before it is wrapped, which would drop a line break
            lines += [told] if len(told) <= _LETTERS else wrap(told, _LETTERS, subsequent_indent=_INDENT * 2)
        return blocks


def _find_room(text: str) -> bool:
    """A line of type surely finds room, by how wide letters are at most; what is not ASCII may be named instead."""
    ems = sum(0.9 if c in "MW@%mw" else 0.66 if c.isupper() else 0.51 for c in text)
    return text.isascii() and text.isprintable() and ems <= _ROOM


class _Leave(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "{" + key + "}"
