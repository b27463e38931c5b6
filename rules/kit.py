"""What a rule pack is made of: columns, rules, verdicts, and the pack itself.

A third party ships a pack by building a :class:`Pack` and naming it under the entry point group
``throwaudit.packs``. Nothing registers itself on import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rules.catalogue import Catalogue
from rules.numbers import Numbers
from rules.truth import Truth

if TYPE_CHECKING:
    from rules.batch import Batch
    from rules.placing import Carried, Placing
    from rules.sampling import Sampler


class Disposition(Enum):
    """How a finding is to be read, gravest first.

    ``VIOLATION``: by the record, a duty or a prohibition was broken. ``DISCREPANCY``: the record contradicts itself or
    cannot be so. ``INDETERMINATE``: the record lacks a fact that the rule needs. ``OBSERVATION``: a discretion used or
    left unused, or a house threshold passed, that a reviewer may want to see.
    """

    VIOLATION = "violation"
    DISCREPANCY = "discrepancy"
    INDETERMINATE = "indeterminate"
    OBSERVATION = "observation"

    @property
    def gravity(self) -> int:
        """4 for the gravest, 1 for the lightest."""
        return 4 - list(Disposition).index(self)


VIOLATION = Disposition.VIOLATION
DISCREPANCY = Disposition.DISCREPANCY
INDETERMINATE = Disposition.INDETERMINATE
OBSERVATION = Disposition.OBSERVATION


class Kind(Enum):
    """What a cell of a column holds."""

    ID = "id"
    TEXT = "text"
    INT = "int"
    BOOL = "bool"
    TIME = "time"
    DATE = "date"
    CHOICE = "choice"
    CHOICES = "list of choices"
    FACE = "face"
    FACES = "list of faces"


@dataclass(frozen=True)
class Column:
    """One column of a pack's log layout.

    ``words``: the allowed words of a choice. ``spellings``: other ways to write a word, as a function from the
    cell's folded text to the word or ``None``. ``part``: the die that the column describes. ``required``: a row
    without it cannot be placed. ``none_is_value``: ``none`` is a legal value, not an unknown.
    """

    name: str
    kind: Kind
    words: tuple[str, ...] = ()
    spellings: Callable[[str], str | None] | None = None
    part: str = ""
    required: bool = False
    none_is_value: bool = False

    @property
    def field(self) -> str:
        """The column's name without its part: ``off1_rest`` → ``rest``."""
        return self.name.removeprefix(f"{self.part}_") if self.part else self.name


@dataclass(frozen=True)
class Roles:
    """Which columns play the parts that every pack has. Values are column names; an empty one is not played."""

    event_id: str
    table: str
    time: str
    day: str = ""
    site: str = "site"
    seq: str = "seq"
    group: str = ""
    responsible: str = ""
    player: str = ""
    evidence: str = ""
    judged: str = ""
    names_event: str = ""


@dataclass(frozen=True)
class Phrases:
    """For each event a key into the ``phrases`` of the rule's own words."""

    keys: Any


@dataclass(frozen=True)
class Verdict:
    """What a rule says of each event: does it apply, is it breached.

    ``details`` are further facts for the message: values, phrases or Arrow arrays. ``named``: the gap that leaves this
    verdict open is already named by another finding, so that it is counted and not listed again.
    """

    applies: Truth
    breach: Truth
    details: Mapping[str, Any] = field(default_factory=dict)
    named: Truth | None = None


class Per(Enum):
    """What a rule looks at, and so what its counts count."""

    EVENT = "events"
    PART = "dice"
    CELL = "cells"


Test = Callable[..., Verdict]


@dataclass(frozen=True)
class Rule:
    """One testable statement of a clause.

    ``needs``: the columns (of a die, where the rule looks at each die: without prefix) whose absence from a file means
    *not logged*. ``reads``: further columns whose unreadable cells leave the rule open, so that LOG-5 stands for it.
    ``whole``: for a rule that looks at each die, the one test that replaces the three where a fact is known of the
    throw and not of a die.
    """

    code: str
    clause: str
    disposition: Disposition
    per: Per
    test: Test | None
    needs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    whole: Test | None = None

    @property
    def duty(self) -> str:
        """The rule in one sentence: the first line of its docstring."""
        return (self.test.__doc__ or "").strip().splitlines()[0] if self.test else ""


def rule(
    code: str,
    clause: str,
    disposition: Disposition,
    *,
    per: Per = Per.EVENT,
    needs: tuple[str, ...] = (),
    reads: tuple[str, ...] = (),
    whole: Test | None = None,
) -> Callable[[Test], Rule]:
    """Make a :class:`Rule` of the function below, which takes the event (and the die) and returns a verdict."""

    def make(test: Test) -> Rule:
        return Rule(code, clause, disposition, per, test, needs, reads, whole)

    return make


@dataclass(frozen=True)
class Option:
    """A key that a house may set in the profile's ``[house]`` table; ``number`` names the dated number it overrides."""

    name: str
    number: str


@dataclass(frozen=True)
class Pack:
    """One set of rules with its log layout.

    ``view`` wraps a batch into the pack's event (a throw). ``carried`` names what neighbours see of an event, as
    columns over the batch, from its own cells alone. ``sequence`` turns placing and carried columns of the whole audit
    into further columns that only the whole shows. ``open_blanks`` names the columns whose blank cell leaves something
    open only at times, and says when it does. ``called_for`` gives, for the ruling matrix, what the source called for
    in each event; ``contradictions`` are its cells, called for × ruled, for which the source leaves no room.
    ``sampler`` loads what makes synthetic logs.

    ``critical``: fields whose unreadable cell keeps the event out of the list of indeterminate findings.
    """

    name: str
    edition: str
    columns: tuple[Column, ...]
    roles: Roles
    parts: tuple[str, ...]
    rules: tuple[Rule, ...]
    catalogue: Catalogue
    numbers: Numbers
    view: Callable[[Batch], Any]
    carried: Callable[[Any], Mapping[str, Any]]
    sequence: Callable[[Placing, Carried, Numbers], Mapping[str, Any]]
    open_blanks: Callable[[Any], Mapping[str, Truth]]
    called_for: Callable[[Any], Any] | None = None
    rulings: tuple[str, ...] = ()
    rulings_called_for: tuple[str, ...] = ()
    contradictions: frozenset[tuple[str, str]] = frozenset()
    critical: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    sampler: Callable[[], Sampler] | None = None

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        return {column.name: column for column in self.columns}

    def columns_needed(self, rule: Rule, part: str, fields: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """The full names of the columns that ``rule`` needs for ``part`` (blank: of the event, all dice)."""
        names: list[str] = []
        for name in rule.needs if fields is None else fields:
            if name in self.by_name:
                names.append(name)
            else:
                parts = (part,) if part else self.parts
                names.extend(f"{p}_{name}" for p in parts)
        return tuple(names)
