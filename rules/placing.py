"""Where each event stands among the others: its table's order, its neighbours, gaps, and the event it names.

The arrays cover the whole audit, one entry an accepted row in the order of the files; -1 stands for none.
The pipeline fills them in (``audit.placing``); rules look only at what stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.integer[Any]]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]


class Carried(Protocol):
    """What others see of an event (the pack's ``carried``), over the whole audit."""

    def take(self, name: str, rows: Ints) -> Any:
        """A column's values at ``rows`` (places in the audit); null where a row is negative."""

    def of(self, rows: Ints) -> Callable[[str], Any]:
        """What gives the values at ``rows`` of one column after another."""

    def whole(self, name: str) -> Any:
        """A column's values for all events."""


@dataclass(frozen=True)
class Placing:
    """Order and neighbourhood of all events.

    ``table``: code of site and table. ``position``: rank in the order of its table (comparable within one table only).
    ``time``: microseconds UTC. ``last``/``next``: the neighbours at the table, across gaming days. ``gap_before``:
    rows are missing, or may be, between ``last`` and this one. ``duplicate``: another row with the same id was audited
    instead (LOG-1); ``audited_instead``: of each such row, in their order, which. ``target``: the event that this one
    names, -1 where it names none, -2 where the id is nowhere.
    ``target_set_aside``: that id stands in quarantine.

    For the log's own integrity: ``follows_by_seq``: the same table and day has a row with the next lower ``seq``;
    ``missing_before``: the numbers missing between it and this one, in words; ``backward``: this one is earlier than
    it; ``seq_twice``: its ``seq`` is this one's; ``nameless``: no responsible person is named in a file that names
    them; ``nameless_first``: the first such row of a table and day, and how many there are.

    For packs whose events are judged by game, ``table`` is the code of site and game. ``timed``: its time and that of
    the row before it by ``seq`` are known (of most packs always). ``shares_id``: its id stands on an earlier row as
    well, and yet it is an event of its own.
    """

    table: Ints
    position: Ints
    time: Ints
    last: Ints
    next: Ints
    gap_before: Bools
    duplicate: Bools
    audited_instead: Ints
    target: Ints
    target_set_aside: Bools
    follows_by_seq: Bools
    missing_before: Mapping[int, str]
    backward: Bools
    seq_twice: Bools
    nameless: Bools
    nameless_first: Mapping[int, int]
    timed: Bools
    shares_id: Bools

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def first_at_table(self) -> Bools:
        """The first audited event of its table."""
        return (self.last < 0) & ~self.duplicate

    @cached_property
    def gap_after(self) -> Bools:
        """Rows are missing, or may be, between this one and ``next``."""
        after = np.zeros(len(self), dtype=bool)
        has_next = self.next >= 0
        after[has_next] = self.gap_before[self.next[has_next]]
        return after

    @cached_property
    def names_earlier_here(self) -> Bools:
        """The event names an earlier one at its own table."""
        named = self.target >= 0
        result = np.zeros(len(self), dtype=bool)
        here = np.flatnonzero(named)
        target = self.target[here]
        result[here] = (self.table[target] == self.table[here]) & (self.position[target] < self.position[here])
        return result
