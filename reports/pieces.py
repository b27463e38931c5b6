"""What sections of the report are made of: cells and tables, questions, findings as they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, whether it is a number, whether it is to stand out, a smaller line below."""

    text: str
    number: bool = False
    strong: bool = False
    below: str = ""


@dataclass(frozen=True)
class Table:
    """A table with a heading a column, rows of cells, and perhaps a row of totals."""

    heads: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    total: Sequence[Cell] = ()


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
    shown: Sequence[Shown]


@dataclass(frozen=True)
class ClauseFindings:
    heading: str
    rules: Sequence[RuleFindings]


@dataclass(frozen=True)
class ExhibitShown:
    event: str
    where: str
    line: str
    neighbors: str
