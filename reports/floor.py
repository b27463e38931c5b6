"""``floor.pdf``: one page for each site and day, for the floor manager before the shift."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from audit.days import TableDay, days_of
from audit.record import RunRecord
from reports.model import Report
from reports.pdf import print_environment, print_style
from reports.rendering import render
from reports.text import cut, number
from rules.kit import Disposition
from rules.sections import Figure

#: Pages: the latest sites' days; the report counts the others.
SHEETS = 31
#: Tables whose day is drawn on the page: those with the most findings.
TABLES = 6
#: Points of a page's height for what is to be followed up and the drawing, and of one row.
_ROOM, _ROW, _DRAWING = 500.0, 28.7, 34.0
_NAME, _TITLE = 24, 66


@dataclass(frozen=True)
class ToDo:
    """One thing to follow up: where, when, what, with whom, and where to see it."""

    disposition: str
    table: str
    when: str
    what: str
    which: str
    person: str
    camera: str


@dataclass(frozen=True)
class Sheet:
    """One page."""

    site: str
    day: str
    happened: str
    found: Sequence[tuple[str, str]]
    figure: Figure | None
    undrawn: str
    rows: Sequence[ToDo]
    showing: str

    @property
    def filmed(self) -> bool:
        """A camera's time is named somewhere."""
        return any(row.camera for row in self.rows)


class Floor:
    """What the pages say. ``room``: the share of a page's rows that is used, less where the rows turned out high."""

    def __init__(self, record: RunRecord, room: float = 1.0) -> None:
        self.report, self.record, self.room = Report(record), record, room
        self.say = self.report.say

    @cached_property
    def _days(self) -> list[tuple[str, str, list[TableDay]]]:
        """Each site and day with its tables."""
        grouped = groupby(self.record.days, key=lambda each: (each.site, each.day))
        return sorted(((site, day, list(own)) for (site, day), own in grouped), key=lambda d: (d[1], d[0]))

    @property
    def omitted(self) -> str:
        """That earlier days have no page, if so."""
        count = len(self._days)
        return self.say("floor", "omitted", shown=SHEETS, all=count) if count > SHEETS else ""

    @cached_property
    def sheets(self) -> list[Sheet]:
        return [self._sheet(site, day, own) for site, day, own in self._days[-SHEETS:]]

    def _sheet(self, site: str, day: str, own: Sequence[TableDay]) -> Sheet:
        say = self.say
        drawn = sorted((each for each in own if each.course), key=lambda each: each.gravity, reverse=True)[:TABLES]
        drawn.sort(key=lambda each: each.table)
        figure = self.report.pictures.timeline(drawn) if drawn else None
        high = 29.0 * len(drawn) + _DRAWING if drawn else 0.0
        room = max(4, int((_ROOM - high) / _ROW * self.room))
        every = self._of(site, day)
        rows = [self._todo(row, day) for row in _gravest(every, room)]
        count = every.num_rows
        undrawn = [each for each in own if each not in drawn] if figure else []
        return Sheet(
            site=cut(site, 60) or self.record.pack.catalogue.text("title"),
            day=day,
            happened=self._happened(own),
            found=self._found(own),
            figure=figure,
            undrawn=self.report.pictures.left_out("floor", "undrawn", undrawn) if undrawn else "",
            rows=rows,
            showing=say("floor", "showing", shown=len(rows), all=count) if count > len(rows) else "",
        )

    def _happened(self, own: Sequence[TableDay]) -> str:
        pack, words = self.record.pack, self.report.words
        rulings = [
            f"{number(count)} {words.value('ruling', ruling)}"
            for ruling in pack.rulings[1:]
            if (count := sum(each.rulings.get(ruling, 0) for each in own))
        ]
        speaker = self.report.speaker
        counts = {
            "events_said": speaker.events(sum(each.events for each in own)),
            "places_said": speaker.places(len({each.table for each in own})),
        }
        return self.say("floor", "happened" if rulings else "happened_plain", **counts, rulings=", ".join(rulings))

    def _found(self, own: Sequence[TableDay]) -> list[tuple[str, str]]:
        counts = {d.value: sum(each.findings.get(d.value, 0) for each in own) for d in Disposition}
        return [(d, self.report.speaker.counted(d, count)) for d, count in counts.items() if count]

    def _of(self, site: str, day: str) -> Any:
        """The findings of a site and day."""
        table = self.record.findings
        here = pc.equal(pc.fill_null(table["site"].cast(pa.string()), ""), site)
        return table.filter(pc.and_(here, pc.equal(self._day_of_each, day)))

    @cached_property
    def _day_of_each(self) -> Any:
        return days_of(self.record.findings, self.record.gaming_day_starts)

    def _todo(self, row: Mapping[str, Any], day: str) -> ToDo:
        part = self.report.words.part(row["part"]) if row["part"] else ""
        line = self.say(
            "findings", "line", file=cut(row["source_file"].rpartition("/")[2], _NAME), line=row["source_line"]
        )
        disposition = self.say("dispositions", row["disposition"])
        return ToDo(
            disposition=row["disposition"],
            table=cut(row["table"] or "", 12),
            when=(row["occurred_at"] or "")[11 if day else 5 : 19].replace("T", " "),
            what=cut(row["title"], _TITLE),
            which=" · ".join(filter(None, (disposition, cut(row["event_id"] or "", _NAME), part, line))),
            person=cut(row["responsible"] or "", 16) or self.say("findings", "nobody"),
            camera=cut(row["evidence"] or "", _NAME),
        )


def _gravest(findings: Any, most: int) -> list[Mapping[str, Any]]:
    """The gravest findings, by table and time; of one disposition each table's first ones before others' next ones."""
    rank = {d.value: place for place, d in enumerate(Disposition)}
    rows: list[dict[str, Any]] = findings.to_pylist()  # they stand by table and time
    turn: Counter[tuple[str, str]] = Counter()
    turns = []
    for place, row in enumerate(rows):
        own = row["disposition"], row["table"] or ""
        turns.append((rank[row["disposition"]], turn[own], place))
        turn[own] += 1
    chosen = sorted(turns)[:most]
    return [rows[place] for _, _, place in sorted(chosen, key=lambda each: (each[0], each[2]))]


def write_floor(record: RunRecord, out: IO[bytes], date: str, paper: str = "letter") -> None:
    """``floor.pdf``. Raises OutputError where a system library is missing."""
    room = 1.0
    while True:
        floor = Floor(record, room)
        made = print_environment()
        css = Markup(print_style(paper, "report.css", "print.css", "floor.css"))
        html = made.get_template("floor.html").render(
            floor=floor, report=floor.report, say=floor.say, css=css, date=date
        )
        content = io.BytesIO()
        pages = render(html, content)
        if pages <= max(1, len(floor.sheets)) or room < 0.2:
            out.write(content.getvalue())
            return
        room *= 0.75  # some row took more lines than rows do
