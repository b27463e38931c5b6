"""A further log for a table and day that is archived already: what it is to what is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from audit.nightly.columns import row_texts
from audit.nightly.state import ADDED, HELD, SUPERSEDES
from rules.kit import Pack

#: All its rows are archived, as they are.
KNOWN = "known"


@dataclass(frozen=True)
class Change:
    """One cell that a later log words otherwise. ``column`` is blank where the whole row is new or gone."""

    table: str
    event_id: str
    column: str
    before: str
    after: str

    def as_list(self) -> list[str]:
        return [self.table, self.event_id, self.column, self.before, self.after]


@dataclass(frozen=True)
class Compared:
    """What a log is to what is archived, and, where it supersedes that, what changed row by row."""

    fate: str
    changes: Sequence[Change] = field(default_factory=list)


def compare(pack: Pack, table: str, archived: Any, arrived: Any) -> Compared:
    """Hold the rows that arrived for one table and day against those that are archived.

    No id in common: they are added. All that is archived and perhaps more: they supersede it, unless nothing is new.
    A part of what is archived, word for word: they are known. Anything else is held.
    """
    before, after = _keys(pack, archived), _keys(pack, arrived)
    common = before.keys() & after.keys()
    if not {key[0] for key in before} & {key[0] for key in after}:
        return Compared(ADDED)
    if before.keys() - after.keys():
        subset = len(common) == len(after) and not _changed(pack, table, archived, arrived, before, after)
        return Compared(KNOWN if subset else HELD)
    return superseding(pack, table, archived, arrived)


def superseding(pack: Pack, table: str, archived: Any, arrived: Any) -> Compared:
    """What changes where the rows that arrived are to stand instead of those that are archived."""
    before, after = _keys(pack, archived), _keys(pack, arrived)
    changes = _changed(pack, table, archived, arrived, before, after)
    changes += [Change(table, key[0], "", "", "+") for key in after if key not in before]
    changes += [Change(table, key[0], "", "+", "") for key in before if key not in after]
    return Compared(SUPERSEDES if changes else KNOWN, changes)


def _keys(pack: Pack, table: Any) -> dict[tuple[str, int], int]:
    """The place of each row, by its id and the how-many-eth of that id it is."""
    seen: Counter[str] = Counter()
    keys = {}
    for row, text in enumerate(table[pack.roles.event_id].cast(pa.string()).to_pylist()):
        keys[text, seen[text]] = row
        seen[text] += 1
    return keys


def _changed(
    pack: Pack,
    table: str,
    archived: Any,
    arrived: Any,
    before: dict[tuple[str, int], int],
    after: dict[tuple[str, int], int],
) -> list[Change]:
    """Cells of the rows that both have which differ."""
    common = [key for key in after if key in before]
    old = archived.take(pa.array([before[key] for key in common], pa.int64()))
    new = arrived.take(pa.array([after[key] for key in common], pa.int64()))
    names = [column.name for column in pack.columns] + ["cells_unreadable"]
    old_texts, new_texts = row_texts(old, names), row_texts(new, names)
    found = []
    for name in names:
        if old_texts[name].equals(new_texts[name]):
            continue
        for key, was, now in zip(common, old_texts[name].to_pylist(), new_texts[name].to_pylist(), strict=True):
            if was != now:
                found.append(Change(table, key[0], name, was, now))
    return sorted(found, key=lambda change: (change.event_id, change.column))
