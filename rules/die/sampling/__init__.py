"""Whole games of Die, played by the rules, with errors and gaps planted where they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

from rules.sampling import Answered, Sample


def sample(request: Sample) -> Iterator[Answered]:
    raise NotImplementedError
