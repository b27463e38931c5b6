"""Numbers that law or house may change: dated, each with its reference, chosen by the event's date."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from importlib.resources import files
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


@dataclass(frozen=True)
class Period:
    """A value in force from ``start`` on, and where it is laid down."""

    start: date
    value: int
    reference: str


@dataclass(frozen=True)
class Numbers:
    """The numbers of a pack (``numbers.toml`` beside it), with what a house has set instead.

    A house may set only the numbers marked ``house = true`` there.
    """

    package: str
    house: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def entries(self) -> Mapping[str, Any]:
        return tomllib.loads(files(self.package).joinpath("numbers.toml").read_text("utf-8"))

    def with_house(self, house: Mapping[str, int]) -> Numbers:
        return Numbers(self.package, dict(house))

    def periods(self, name: str) -> list[Period]:
        """The history of a number, oldest first."""
        values = self.entries[name]["values"]
        periods = [Period(v["from"], v["value"], v["reference"]) for v in values]
        return sorted(periods, key=lambda period: period.start)

    def on(self, name: str, days: Any) -> Any:
        """The number in force on each of ``days`` (an Arrow array of dates): a scalar where it never changed."""
        if name in self.house:
            return pa.scalar(self.house[name], pa.int64())
        first, *later = self.periods(name)
        chosen: Any = pa.scalar(first.value, pa.int64())
        for period in later:
            since = pc.greater_equal(days, pa.scalar(period.start, pa.date32()))
            chosen = pc.if_else(since.fill_null(False), pa.scalar(period.value, pa.int64()), chosen)
        return chosen

    def fixed(self, name: str) -> int:
        """A number that has but one value in its history, such as a property of the dice."""
        (only,) = self.periods(name)
        return self.house.get(name, only.value)
