"""Local times that occur twice: placed so that each table's own order does not run backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from audit.reading import times
from audit.reading.events import FileRecord, Stored
from audit.reading.profile import Profile
from rules.batch import STORED
from rules.kit import Roles

_MINUTE = 60 * times.MICRO


def settle(roles: Roles, profile: Profile, record: FileRecord, blocks: Sequence[Stored]) -> None:
    """Settle local times that occur twice so that each table's own order does not run backward."""
    zone = profile.timezone
    if zone is None or not record.times_twice or not blocks or roles.time not in blocks[0].arrays:
        return
    hour = 3600 * times.MICRO
    time = _joined(blocks, roles.time)
    _, table = np.unique(
        np.stack([_joined(blocks, roles.site), _joined(blocks, roles.order)]), axis=1, return_inverse=True
    )
    table = table.reshape(-1)
    seq = _joined(blocks, roles.seq)
    wall = time + times.offsets_in(zone, time).astype(np.int64) * _MINUTE
    placed = times.localize(wall, zone)
    twice = placed.twice & np.concatenate([s.local for s in blocks])
    for code in np.unique(table[twice]):
        rows = np.flatnonzero(table == code)
        near = np.isin(wall[rows] // hour, np.unique(wall[rows][twice[rows]] // hour))
        rows = rows[near]
        if (seq[rows] >= 0).all():
            rows = rows[np.argsort(seq[rows], kind="stable")]
        elif len(rows) > 1 and wall[rows[-1]] < wall[rows[0]] and (np.diff(wall[rows]) < 0).mean() > 0.5:
            rows = rows[::-1]
        latest = None
        for row in rows:
            if twice[row] and latest is not None and time[row] < latest:
                time[row] = placed.later[row]
            latest = time[row]
    for name, typed in blocks[0].arrays.items():
        if pa.types.is_timestamp(typed.type) and name != roles.time and not record.times_with_offset:
            _nearest(blocks, name, time, zone)
    at = 0
    for stored in blocks:
        own = time[at : at + stored.size]
        known = stored.arrays[roles.time].is_valid().to_numpy(zero_copy_only=False)
        stored.arrays[roles.time] = pa.array(own, mask=~known).cast(STORED["time"])
        stored.offset = times.offsets_in(zone, own)
        at += stored.size


def _joined(blocks: Sequence[Stored], name: str) -> np.ndarray[Any, Any]:
    parts = []
    for s in blocks:
        array = s.arrays.get(name)
        if array is None:
            parts.append(np.full(s.size, -1, dtype=np.int64))
        else:
            parts.append(array.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False))
    return np.concatenate(parts).copy()


def _nearest(blocks: Sequence[Stored], name: str, time: np.ndarray[Any, Any], zone: Any) -> None:
    """Give the event's other times that occur twice the instant nearer to the event's own."""
    at = 0
    for stored in blocks:
        array = stored.arrays[name]
        known = array.is_valid().to_numpy(zero_copy_only=False)
        instant = array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False).copy()
        wall = instant + times.offsets_in(zone, instant).astype(np.int64) * _MINUTE
        placed = times.localize(wall, zone)
        own = time[at : at + stored.size]
        nearer = placed.twice & (abs(placed.later - own) < abs(placed.instant - own))
        instant[nearer] = placed.later[nearer]
        stored.arrays[name] = pa.array(instant, mask=~known).cast(STORED["time"])
        at += stored.size
