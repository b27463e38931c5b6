"""Where errors and gaps are planted, so that each stays the only cause of what is found."""

from __future__ import annotations

import numpy as np

from rules.three_dice_football.columns import DICE
from rules.three_dice_football.sampling.errors import (
    BREACH,
    LOCAL,
    ONCE_A_DAY,
    PAIRED,
    TOGETHER,
    UNVERIFIABLE,
    Answer,
    Row,
    rethrown_twice,
)
from rules.three_dice_football.sampling.world import PLAIN, TableDay

#: Errors that may stand in any throw at all.
ANYWHERE = ("TDF-C5", "TDF-S1", "TDF-S2")

#: Every rule that an error can be planted for.
KINDS = (*LOCAL, *PAIRED, *ONCE_A_DAY, "TDF-F7", "LOG-4")


#: A column, or a field of a die, and the rule under which its blank cell is listed; blank where under none.
GAPS: tuple[tuple[str, str], ...] = (
    ("ruling", "LOG-7"),
    ("rest", "TDF-B2"),
    ("observed", "TDF-E2"),
    ("called", "TDF-E1"),
    ("settlement", "TDF-H3"),
    ("stick_used", "TDF-H1"),
    ("dice_centered", "TDF-H6"),
    ("color", "TDF-S1"),
    ("die", "TDF-S4"),
    ("set_opened_at", "TDF-S2"),
    ("stickperson", ""),
    *((field, "") for field in ("released_together", "hit_far_end", "touched_chips", "device_suspected")),
    *((field, "") for field in ("ruling_by", "disputed", "left_table", "resting_sides", "die_lost", "round", "seq")),
    *((field, "") for field in ("dice_set", "gaming_day", "quarterback", "camera_ref")),
    *((field, "") for field in ("at_rest_at", "called_at", "collected_at", "settled_at", "passed_at")),
)


class Planter:
    """Plants errors and gaps in one table day; ``answers`` is what must be found."""

    def __init__(self, day: TableDay) -> None:
        self.day = day
        self.answers: list[Answer] = []
        size = len(day)
        plain = (day.happened == PLAIN) & (day.cells["rethrow_of"] == "")
        plain[1:] &= day.happened[:-1] != "lost"
        self._free = plain
        self._spoilt = np.zeros(size, dtype=bool)
        self._nameless: list[int] = []
        self._once = ""

    def errors(self, rate: float) -> None:
        """Spoil each throw with probability ``rate``, some with two errors at once."""
        random = self.day.random
        chosen = random.random(len(self.day)) < rate
        kinds = random.choice(np.array(KINDS, dtype=object), len(self.day))
        double = random.random(len(self.day)) < 0.1
        for at in np.flatnonzero(chosen).tolist():
            if self._spoilt[at]:
                continue
            if not self._free[at]:
                self._take(at)
                self.answers += LOCAL[str(random.choice(ANYWHERE))](Row(self.day, at))
            elif double[at]:
                self._take(at)
                for kind in random.choice(np.array(TOGETHER, dtype=object), 2, replace=False):
                    self.answers += LOCAL[kind](Row(self.day, at))
            else:
                self._one(at, str(kinds[at]))

    def _one(self, at: int, kind: str) -> None:
        row = Row(self.day, at)
        if kind == "LOG-4":
            self._take(at)
            self._leave_nameless(at)
        elif kind == "TDF-F7" and self._run_is_free(at, 3):
            self._take(at, at + 1, at + 2)
            self.answers += rethrown_twice(row, Row(self.day, at + 1), Row(self.day, at + 2))
        elif kind in PAIRED and self._run_is_free(at, 3):
            self._take(at, at + 1)
            self.answers += PAIRED[kind](row, Row(self.day, at + 1))
        elif kind in ONCE_A_DAY and not self._once and self._run_is_free(at, 3):
            self._once = kind
            self._take(at, at + 1)
            self.answers += ONCE_A_DAY[kind](row, Row(self.day, at + 1))
        else:
            self._take(at)
            local = kind if kind in LOCAL else str(self.day.random.choice(np.array(list(LOCAL), dtype=object)))
            self.answers += LOCAL[local](row)

    def _run_is_free(self, at: int, length: int) -> bool:
        """The throws from ``at`` on are plain and untouched, and the one before is no void roll and lost no die."""
        run = slice(at, at + length)
        before = at == 0 or self._free[at - 1] or self.day.cells["ruling"][at - 1] == "valid"
        return bool(before and at + length <= len(self.day) and self._free[run].all())

    def _take(self, *rows: int) -> None:
        for row in rows:
            self._free[row] = False
            self._spoilt[row] = True

    def _leave_nameless(self, at: int) -> None:
        self.day.cells["stickperson"][at] = ""
        self._nameless.append(at)

    def gaps(self, rate: float) -> None:
        """Leave one cell of each throw blank with probability ``rate``."""
        random = self.day.random
        for at in np.flatnonzero((random.random(len(self.day)) < rate) & self._free).tolist():
            self._take(at)
            field, rule = GAPS[int(random.integers(len(GAPS)))]
            die = str(random.choice(DICE))
            column = field if field in self.day.cells else f"{die}_{field}"
            if field == "seq" and self._once == "LOG-3":
                continue
            if field == "stickperson":
                self._leave_nameless(at)
                continue
            if field in self.day.seconds:
                self.day.seconds[field][at] = -1
            self.day.cells[column][at] = ""
            if rule:
                outcome = BREACH if rule == "TDF-E1" else UNVERIFIABLE
                part = die if rule in ("TDF-B2", "TDF-E2") else ""
                self.answers.append((at, part, rule, outcome))

    def finish(self) -> list[Answer]:
        """All answers, in the order of the rows."""
        if self._nameless:
            self.answers.append((min(self._nameless), "", "LOG-4", BREACH))
        return sorted(self.answers)
