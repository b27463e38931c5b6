"""Combinations of whole numbers: each different one once, and which of them each row is."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.placing import Ints

_ROOM = 1 << 62


def distinct(*columns: Ints) -> tuple[np.ndarray[Any, Any], Ints]:
    """The different combinations, a row for each column, and for every row of the columns the place of its own.

    The columns are mixed into one number, since one sort of numbers is far quicker than one of tuples.
    """
    mixed = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for column in columns:
        low = int(column.min(initial=0))
        width = int(column.max(initial=0)) - low + 1
        if span * width >= _ROOM:
            _, mixed = np.unique(mixed, return_inverse=True)
            span = int(mixed.max(initial=0)) + 1
        mixed = mixed * width + (column - low)
        span *= width
    if span <= 1 << 22:  # few enough to count instead of sorting
        seen = np.flatnonzero(np.bincount(mixed, minlength=1))
        place = np.zeros(int(seen[-1]) + 1 if len(seen) else 1, dtype=np.int64)
        place[seen] = np.arange(len(seen))
        which = place[mixed]
        chosen = np.zeros(len(seen), dtype=np.int64)
        chosen[which[::-1]] = np.arange(len(mixed))[::-1]
    else:
        _, chosen, which = np.unique(mixed, return_index=True, return_inverse=True)
    return np.stack([column[chosen] for column in columns]), which
