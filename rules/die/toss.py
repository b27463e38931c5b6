"""One toss as the rules see it: what is written on its row, and what its game makes of it (``games``)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rules.batch import Batch
from rules.die.games import POINTS
from rules.kit import Phrases, Verdict
from rules.truth import Truth, any_of

#: Facts that points hang on: a cell of theirs that cannot be read is LOG-5's.
READ = ("path", "height", "challenge", "catch_by", "catch_how", "over_table", "fifa", "points_a", "points_b")


class Toss:
    """The tosses of a batch."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch

    def fact(self, name: str) -> Truth:
        """A fact that only the whole game shows."""
        return self.batch.fact(name)

    @property
    def every(self) -> Truth:
        return Truth.constant(self.batch.size, True)

    def open_where(self, truth: Truth, doubt: Truth) -> Truth:
        """A truth that is not known where ``doubt`` holds."""
        return truth.unless_unknown(doubt)

    @cached_property
    def details(self) -> dict[str, Any]:
        """What messages may say of a toss beside its own cells."""
        names = ("due", "given", "sum_due", "sum_before", "sum_logged", "thrower_before")
        told = {name: _plain(self.batch.of_whole(name)) for name in names}
        told["number"] = self.batch.of_whole("after_count")
        told["why"] = Phrases(_plain(self.batch.of_whole("why_open")))
        told["team"] = self.when(self.fact("swapped"), "swapped")
        return told

    def when(self, truth: Truth, key: str) -> Phrases:
        """A phrase that is said where a fact holds."""
        return Phrases(pc.if_else(truth.surely.array, pa.scalar(key), pa.scalar("nothing")))

    def judged_under(self, code: str) -> Truth:
        """The points of the toss are judged under this rule."""
        return Truth(pc.equal(self.batch.of_whole("rule"), pa.scalar(POINTS.index(code), pa.int8())))

    def points(self, code: str, also: dict[str, Truth] | None = None, asked: Truth | None = None) -> Verdict:
        """The points of tosses that stand under a rule; ``also``: further breaches of it, by the phrase that says each.

        ``asked``: further tosses on which the rule is tested.
        """
        mine = self.judged_under(code)
        wrong = mine & self.fact("points_breach")
        open_ = mine & self.fact("points_open")
        passed = mine & self.fact("points_pass")
        others = also or {}
        found = any_of([wrong, *others.values()])
        applies = any_of([wrong, open_, passed, *others.values(), *([asked] if asked else [])])
        details = {**self.details, "points": self.when(wrong, "points")}
        details |= {name: self.when(truth, name) for name, truth in others.items()}
        left_open = open_ & ~found
        return Verdict(
            applies,
            self.open_where(found, left_open),
            details,
            named=self.fact("points_named"),
            listed=left_open & self.fact("page_silent"),
            not_logged=self.fact("points_not_logged"),
        )


def _plain(texts: Any) -> Any:
    return texts.cast(pa.string())
