"""What the rules find, row by row, before it becomes columns of verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rules.bunco.rows import NO, UNKNOWN, YES, Bools, Ints

CODES = tuple(f"BUN-{number:02d}" for number in range(1, 25))


@dataclass
class Ruling:
    """One rule over all rows. ``breach``: yes, no, or not known, where ``applies``.

    ``quiet``: the gap that leaves it open is named elsewhere. ``unlogged``: the file does not log what it takes.
    ``phrase``: the key of what is found. ``fields``: what the sentence names, by row.
    """

    size: int
    applies: Bools = field(init=False)
    breach: Ints = field(init=False)
    quiet: Bools = field(init=False)
    unlogged: Bools = field(init=False)
    phrase: dict[int, str] = field(default_factory=dict)
    fields: dict[int, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.applies = np.zeros(self.size, dtype=bool)
        self.breach = np.zeros(self.size, dtype=np.int8)
        self.quiet = np.zeros(self.size, dtype=bool)
        self.unlogged = np.zeros(self.size, dtype=bool)

    def tested(self, row: int) -> None:
        """The rule was held against the row; what is found there is told besides."""
        self.applies[row] = True

    def breached(self, row: int, phrase: str, **fields: Any) -> None:
        """A breach on the row; a second one on the same row leaves the first one's words."""
        self.applies[row] = True
        if self.breach[row] != YES:
            self.breach[row] = YES
            self.phrase[row] = phrase
            self.fields[row] = fields

    def open(self, row: int, *, quiet: bool = False, unlogged: bool = False) -> None:
        """It cannot be told on this row."""
        self.applies[row] = True
        if self.breach[row] == NO:
            self.breach[row] = UNKNOWN
            self.quiet[row] = quiet
            self.unlogged[row] = unlogged

    def columns(self, applies: Bools, breach: Ints, phrase: str = "", fields: Mapping[str, Any] | None = None) -> None:
        """Verdicts as whole columns; ``phrase`` and ``fields`` (columns by name) for the rows that breach."""
        self.applies |= applies
        take = applies & (self.breach == NO)
        self.breach[take] = breach[take]
        found = np.flatnonzero(applies & (breach == YES)).tolist()
        named = {name: column[found] for name, column in (fields or {}).items()}
        for place, row in enumerate(found):
            if row not in self.phrase:
                self.phrase[row] = phrase
                self.fields[row] = {name: column[place] for name, column in named.items()}


class Findings:
    """The rulings of all rules over the rows of whole games.

    ``game_wide``: by the first row of a game, the sizes of its tables at the start (BUN-02).
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._rulings = {code: Ruling(size) for code in CODES}
        self.game_wide: dict[int, Mapping[int, int]] = {}

    def __getitem__(self, code: str) -> Ruling:
        return self._rulings[code]
