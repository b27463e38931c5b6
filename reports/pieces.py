"""What sections of the report are made of: cells and tables, questions, findings as they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.text import number
from rules.sections import Figure


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, whether it is a number, whether it is to stand out, a smaller line below.

    ``closed``: nothing may stand here, and nothing does.
    """

    text: str
    number: bool = False
    strong: bool = False
    below: str = ""
    closed: bool = False


@dataclass(frozen=True)
class Table:
    """A table with a heading a column, rows of cells, perhaps a row of totals, and what it leaves out, said."""

    heads: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    total: Sequence[Cell] = ()
    omitted: str = ""


@dataclass(frozen=True)
class Question:
    """One line of the checklist."""

    code: str
    question: str
    counts: Sequence[Cell]
    note: str
    breached: bool


@dataclass(frozen=True)
class Clause:
    """A clause of the checklist with its questions."""

    heading: str
    questions: Sequence[Question]


@dataclass(frozen=True)
class Shown:
    """One finding as it is printed."""

    event: str
    part: str
    when: str
    place: str
    person: str
    message: str
    told: str
    where: str
    evidence: str
    disposition: str
    figure: Figure | None


@dataclass(frozen=True)
class RuleFindings:
    """The findings of one rule: criterion, effect, and as many findings as are shown."""

    code: str
    clause: str
    title: str
    question: str
    effect: str
    counts: str
    showing: str
    disposition: str
    shown: Sequence[Shown]


@dataclass(frozen=True)
class ClauseFindings:
    heading: str
    rules: Sequence[RuleFindings]


@dataclass(frozen=True)
class ExhibitShown:
    """A line of the log, in pieces that find room on the paper; ``wide``: they may not."""

    event: str
    where: str
    lines: Sequence[str]
    neighbors: str
    wide: bool


@dataclass(frozen=True)
class AnnexRule:
    """Every finding of a rule, in blocks of lines."""

    code: str
    title: str
    count: str
    blocks: Sequence[Sequence[str]]


def numbers(*counts: int) -> list[Cell]:
    """Counts as cells."""
    return [Cell(number(count), number=True) for count in counts]
