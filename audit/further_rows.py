"""LOG-1: further rows of an id, what stands in them, and what tells one from another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.reading.events import Events
from rules.placing import Placing


def contents(events: Events, ids: Mapping[str, Any], rows: np.ndarray[Any, Any]) -> list[str]:
    """What stands in each row, in every column that the audit reads, as one text. ``ids``: the texts of id columns."""
    texts: dict[int, list[tuple[str, str]]] = defaultdict(list)
    wanted = set(rows.tolist())
    for cell in events.unreadable:
        if cell.row in wanted:
            texts[cell.row].append((cell.column, cell.text))
    result: dict[int, str] = {}
    for stored in events.blocks:
        inside = rows[(rows >= stored.start) & (rows < stored.start + stored.size)]
        if not len(inside):
            continue
        places = pa.array(inside - stored.start)
        arrays = stored.loaded().arrays
        pieces = []
        for column in events.pack.columns:
            array = arrays.get(column.name)
            if array is None:
                pieces.append(pa.array([""] * len(inside), pa.string()))
            elif column.name in ids:
                pieces.append(ids[column.name].take(array.take(places)).fill_null(""))
            else:
                pieces.append(array.take(places).cast(pa.string()).fill_null(""))
        lines = pc.binary_join_element_wise(*pieces, pa.scalar("\x1f")).to_pylist()
        for row, line in zip(inside.tolist(), lines, strict=True):
            result[row] = line + "".join(f"\x1e{name}={text}" for name, text in sorted(texts[row]))
    return [result[row] for row in rows.tolist()]


class FurtherRows:
    """For each further row: whether it is identical to the one that was audited, and what identifies it."""

    def __init__(self, events: Events, ids: Mapping[str, Any], placing: Placing) -> None:
        rows = np.flatnonzero(placing.duplicate)
        both, places = np.unique(np.concatenate([rows, placing.audited_instead]), return_inverse=True)
        texts = contents(events, ids, both)
        own, audited = ([texts[place] for place in part] for part in np.split(places, 2))
        self.identical = {int(row): mine == first for row, mine, first in zip(rows, own, audited, strict=True)}
        self.identity: dict[int, str] = {}
        seen: Counter[str] = Counter()
        order = np.lexsort((rows, placing.time[rows]))
        for place in order:
            text = own[place]
            seen[text] += 1
            digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            self.identity[int(rows[place])] = f"{digest}:{seen[text]}"
