"""What a pack's sampler is asked for, and what it gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

#: The time zone of the house whose logs are made.
ZONE = "America/New_York"


@dataclass(frozen=True)
class Sample:
    """``error_rate`` and ``gap_rate`` are shares of the events, 0 to 1. ``house``: the options in force."""

    events: int
    seed: int
    error_rate: float = 0.0
    gap_rate: float = 0.0
    house: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answered:
    """A stretch of the log as text, with its answers: event id, part, rule, outcome (breach or unverifiable)."""

    text: str
    answers: tuple[tuple[str, str, str, str], ...]


class Sampler(Protocol):
    """A pack's sampler: the same request gives the same text."""

    def __call__(self, request: Sample) -> Iterator[Answered]: ...
