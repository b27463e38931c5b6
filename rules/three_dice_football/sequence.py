"""Facts that only the whole audit shows: who was rethrown, by whom already, which throw first overran a dice set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rules.numbers import Numbers
from rules.placing import Bools, Carried, Ints, Placing


def _known(array: Any, value: bool) -> Bools:
    """Where a carried fact is known to be ``value``."""
    wanted = array if value else pc.invert(array)
    mask: Bools = wanted.fill_null(False).to_numpy(zero_copy_only=False)
    return mask


def sequence(placing: Placing, carried: Carried, numbers: Numbers) -> dict[str, Any]:
    """Columns over the whole audit, read by the rules of (f) and § 661a.4(d)."""
    return {
        "rethrow_named_later": pa.array(_named_later(placing)),
        "already_replaced": _already_replaced(placing, carried),
        "overdue_before": pa.array(_overdue_before(placing, carried)),
    }


def _named_later(placing: Placing) -> Bools:
    """F4: a later throw at the same table says that it replaces this one."""
    named = np.zeros(len(placing), dtype=bool)
    named[placing.target[placing.names_earlier_here]] = True
    return named


def _already_replaced(placing: Placing, carried: Carried) -> Any:
    """F7: an earlier throw, ruled valid and naming rightly, replaces the same throw; unknown if its ruling is."""
    rows = np.flatnonzero(placing.names_earlier_here)
    rows = rows[np.lexsort((placing.position[rows], placing.target[rows]))]
    ruled_valid = carried.take("ruled_valid", rows)
    valid, not_valid = _known(ruled_valid, True), _known(ruled_valid, False)
    targets = placing.target[rows]
    opens = np.ones(len(rows), dtype=bool)
    opens[1:] = targets[1:] != targets[:-1]
    yes = np.zeros(len(placing), dtype=bool)
    unknown = np.zeros(len(placing), dtype=bool)
    yes[rows] = _before_in_group(valid, opens)
    unknown[rows] = _before_in_group(~valid & ~not_valid, opens) & ~yes[rows]
    return pa.array(yes, mask=unknown)


def _before_in_group(mask: Bools, opens: Bools) -> Bools:
    """For each row whether an earlier row of its group is in ``mask``; groups begin where ``opens``."""
    counts: Ints = np.cumsum(mask) - mask
    starts = np.maximum.accumulate(np.where(opens, np.arange(len(mask)), 0)) if len(mask) else np.arange(0)
    before: Bools = (counts - counts[starts]) > 0
    return before


def _overdue_before(placing: Placing, carried: Carried) -> Bools:
    """S2: an earlier throw at the table already overran the same opening of a dice set."""
    rows = np.flatnonzero(_known(carried.whole("set_overdue"), True) & ~placing.duplicate)
    result = np.zeros(len(placing), dtype=bool)
    if len(rows):
        opened = carried.take("set_opened_at", rows).cast(pa.int64()).to_numpy(zero_copy_only=False)
        order = np.lexsort((placing.position[rows], opened, placing.table[rows]))
        rows, opened = rows[order], opened[order]
        same = np.zeros(len(rows), dtype=bool)
        same[1:] = (placing.table[rows][1:] == placing.table[rows][:-1]) & (opened[1:] == opened[:-1])
        result[rows] = same
    return result
