"""Examples beside the rules: small logs with the exact findings that they must yield.

They serve tests, ``explain`` and documentation at once. An example gives each row as what differs from the pack's one
conforming row (``base.toml``); a later row of an example is later by a minute, with the next id and number. Where whole
games tell more than single rows, an example gives the rows as CSV (``log``) instead.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from importlib.resources import files
from typing import Any

from rules.kit import Kind, Pack

CONFORMS, BREACH, UNVERIFIABLE = "conforms", "breach", "unverifiable"


@dataclass(frozen=True)
class Expected:
    """A finding that an example yields; ``outcome`` is ``breach`` or ``unverifiable``."""

    rule: str
    outcome: str
    event_id: str
    part: str = ""

    @classmethod
    def parse(cls, text: str) -> Expected:
        """From ``TDF-B1 T1 off2``; a question mark after the rule (``TDF-F4? T1``) stands for unverifiable."""
        rule, event_id, *part = text.split()
        outcome = UNVERIFIABLE if rule.endswith("?") else BREACH
        return cls(rule.rstrip("?"), outcome, event_id, *part)


@dataclass(frozen=True)
class Example:
    """One example. ``shows``: what it shows of ``rule``.

    ``rows`` hold only what differs from the conforming row; of a ``bare`` one they hold all there is.
    """

    rule: str
    shows: str
    name: str
    rows: tuple[Mapping[str, str], ...]
    findings: tuple[Expected, ...] = ()
    without: tuple[str, ...] = ()
    house: Mapping[str, Any] = field(default_factory=dict)
    bare: bool = False


@dataclass(frozen=True)
class Examples:
    """All examples of a pack."""

    pack: Pack

    @property
    def _folder(self) -> Any:
        return files(self.pack.catalogue.package).joinpath("examples")

    @cached_property
    def base(self) -> Mapping[str, str]:
        """The conforming row."""
        return dict(tomllib.loads(self._folder.joinpath("base.toml").read_text("utf-8")))

    @cached_property
    def all(self) -> tuple[Example, ...]:
        return tuple(self._read())

    def _read(self) -> Iterator[Example]:
        for file in sorted(self._folder.iterdir(), key=lambda file: str(file.name)):
            if not file.name.endswith(".toml") or file.name == "base.toml":
                continue
            for rule, entries in tomllib.loads(file.read_text("utf-8")).items():
                for entry in entries:
                    yield self._example(rule, entry)

    @staticmethod
    def _example(rule: str, entry: Mapping[str, Any]) -> Example:
        findings = tuple(Expected.parse(text) for text in entry.get("findings", ()))
        own = {finding.outcome for finding in findings if finding.rule == rule}
        shows = BREACH if BREACH in own else UNVERIFIABLE if UNVERIFIABLE in own else CONFORMS
        return Example(
            rule,
            shows,
            entry["name"],
            _of_csv(entry["log"]) if "log" in entry else tuple(entry.get("rows", ({},))),
            findings,
            tuple(entry.get("without", ())),
            entry.get("house", {}),
            entry.get("bare", False),
        )

    def of(self, code: str) -> list[Example]:
        """The examples of one rule, in the order of their file."""
        return [example for example in self.all if example.rule == code]

    def filled(self, example: Example) -> list[dict[str, str]]:
        """The rows of an example in full."""
        roles = self.pack.roles
        times = [column.name for column in self.pack.columns if column.kind is Kind.TIME]
        rows = []
        for number, given in enumerate(example.rows):
            if example.bare:
                rows.append(dict(given))
                continue
            row = dict(self.base)
            if not self.pack.by_name[roles.event_id].derived:
                row[roles.event_id] = f"T{number + 1}"
            row[roles.seq] = str(number + 1)
            for name in times:
                if name in row and name != "set_opened_at":
                    row[name] = _later(row[name], number)
            row.update(given)
            rows.append(row)
        return rows

    def event_id(self, row: Mapping[str, str]) -> str:
        """What names a row: its id, or where the pack puts that together, the game's and the row's number."""
        roles = self.pack.roles
        return row.get(roles.event_id) or f"{row.get(roles.group, '')}#{row.get(roles.seq, '')}"

    def log(self, example: Example) -> str:
        """The example as a CSV log."""
        evidence = self.pack.roles.evidence
        columns = [c for c in self.pack.columns if c.kind is not Kind.TEXT or c.name == evidence]
        names = [c.name for c in columns if not c.derived and c.name not in example.without]
        text = io.StringIO()
        writer = csv.DictWriter(text, names, lineterminator="\n", extrasaction="ignore", restval="")
        writer.writeheader()
        writer.writerows(self.filled(example))
        return text.getvalue()


def _of_csv(text: str) -> tuple[Mapping[str, str], ...]:
    """The rows of a log as it would lie on disk, each with the cells that are filled."""
    return tuple(
        {name: cell.strip() for name, cell in row.items() if name and cell and cell.strip()}
        for row in csv.DictReader(io.StringIO(text.lstrip()), restval="")
    )


def _later(time: str, minutes: int) -> str:
    return (datetime.fromisoformat(time) + timedelta(minutes=minutes)).isoformat()
