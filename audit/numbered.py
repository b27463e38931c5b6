"""Gaps between events that all have a running number: a time may be missing, a number never."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc

from audit.reading.events import Events
from audit.set_aside import ANY, SetAside
from rules.placing import Bools, Ints, Placing


def gaps_by_number(seq: Ints, site: Ints, game: Ints, file_of: Ints, last: Ints, aside: Sequence[SetAside]) -> Bools:
    """Events before which others of their game are missing, or may be.

    That is: the number skips; or a row set aside bears a number between the two, or none, and may be of this game. A
    further row of an id is no gap, since its number is that of a row that is there. ``game`` is the code of its name.
    """
    gap = np.zeros(len(seq), dtype=bool)
    after = np.flatnonzero(last >= 0)
    before = last[after]
    found = seq[after] - seq[before] > 1
    for entry in aside:
        if entry.seq >= 0:
            between = (seq[before] < entry.seq) & (entry.seq < seq[after])
        else:
            between = (file_of[before] == entry.file) | (file_of[after] == entry.file)
        if entry.site != ANY:
            between &= site[after] == entry.site
        if entry.table != ANY:
            between &= game[after] == entry.table
        found |= between
    gap[after[found]] = True
    return gap


def rank_by_game(placing: Placing, names: Any, events: Events) -> Ints:
    """The place of each event among all: games by site, first known time and name, each in its own order."""
    games, game = np.unique(placing.table, return_inverse=True)
    first = np.full(len(games), np.iinfo(np.int64).max)
    np.minimum.at(first, game, placing.time)
    name = pc.rank(names, sort_keys="ascending", tiebreaker="dense").to_numpy(zero_copy_only=False)
    codes = events.numbers(events.pack.roles.order)
    rows = np.arange(len(game))
    order = np.lexsort((rows, placing.time, events.numbers(events.pack.roles.seq), name[codes], first[game]))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = rows
    return rank
