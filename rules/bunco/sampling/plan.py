"""What goes wrong in an evening and where, so that each error stays the only cause of what is found."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from rules.bunco.options import House

#: Who keeps the score, and is no player.
SCORER = "Host"

#: Errors of a table in a round, one at most.
AT_TABLE = ("BUN-08", "BUN-09", "BUN-23", "BUN-24 stranger", "BUN-13", "BUN-14", "BUN-03", "LOG-1")
#: Errors of the bell, which hang on the head table's points and so take its place.
AT_HEAD = ("BUN-10 closed", "BUN-10 rolled on", "BUN-11 early", "BUN-11 elsewhere", "BUN-11 missing", "BUN-12")
#: Errors after a round, one at most.
AFTER = ("BUN-14", "BUN-15", "BUN-21", "BUN-24 from")
#: Rolls that one table has in a round, about.
_ROLLS = 40


@dataclass
class Plan:
    """One evening's errors. ``scores``: the share of rolls that are written down with wrong points.

    ``tallies_hold``: nothing goes wrong that bears on who earned a prize.
    """

    rng: random.Random
    rate: float
    house: House
    tables: int
    draw: bool = False
    prize: bool = False
    gap: int = 0
    tallies_hold: bool = True
    _here: dict[tuple[int, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng, chance = self.rng, min(0.8, self.rate * _ROLLS * 0.7)
        rounds = self.house.last_round
        at_head = [kind for kind in AT_HEAD if self.house.bells_logged or kind != "BUN-11 missing"]
        for number in range(1, rounds + 1):
            for table in range(1, self.tables + 1):
                if rng.random() < chance:
                    kinds = at_head if table == 1 and rng.random() < 0.6 else AT_TABLE
                    self._here[number, table] = rng.choice(list(kinds))
            if rng.random() < chance:
                self._here[number, 0] = rng.choice(AFTER)
        self.draw = rng.random() < chance
        self.prize = rng.random() < chance
        # a missing row leaves much open that would be found: it takes its whole round, and the prizes
        if not self.house.results_only and rng.random() < chance / 2:
            self.gap = rng.randint(1, rounds)
            for table in range(self.tables + 1):
                self._here.pop((self.gap, table), None)
            self._here = {place: kind for place, kind in self._here.items() if kind != "BUN-21"}
            self.prize, self.tallies_hold = False, False
        if "BUN-13" in self._here.values():
            self.tallies_hold = False

    def at(self, number: int, table: int, kind: str) -> bool:
        """The plan has ``kind`` at a table (0: after the round) of a round."""
        return self._here.get((number, table)) == kind

    @property
    def busy(self) -> set[tuple[str, str]]:
        """Rounds and tables, as the log writes them, that have an error of their own."""
        return {(str(number), str(table)) for number, table in self._here}

    def take(self, number: int, table: int, kind: str) -> bool:
        """The same, once."""
        if self.at(number, table, kind):
            self._here[number, table] = ""
            return True
        return False

    def some(self, kind: str) -> bool:
        """An error that hangs on a bunco; none while a missing row leaves buncos open."""
        return not self.gap and self.rng.random() < min(0.5, self.rate * 10)

    def wrong_points(self, number: int, table: int, points: int, rare: bool) -> int | None:
        """Other points than those due, where the table has no other error; ``None`` where they are right.

        ``rare``: for three of a kind, of which there are few.
        """
        chance = min(1.0, self.rate * (10 if rare else 1))
        if (number, table) in self._here or number == self.gap or self.house.results_only:
            return None
        if self.rng.random() >= chance:
            return None
        if self.at(number, 0, "BUN-14"):
            return None
        return self.rng.choice([n for n in (0, 1, 2, 3, 5, 8, 21, 26) if n != points])
