"""What a rule pack is made of: columns, rules, verdicts, and the pack itself.

A third party ships a pack by building a :class:`Pack` and naming it under the entry point group
``throwaudit.packs``. Nothing registers itself on import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rules.catalogue import Catalogue
from rules.numbers import Numbers
from rules.options import Option
from rules.truth import Truth

if TYPE_CHECKING:
    from rules.batch import Batch
    from rules.placing import Carried, Placing
    from rules.sampling import Sampler
    from rules.sections import DieSeen, Section


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
    NOTATION = "notation"


@dataclass(frozen=True)
class Column:
    """One column of a pack's log layout.

    ``words``: the allowed words of a choice. ``spellings``: other ways to write a word or a number, as a function from
    the cell's text to the word, or the number as text, or ``None``. ``part``: the die that the column describes.
    ``required``: a row without it cannot be placed. ``none_is_value``: ``none`` is a legal value, not an unknown.
    ``least``: the least whole number that the column can hold.

    A ``NOTATION`` is text in a form of the pack's own, such as a list of players: ``grammar`` gives its one spelling
    from a cell's trimmed text, or ``None`` where it is none; ``of_names``: it holds ids, so that ``NA`` is no blank;
    ``catalogue`` has the sentence ``expected.<name>`` on what it can hold. Like ids it is stored as codes.

    ``person``: an id that names one of the staff or a patron, as the columns of the roles ``responsible`` and
    ``player`` and all notations ``of_names`` do; ``renamed``: the text of a notation with each name in it, or whatever
    may be one, put through a function, where names do not simply stand apart by ``|``.

    ``derived``: no file has the column; the pack makes it (``Pack.derived``).
    """

    name: str
    kind: Kind
    words: tuple[str, ...] = ()
    spellings: Callable[[str], str | None] | None = None
    part: str = ""
    required: bool = False
    none_is_value: bool = False
    least: int | None = None
    grammar: Callable[[str], str | None] | None = None
    of_names: bool = False
    person: bool = False
    renamed: Callable[[str, Callable[[str], str]], str] | None = None
    catalogue: Catalogue | None = None
    derived: bool = False

    @property
    def coded(self) -> bool:
        """The column holds codes of texts."""
        return self.kind in (Kind.ID, Kind.NOTATION)

    @property
    def field(self) -> str:
        """The column's name without its part: ``off1_rest`` → ``rest``."""
        return self.name.removeprefix(f"{self.part}_") if self.part else self.name


@dataclass(frozen=True)
class Roles:
    """Which columns play the parts that every pack has. Values are column names; an empty one is not played.

    ``scope``: where events follow each other by ``seq``, such as a game; where it is empty, the table.
    """

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
    scope: str = ""

    @property
    def order(self) -> str:
        """The column in whose scope events follow each other."""
        return self.scope or self.table


@dataclass(frozen=True)
class Phrases:
    """For each event a key into the ``phrases`` of the rule's own words, or a function as in a verdict's details."""

    keys: Any


@dataclass(frozen=True)
class Verdict:
    """What a rule says of each event: does it apply, is it breached.

    ``details`` are further facts for the message: values, phrases, Arrow arrays, or functions that give the array for
    some places in the batch (where making it for all would take long). ``named``: the gap that leaves this
    verdict open is already named by another finding, so that it is counted and not listed again. ``listed``: an open
    question that is listed, and counted as unverifiable, whatever the file logs and the rule's disposition.
    ``not_logged``: here the file never fills a column that this event needs and others do not.
    """

    applies: Truth
    breach: Truth
    details: Mapping[str, Any] = field(default_factory=dict)
    named: Truth | None = None
    listed: Truth | None = None
    not_logged: Truth | None = None


class Per(Enum):
    """What a rule looks at, and so what its counts count."""

    EVENT = "events"
    PART = "dice"
    CELL = "cells"
    GAME = "games"


Test = Callable[..., Verdict]


