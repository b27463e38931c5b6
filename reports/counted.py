"""Tables of what was counted: by table, by person, by hour."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from audit.record import RunRecord
from audit.tallies import NOT_RECORDED, Tally
from audit.telling import Words
from reports.pieces import Cell, Table, numbers
from reports.text import Speaker, capitalized, cut, number
from rules.kit import Disposition

#: Rows of a table that are printed: those with the most findings; the others are counted, and said.
ROWS = 60
#: Under so many events no rate is given: a single finding would move it by more than one in a hundred.
LEAST = 100
_NAME = 40


class Counted:
    """The tables of tallies of one record."""

    def __init__(self, record: RunRecord, speaker: Speaker, words: Words) -> None:
        self.record, self.speaker, self.words = record, speaker, words
        self.say = speaker.say

    @cached_property
    def names_people(self) -> bool:
        """Somebody is named as responsible somewhere."""
        return any(name for _, name in self.record.tallies.by_responsible)

    @cached_property
    def names_places(self) -> bool:
        return any(site or table for site, table in self.record.tallies.by_place)

    @cached_property
    def by_place(self) -> Table:
        nowhere = self.say("people", "nowhere")
        rows = [((s or nowhere, t or nowhere), tally) for (s, t), tally in sorted(self.record.tallies.by_place.items())]
        heads = (self.say("labels", "facility"), capitalized(self.speaker.own["place"]))
        return self._table(heads, rows)

    @cached_property
    def by_person(self) -> Table:
        nobody = self.say("people", "nobody")
        nowhere = self.say("people", "nowhere")
        tallies = sorted(self.record.tallies.by_responsible.items())
        rows = [((site or nowhere, name or nobody), tally) for (site, name), tally in tallies]
        heads = (self.say("labels", "facility"), capitalized(self.speaker.own["responsible"]))
        return self._table(heads, rows, rate=True)

    @cached_property
    def by_hour(self) -> Table:
        begins = self.record.gaming_day_starts // 60
        hours = sorted(self.record.tallies.by_hour.items(), key=lambda item: (item[0] - begins) % 24)
        rows = [((f"{hour:02d}:00",), tally) for hour, tally in hours]
        return self._table((self.say("columns", "hour"),), rows)

    def _table(self, heads: Sequence[str], rows: Sequence[tuple[Sequence[str], Tally]], rate: bool = False) -> Table:
        pack = self.record.pack
        rulings = (*pack.rulings, NOT_RECORDED) if pack.rulings else ()
        seen = [r for r in rulings if any(tally.rulings.get(r) for _, tally in rows)]
        given = [d for d in Disposition if any(tally.findings.get(d.value) for _, tally in rows)]
        columns = [Cell(head) for head in heads]
        columns.append(Cell(capitalized(self.speaker.own["events"]), number=True))
        columns += [Cell(self.words.value("ruling", ruling), number=True) for ruling in seen]
        columns += [Cell(self.say("dispositions", d.value), number=True) for d in given]
        if rate:
            columns.append(Cell(self.say("people", "rate"), number=True))

        def counts(tally: Tally) -> list[int]:
            by_ruling = [tally.rulings.get(ruling, 0) for ruling in seen]
            return [tally.events, *by_ruling, *(tally.findings.get(d.value, 0) for d in given)]

        kept = set(sorted(range(len(rows)), key=lambda n: (-_found(rows[n][1]), -rows[n][1].events, n))[:ROWS])
        cells = [
            [*(Cell(cut(t, _NAME)) for t in texts), *numbers(*counts(tally)), *([_rate(tally)] if rate else [])]
            for place, (texts, tally) in enumerate(rows)
            if place in kept
        ]
        sums = [sum(column) for column in zip(*(counts(tally) for _, tally in rows), strict=True)]
        total = [Cell(self.say("columns", "total")), *[Cell("")] * (len(heads) - 1), *numbers(*sums)]
        if rate:
            total.append(Cell(""))
        omitted = self.say("people", "omitted", shown=ROWS, all=len(rows)) if len(rows) > ROWS else ""
        return Table(columns, cells, total, omitted)


def _found(tally: Tally) -> int:
    return sum(tally.findings.values())


def _rate(tally: Tally) -> Cell:
    """Findings per hundred events, with no more places than the count bears; a dash where there are too few."""
    if tally.events < LEAST:
        return Cell("–", number=True)
    rate = 100 * _found(tally) / tally.events
    return Cell(f"{rate:.1f} ({number(_found(tally))} / {number(tally.events)})", number=True)
