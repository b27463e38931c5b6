"""All that a run has to say, as plain data: every writer works from this record and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from audit.days import TableDay
from audit.status import Exit
from rules import log_integrity
from rules.kit import Disposition, Pack, Rule
from rules.sections import DieSeen, Section


def all_rules(pack: Pack) -> tuple[Rule, ...]:
    """The rules of every pack, then the pack's own, in clause order."""
    return log_integrity.RULES + pack.rules


@dataclass(frozen=True)
class InputRecord:
    """One input: ``problem`` says why it was not read, where it was not."""

    name: str
    sha256: str
    content_sha256: str
    size: int
    rows_read: int
    accepted: int
    quarantined: int
    problem: str
    encoding: str
    delimiter: str
    ignored_columns: tuple[str, ...]
    columns_without_values: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class QuarantinedRow:
    """A row set aside, with its exact bytes."""

    source_file: str
    source_line: int
    reason: str
    kind: str
    raw: bytes
    encoding: str


@dataclass(frozen=True)
class RuleRecord:
    """A rule of this run, and its outcome in counts.

    ``clause`` in full, ``group`` as the pack has it. ``missing``: needed columns that some file never fills.
    ``raised``: the house has given it this graver disposition.
    """

    code: str
    clause: str
    group: str
    disposition: Disposition
    unit: str
    needs: tuple[str, ...]
    on: bool
    counts: Mapping[str, int]
    missing: tuple[str, ...]
    error: str
    raised: bool


@dataclass(frozen=True)
class Exhibit:
    """An event that a finding cites, as the log has it: the line as it stands, and its neighbors.

    ``further``: a further row of an id, which has no place in the order of its table.
    """

    row: int
    line: str
    before: str
    after: str
    further: bool


@dataclass(frozen=True)
class Night:
    """What the report of a gaming day says beyond its audit.

    ``issue``: the how-many-eth report of that day; ``replaces``: the report that it revises, by its folder, blank where
    it is the first, and ``replaces_sums`` the SHA-256 of that one's list of sums. ``findings``: what is new, gone or
    told otherwise (``what``, rule, event, part, message); ``rows``: cells of the log that a later log words otherwise
    (table, event, column, before, after).
    """

    site: str
    day: str
    issue: int
    replaces: str = ""
    replaces_sums: str = ""
    findings: Sequence[tuple[str, str, str, str, str]] = ()
    rows: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class DayCounts:
    """One day of a period, as its own report has it. ``report``: that report's folder."""

    site: str
    day: str
    report: str
    audited: int
    quarantined: int
    findings: Mapping[str, int]


@dataclass(frozen=True)
class Period:
    """What the report of a period says beyond the sum of its days: ``before`` is the period before, by what is counted.

    ``first`` and ``last`` are ISO dates. ``rules_before``: findings of the period before by rule.
    """

    first: str
    last: str
    days: Sequence[DayCounts]
    first_before: str
    last_before: str
    days_before: Sequence[DayCounts]
    rules_before: Mapping[str, int]


@dataclass(frozen=True)
class RunRecord:
    """One run of ``check``.

    ``findings`` and ``outcomes`` are the Arrow tables of ``audit.findings``; ``options`` what was asked for, as text;
    ``assumptions`` what was taken for granted; ``exhibits`` by the event's place in the audit; ``sections`` the pack's
    own sections of the report; ``days`` each table's days, ``seen`` the dice of the events whose findings are drawn;
    ``night`` what the nightly job has to add.
    """

    tool_version: str
    pack: Any
    options: Mapping[str, Any]
    inputs: Sequence[InputRecord]
    notes: Sequence[str]
    rules: Sequence[RuleRecord]
    outcomes: Any
    findings: Any
    tallies: Any
    quarantine: Sequence[QuarantinedRow]
    timezone: str
    times: Mapping[str, int]
    house: Mapping[str, Any]
    blank: Mapping[str, str]
    gaming_day_starts: int
    status: Exit
    exhibits: Mapping[int, Exhibit] = field(default_factory=dict)
    sections: Sequence[Section] = ()
    days: Sequence[TableDay] = ()
    seen: Mapping[int, tuple[DieSeen, ...]] = field(default_factory=dict)
    night: Night | Period | None = None

    @property
    def by_disposition(self) -> dict[str, int]:
        """Findings by disposition, gravest first."""
        counts = {d.value: 0 for d in Disposition}
        for entry in self.findings["disposition"].value_counts().to_pylist():
            counts[entry["values"]] = entry["counts"]
        return counts

    @cached_property
    def by_rule(self) -> dict[tuple[str, str], int]:
        """Findings by rule and disposition."""
        counted = self.findings.group_by(["rule", "disposition"]).aggregate([([], "count_all")])
        return {(row["rule"], row["disposition"]): row["count_all"] for row in counted.to_pylist()}

    @property
    def rows_read(self) -> int:
        return sum(record.rows_read for record in self.inputs)

    @property
    def accepted(self) -> int:
        return sum(record.accepted for record in self.inputs)

    @property
    def unreadable_inputs(self) -> list[InputRecord]:
        return [record for record in self.inputs if record.problem]

    @property
    def rules_in_error(self) -> list[RuleRecord]:
        return [rule for rule in self.rules if rule.error]
