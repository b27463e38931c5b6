"""All events of an audit as one batch, for packs that look at games whole, whatever files and runs they stand in."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from audit.reading.events import Events
from rules.batch import STORED, Batch


def whole_batch(events: Events) -> Batch:
    """One batch of all events; a column that a file does not have is unknown there."""
    blocks = [stored.loaded() for stored in events.blocks]
    arrays = {}
    for column in events.pack.columns:
        if any(column.name in stored.arrays for stored in blocks):
            kind = pa.string() if column.name == events.pack.roles.event_id else STORED[column.kind.value]
            parts = [
                stored.arrays[column.name] if column.name in stored.arrays else pa.nulls(stored.size, kind)
                for stored in blocks
            ]
            arrays[column.name] = pa.concat_arrays(parts)
    bad: dict[str, list[np.ndarray[tuple[int], np.dtype[np.int64]]]] = {}
    for stored in blocks:
        for name, rows in stored.unreadable.items():
            bad.setdefault(name, []).append(rows + stored.start)
    return Batch(
        events.pack,
        0,
        events.size,
        arrays,
        {name: np.concatenate(rows) for name, rows in bad.items()},
        frozenset().union(*(record.logged for record in events.files)),
        events.numbers_in_force,
        logged_of_file=tuple(record.logged for record in events.files),
        columns_of_file=tuple(record.columns for record in events.files),
        file_of=events.file_of,
        texts_of=events.text_column,
    )
