"""All rules over one block of events: ask, count, and tell of what is listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.further_rows import FurtherRows
from audit.reading.events import Stored
from audit.telling import few
from audit.told import Desk, Told, findings_of
from rules import log_integrity
from rules.batch import Batch
from rules.kit import DISCREPANCY, VIOLATION, Disposition, Per, Phrases, Rule, Test, Verdict
from rules.truth import Truth, any_of


@dataclass
class Counts:
    """Outcomes of one rule and part; applicable = tested + unverifiable + not_logged.

    Where a block holds several days that are counted apart, each is an array, a number a day.
    """

    applicable: int = 0
    tested: int = 0
    breached: int = 0
    unverifiable: int = 0
    not_logged: int = 0
    error: int = 0

    def add(self, other: Counts) -> None:
        """Add the counts of another block."""
        for name, count in vars(other).items():
            setattr(self, name, getattr(self, name) + count)


class _Audit(Protocol):
    rules: Sequence[Rule]

    def failed(self, rule: Rule, error: Exception) -> None: ...

    @property
    def desk(self) -> Desk: ...

    @property
    def further_rows(self) -> FurtherRows: ...


class BlockAudit:
    """All rules over one block."""

    def __init__(self, audit: _Audit, stored: Stored, batch: Batch) -> None:
        self.audit = audit
        self.desk = audit.desk
        self.stored = stored
        self.batch = batch
        self.counts: dict[tuple[str, str], Counts] = {}
        self.told: list[Told] = []
        self.view = audit.desk.pack.view(batch)
        self.audited = ~batch.place_truth(batch.placed.duplicate)
        self.called_for: Any = audit.desk.pack.called_for(self.view) if audit.desk.pack.called_for else None

    #: The smaller of two counts.
    least: Callable[[Any, Any], Any] = staticmethod(min)

    def count(self, truth: Truth) -> Any:
        """Of how many events a fact is known to be true."""
        return truth.array.true_count

    def run(self) -> None:
        """Ask every rule; ``counts`` and ``findings`` hold what came of it."""
        for rule in self.audit.rules:
            if rule.test is not None:
                for part, ask, of_game in self._questions(rule):
                    self.told.extend(self._ask(rule, part, ask, of_game))

    def findings(self) -> Any:
        """What the rules found, as a table of ``audit.findings.WORKING``."""
        return findings_of(self.desk, self.stored, self.told)

    def _questions(self, rule: Rule) -> list[tuple[str, Callable[[], Verdict], bool]]:
        """What the rule asks, of which part, and whether of the game as a whole."""
        if rule.per is Per.PART:
            return [(part, ask, False) for part, ask in self._questions_of_parts(rule)]

        def question(test: Test) -> Callable[[], Verdict]:
            return lambda: test(self.batch if rule in log_integrity.RULES else self.view)

        assert rule.test is not None
        questions = [("", question(test), rule.per is Per.GAME) for test in (rule.test, *rule.also)]
        return [*questions, ("", question(rule.of_game), True)] if rule.of_game else questions

    def _questions_of_parts(self, rule: Rule) -> list[tuple[str, Callable[[], Verdict]]]:
        """Once a die and, where the rule has one, once for the throw."""
        test, whole = rule.test, rule.whole
        assert test is not None

        def of_part(part: str) -> Callable[[], Verdict]:
            return lambda: test(self.view, self.view.die(part))

        questions = [(part, of_part(part)) for part in self.desk.pack.parts]
        if whole is not None:
            questions.append(("", lambda: whole(self.view)))
        return questions

    def _ask(self, rule: Rule, part: str, ask: Callable[[], Verdict], of_game: bool) -> list[Told]:
        count = self.counts.setdefault((rule.code, part), Counts())
        scope = self._scope(rule)
        try:
            verdict = ask()
            return self._judge(rule, part, verdict, scope, count, of_game)
        except Exception as error:
            count.error += self.count(scope)
            self.audit.failed(rule, error)
            return []

    def _scope(self, rule: Rule) -> Truth:
        """The events that the rule looks at: further rows of an id are LOG-1's alone."""
        return Truth.constant(self.batch.size, True) if rule.code == "LOG-1" else self.audited

    def _judge(self, rule: Rule, part: str, verdict: Verdict, scope: Truth, count: Counts, of_game: bool) -> list[Told]:
        applies, breach = verdict.applies, verdict.breach
        surely_applies = applies.surely & scope
        breached = surely_applies & breach.surely
        if applies.all_known and breach.all_known:
            tested, open_ones = self.count(surely_applies), 0
        else:
            passed = surely_applies & breach.surely_not
            not_applicable = (applies.surely_not & scope) | (breach.surely_not & scope & ~applies.known)
            tested = self.count(breached) + self.count(passed)
            open_ones = self.count(scope) - tested - self.count(not_applicable)
        needed = self.desk.pack.columns_needed(rule, part)
        lacking = [name for name in needed if not self.batch.logs(name)]
        told = []
        if breached.any():
            told.append(self._tell_breach(rule, part, verdict, breached, of_game))
        listed = Truth.constant(self.batch.size, False)
        if np.any(open_ones) and not lacking and self.desk.disposition(rule) in (VIOLATION, DISCREPANCY):
            undecided = (surely_applies & ~breach.known) | (breach.surely & scope & ~applies.known)
            listed = undecided & ~self._named_elsewhere(rule, part, verdict)
        absent = open_ones if lacking else 0
        if verdict.not_logged is not None and not lacking:
            unlogged = (scope & ~(surely_applies & breach.known) & ~applies.surely_not) & verdict.not_logged.surely
            listed = listed & ~unlogged
            absent = self.count(unlogged)
        always = 0
        if verdict.listed is not None:
            in_any_case = verdict.listed.surely & scope & ~breached
            always = self.count(in_any_case)
            listed = listed | in_any_case
        if listed.any():
            told.append(self._tell_unverified(rule, part, verdict, needed, listed, of_game))
        count.breached += self.count(breached)
        count.tested += tested
        count.applicable += tested + open_ones
        absent = self.least(absent, open_ones - always)
        count.not_logged += absent
        count.unverifiable += open_ones - absent
        return told

    # One gap, one finding

    @cached_property
    def _event_named(self) -> Truth:
        """LOG-7 names the event's gap, or LOG-5 one of the cells on which nearly everything hangs."""
        pack, batch = self.desk.pack, self.batch
        named = Truth.constant(batch.size, False)
        if pack.roles.judged:
            named = any_of(log_integrity.unjudgeable(batch).values()) & log_integrity.is_judged(batch)
        for column in pack.columns:
            if column.field in pack.critical and column.name in batch.unreadable:
                named = named | batch.column(column.name).unreadable
        return named

    def _named_elsewhere(self, rule: Rule, part: str, verdict: Verdict) -> Truth:
        named = self._event_named
        pack = self.desk.pack
        for name in pack.columns_needed(rule, part, rule.needs + rule.reads):
            if name in self.batch.unreadable:
                named = named | self.batch.column(name).unreadable
        return named if verdict.named is None else named | verdict.named.surely

    # Telling

    def _tell_breach(self, rule: Rule, part: str, verdict: Verdict, breached: Truth, of_game: bool) -> Told:
        rows = pa.array(breached.rows())
        whole = "whole_" if rule.whole is not None and not part else ""
        details = dict(verdict.details)
        identity = None
        if rule.code == "LOG-1":
            details["identical"] = Phrases(self._identical)
            further = self.audit.further_rows
            identity = pa.array([further.identity[row] for row in self._global(rows)], pa.string())
        said = {
            key: self._tell(rule, part, self._template(rule, whole, key), rows, details)
            for key in ("message", "expected", "recorded")
        }
        disposition = self.desk.disposition(rule)
        parts = few(part, len(rows))
        return Told(rule, disposition, rows, parts, said, identity, of_game)

    def _global(self, rows: Any) -> list[int]:
        """The rows' places in the whole audit."""
        return (rows.to_numpy() + self.batch.start).tolist()  # type: ignore[no-any-return]

    def _identical(self, rows: Any) -> Any:
        """Whether each further row of an id is identical to the audited one."""
        identical = self.audit.further_rows.identical
        return pa.array(["yes" if identical[row] else "no" for row in self._global(rows)], pa.string())

    def _template(self, rule: Rule, whole: str, key: str) -> str:
        words = self.desk.words
        return (words.rule(rule.code, whole + key) if whole else "") or words.rule(rule.code, key)

    def _tell(self, rule: Rule, part: str, template: str, rows: Any, details: Mapping[str, Any]) -> Any:
        if rule in log_integrity.RULES:
            template = self._in_pack_terms(template)
        teller = self.desk.teller(self.batch, self.stored)
        return teller.tell(template, rows, rule.code, part, details)

    def _in_pack_terms(self, template: str) -> str:
        """A sentence of the log rules with the pack's own columns for the roles that it names."""
        roles = self.desk.pack.roles
        for name in ("event_id", "seq", "time"):
            template = template.replace(f"{{{name}}}", f"{{{getattr(roles, name)}}}")
        return template

    def _tell_unverified(
        self, rule: Rule, part: str, verdict: Verdict, needed: tuple[str, ...], listed: Truth, of_game: bool
    ) -> Told:
        rows = pa.array(listed.rows())
        common = log_integrity.CATALOGUE
        own = self.desk.words.rule(rule.code, "unverified")
        teller = self.desk.teller(self.batch, self.stored)
        missing = teller.missing({} if own else self._needed_blanks(needed), rows)
        if not own and missing.null_count:
            missing = pc.coalesce(missing, teller.missing(self._other_blanks(part), rows))
        every = pa.array(np.arange(len(rows)))
        details = {"missing": missing, "question": pa.scalar(self.desk.words.rule(rule.code, "question"))}

        def with_missing(key: str) -> Any:
            told = teller.tell(common.text("unverified", key), every, rule.code, part, details)
            without = teller.tell(common.text("unverified", f"{key}_without"), every, rule.code, part, details)
            return pc.if_else(missing.is_valid(), told, without)

        message = teller.tell(own, rows, rule.code, part, dict(verdict.details)) if own else with_missing("message")
        said = {
            "message": message,
            "expected": teller.tell(common.text("unverified", "expected"), every, rule.code, part, {}),
            "recorded": with_missing("recorded"),
        }
        parts = few(part, len(rows))
        return Told(rule, Disposition.INDETERMINATE, rows, parts, said, of_game=of_game)

    def _needed_blanks(self, needed: tuple[str, ...]) -> dict[str, Truth]:
        """Where the needed columns are blank, and it matters."""
        at_times = self.desk.pack.open_blanks(self.view)
        return {name: at_times.get(name, self.batch.column(name).blank) for name in needed}

    def _other_blanks(self, part: str) -> dict[str, Truth]:
        """Where other blank cells leave the state of the part open."""
        at_times = self.desk.pack.open_blanks(self.view)
        return {name: t for name, t in at_times.items() if part in ("", self.desk.pack.by_name[name].part)}
