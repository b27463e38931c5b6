"""The dice of a throw as a report draws them: what was called, what counts, where each came to rest."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from rules.sections import DieSeen
from rules.three_dice_football.facts import Die, Throw
from rules.truth import FACES, Choice

#: The fields of a die that the drawing shows.
DRAWN = ("color", "hit_far_end", "left_table", "rest", "resting_sides", "observed", "called")

_SETS: list[tuple[int, ...]] = [
    tuple(face + 1 for face in range(FACES) if mask >> face & 1) for mask in range(1 << FACES)
]


def _faces(masks: list[int | None]) -> list[tuple[int, ...] | None]:
    return [None if mask is None else _SETS[mask] for mask in masks]


def _words(choice: Choice, rows: Any) -> list[str]:
    return ["" if code is None else choice.words[code] for code in choice.array.take(rows).to_pylist()]


def _die(die: Die, rows: Any) -> list[DieSeen]:
    expected = "red" if die.name == "def" else "green"
    rests = _words(die.rest, rows)
    went_off = die.off.array.take(rows).to_pylist()
    columns = zip(
        _words(die.color, rows),
        ["off_table" if off else rest for off, rest in zip(went_off, rests, strict=True)],
        _faces(die.resting_sides.array.take(rows).to_pylist()),
        die.observed.array.take(rows).to_pylist(),
        _faces(die.called.array.take(rows).to_pylist()),
        die.due.array.take(rows).to_pylist(),
        die.hit_far_end.yes.array.take(rows).to_pylist(),
        strict=True,
    )
    return [DieSeen(die.name, color or expected, *rest) for color, *rest in columns]


def seen(throw: Throw, rows: Any) -> list[tuple[DieSeen, ...]]:
    """``Pack.seen``: the three dice of each of ``rows`` (places in the batch)."""
    at = pa.array(rows)
    return list(zip(*(_die(die, at) for die in throw.dice), strict=True))