@dataclass(frozen=True)
class Rule:
    """One testable statement of a clause.

    ``needs``: the columns (of a die, where the rule looks at each die: without prefix) whose absence from a file means
    *not logged*. ``reads``: further columns whose unreadable cells leave the rule open, so that LOG-5 stands for it.
    ``whole``: for a rule that looks at each die, the one test that replaces the three where a fact is known of the
    throw and not of a die. ``also``: further questions of the same rule, each counted and told like the first.
    ``of_game``: what the rule asks of a game as a whole, answered on one event a game: findings bear the id of the
    game (``Roles.group``). A rule of ``Per.GAME`` asks nothing else.
    """

    code: str
    clause: str
    disposition: Disposition
    per: Per
    test: Test | None
    needs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    whole: Test | None = None
    also: tuple[Test, ...] = ()
    of_game: Test | None = None

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
    also: tuple[Test, ...] = (),
    of_game: Test | None = None,
) -> Callable[[Test], Rule]:
    """Make a :class:`Rule` of the function below, which takes the event (and the die) and returns a verdict."""

    def make(test: Test) -> Rule:
        return Rule(code, clause, disposition, per, test, needs, reads, whole, also, of_game)

    return make


@dataclass(frozen=True)
class FurtherCell:
    """A cell that LOG-5 names for what stands elsewhere: ``expected`` says what, of event ``row`` of the audit."""

    row: int
    column: str
    text: str
    expected: str


@dataclass(frozen=True)
class Games:
    """What a pack finds out by looking at all games whole: ``facts`` are columns over the whole audit."""

    facts: Mapping[str, Any]
    cells: tuple[FurtherCell, ...] = ()


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

    For packs whose events are judged by game: ``derived`` makes columns that no file has (such as an event id put
    together of others) from a run of events; of coded columns it gives the texts. ``games`` sees all events of the
    audit in one batch, placed, and gives columns that rules then read with ``batch.fact`` and ``batch.of_whole``.
    ``apart`` says which further rows of an id (given with the rows audited instead) are events of their own and not
    LOG-1's. ``is_judged`` says which events LOG-7 asks for the fact they are judged by, ``also_judged_by`` what else it
    asks of them, by the name of the fact: where that is missing. ``house`` holds the options in
    force, ``variant`` the pack as those make it. ``sections`` gives the pack's own sections of the report, from the
    events and the places of those whose findings are shown. ``seen`` gives the dice of chosen events (places in the
    batch) as a report draws them; ``drawn`` names the fields of a die that such a drawing shows, so that it stands with
    findings of rules that look at them.
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
    carried: Callable[[Any], Mapping[str, Any]] = lambda view: {}
    sequence: Callable[[Placing, Carried, Numbers], Mapping[str, Any]] = lambda placing, carried, numbers: {}
    open_blanks: Callable[[Any], Mapping[str, Truth]] = lambda view: {}
    called_for: Callable[[Any], Any] | None = None
    rulings: tuple[str, ...] = ()
    rulings_called_for: tuple[str, ...] = ()
    contradictions: frozenset[tuple[str, str]] = frozenset()
    critical: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    sampler: Callable[[], Sampler] | None = None
    derived: Callable[[Batch], Mapping[str, Any]] | None = None
    games: Callable[[Batch], Games] | None = None
    apart: Callable[[Batch, Any, Any], Any] | None = None
    is_judged: Callable[[Any], Truth] | None = None
    also_judged_by: Callable[[Any], Mapping[str, Truth]] | None = None
    house: Mapping[str, Any] = field(default_factory=dict)
    variant: Callable[[Pack], Pack] | None = None
    sections: Callable[[Batch, Any], tuple[Section, ...]] | None = None
    seen: Callable[[Any, Any], Sequence[tuple[DieSeen, ...]]] | None = None
    drawn: tuple[str, ...] = ()

    def for_house(self, given: Mapping[str, Any]) -> Pack:
        """The pack with the options that a house has set. Raises OptionError."""
        values = {option.name: option.value(given.get(option.name)) for option in self.options if not option.number}
        pack = replace(self, house=values)
        return self.variant(pack) if self.variant else pack

    @property
    def numbered(self) -> bool:
        """Events are judged by game: order and gaps go by their running numbers alone, and a time may be missing."""
        return self.games is not None

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
