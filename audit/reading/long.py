"""Logs with one row a die, made into ones with one row a throw: ``rest`` of the die ``off1`` becomes ``off1_rest``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from audit import errors
from audit.reading.arrow_cells import as_text_cells
from audit.reading.cells import BLANK_EVERYWHERE
from audit.reading.header import Header, fold_name
from audit.reading.profile import Long
from audit.reading.rowwise import Rows
from audit.reading.typed import Aside


@dataclass
class _Event:
    """One event, as far as its rows have been seen. ``against``: what a later row says otherwise."""

    line: int
    cells: dict[str, str] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)
    raws: list[bytes] = field(default_factory=list)
    against: dict[str, str] = field(default_factory=dict)


def widened(header: Header, long: Long, runs: Iterable[Callable[[], Rows]]) -> Rows:
    """All rows of a log as one row an event, under our own names, in the order of each event's first row.

    What belongs to the event stands on each of its rows: the first recorded value counts, and a later row that says
    otherwise is named.
    """
    return _Widening(header, long).of(runs)


class _Widening:
    def __init__(self, header: Header, long: Long) -> None:
        pack = header.pack
        self._event_id = pack.roles.event_id
        self._dice = {theirs.casefold(): part for theirs, part in long.dice.items()}
        self._dice |= {part.casefold(): part for part in pack.parts if part.casefold() not in self._dice}
        self._die = next(name for name in header.names if fold_name(name) == fold_name(long.die))
        fields = {column.field for column in pack.columns if column.part}
        self._sources = {
            wanted.columns[0].name: [header.names[place] for place in wanted.places]
            for wanted in header.wanted
            if len(wanted.columns) == 1
        }
        self._of_die = {name for name in self._sources if name in fields and name not in pack.by_name}
        self._names = [column.name for column in pack.columns if self._source(column.name, column.field, column.part)]

    def _source(self, name: str, field: str, part: str) -> bool:
        return (field in self._of_die) if part else name in self._sources

    def of(self, runs: Iterable[Callable[[], Rows]]) -> Rows:
        events: dict[str, _Event] = {}
        aside: list[Aside] = []
        joined = 0
        for run in runs:
            rows = run()
            aside += rows.aside
            texts = {name: self._texts(rows, sources) for name, sources in self._sources.items()}
            words = self._texts(rows, [self._die])
            for at in range(len(rows)):
                line, raw = int(rows.lines[at]), rows.raw(at)
                own = {name: cells[at] for name, cells in texts.items()}
                key, part = own.get(self._event_id, ""), self._dice.get(words[at].casefold())
                if key in BLANK_EVERYWHERE:
                    aside.append(Aside(line, errors.no_value(self._event_id), raw))
                    continue
                if part is None or (key in events and part in events[key].parts):
                    reason = errors.no_die(words[at]) if part is None else errors.die_twice(words[at])
                    aside.append(Aside(line, reason, raw))
                    continue
                joined += key in events
                self._take(events.setdefault(key, _Event(line)), own, part, raw)
        return self._rows(list(events.values()), aside, joined)

    @staticmethod
    def _texts(rows: Rows, sources: list[str]) -> list[str]:
        columns = [as_text_cells(rows.columns[name]).fill_null("").to_pylist() for name in sources]
        return [" ".join(cell.strip() for cell in cells).strip() for cells in zip(*columns, strict=True)]

    def _take(self, event: _Event, own: dict[str, str], part: str, raw: bytes) -> None:
        event.parts.add(part)
        event.raws.append(raw)
        for name, text in own.items():
            if name in self._of_die:
                event.cells[f"{part}_{name}"] = text
            elif text not in BLANK_EVERYWHERE and event.cells.setdefault(name, text) != text:
                event.against.setdefault(name, text)

    def _rows(self, events: list[_Event], aside: list[Aside], joined: int) -> Rows:
        columns = {name: pa.array([event.cells.get(name, "") for event in events], pa.string()) for name in self._names}
        against = {
            name: {at: event.against[name] for at, event in enumerate(events) if name in event.against}
            for name in self._names
        }
        lines = np.array([event.line for event in events], dtype=np.int64)
        return Rows(columns, lines, lambda row: b"\n".join(events[row].raws), aside, against=against, joined=joined)
