"""Which drawings the report holds, and what each says in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from audit.days import TableDay
from audit.record import RunRecord
from audit.telling import Words
from reports.figures import dice, heat, timeline
from reports.text import Speaker, cut, number
from rules import drawing
from rules.kit import Disposition, Per
from rules.sections import DieSeen, Figure

#: Tables in one timeline, and rows of the figure by table and hour; the others are counted, and said.
TABLES = 12
ROWS = 20
#: Letters of a facility's name in a heading.
NAME = 60


@dataclass(frozen=True)
class DayDrawn:
    """A site's day with its timeline; ``omitted`` says which tables' courses are not drawn, if some are not."""

    heading: str
    figure: Figure
    omitted: str


class Pictures:
    """The report's drawings, made of what the record has counted."""

    def __init__(self, record: RunRecord, words: Words, speaker: Speaker) -> None:
        self.record, self.words, self.speaker = record, words, speaker
        self.say = speaker.say

    # Each throw

    @cached_property
    def _with_dice(self) -> frozenset[str]:
        """Rules that look at what the drawing of the dice shows."""
        pack = self.record.pack
        return frozenset(
            rule.code for rule in self.record.rules if rule.unit == Per.PART.value or set(rule.needs) & set(pack.drawn)
        )

    def throw(self, finding: Any) -> Figure | None:
        """The dice of a finding's event, if the finding is about dice."""
        seen = self.record.seen.get(finding["row"])
        if seen is None or finding["rule"] not in self._with_dice:
            return None
        heads = [self._short(die) for die in seen]
        signs = [head[-1] if head[-1:].isdigit() else "" for head in heads]
        shows = " ".join([self.say("figures", "throw", event=finding["event_id"]), *map(self._in_words, seen)])
        return dice.throw(seen, finding["part"] or "", signs, heads, self.say, shows)

    def _short(self, die: DieSeen) -> str:
        return str(self.record.pack.catalogue.find("short_parts", die.part) or self.words.part(die.part))

    def _in_words(self, die: DieSeen) -> str:
        say = self.say
        called = "?" if die.called is None else "–" if not die.called else "/".join(map(str, die.called))
        sides = say("figures", "on_side", sides="/".join(map(str, die.sides))) if die.sides else ""
        return say(
            "figures",
            "die",
            die=self.words.part(die.part),
            called=called,
            counts=str(die.counts or "?"),
            rest=(self.words.value("rest", die.rest) if die.rest else "?") + sides,
        )

    # Days

    @property
    def _marked(self) -> list[tuple[str, str]]:
        """The rulings that a timeline marks: all but the usual one."""
        return [(ruling, self.words.value("ruling", ruling)) for ruling in self.record.pack.rulings[1:]]

    def timeline(self, days: Sequence[TableDay], width: float = drawing.WIDTH) -> Figure:
        """The course of some tables' days, all of one site and day."""
        parts = [
            self.say(
                "figures",
                "table_day",
                table=each.table,
                events_said=self.speaker.events(each.events),
                found=self.found(each.findings),
            )
            for each in days
        ]
        shows = " ".join([self.say("figures", "timeline", day=days[0].day), *parts])
        counts = [(self.speaker.events(d.events), self.speaker.findings(sum(d.findings.values()))) for d in days]
        return timeline.day(days, counts, self._marked, self.say, shows, width)

    def found(self, findings: Any) -> str:
        """Findings by disposition in words."""
        counted = [
            f"{number(findings[d.value])} "
            + self.say("dispositions_one" if findings[d.value] == 1 else "dispositions_many", d.value)
            for d in Disposition
            if findings.get(d.value)
        ]
        return ", ".join(counted) or self.say("figures", "no_findings")

    @cached_property
    def timelines(self) -> list[DayDrawn]:
        """A drawing of each site's day of which a table's course is kept."""
        drawn = []
        for (site, day), group in groupby(self.record.days, key=lambda each: (each.site, each.day)):
            every = list(group)
            gravest = sorted((each for each in every if each.course is not None), key=lambda d: d.gravity, reverse=True)
            kept = sorted(gravest[:TABLES], key=lambda each: each.table)
            if kept:
                heading = " · ".join(filter(None, (cut(site, NAME), self.say("figures", "day_heading", date=day))))
                drawn.append(DayDrawn(heading, self.timeline(kept), self._omitted(every, kept)))
        return drawn

    def _omitted(self, every: Sequence[TableDay], kept: Sequence[TableDay]) -> str:
        left = [each for each in every if each not in kept]
        return self.left_out("figures", "tables_omitted", left) if left else ""

    def left_out(self, section: str, key: str, days: Sequence[TableDay]) -> str:
        """That some tables' days are not drawn, and what was found there."""
        found = self.speaker.findings(sum(sum(each.findings.values()) for each in days))
        return self.say(section, key, places_said=self.speaker.places(len(days)), found=found)

    @property
    def days_omitted(self) -> str:
        """That further days are not drawn, if some are not."""
        days = {(each.site, each.day) for each in self.record.days}
        drawn = len(self.timelines)
        return self.say("figures", "days_omitted", shown=drawn, all=len(days)) if drawn < len(days) else ""

    # By table and hour

    @cached_property
    def by_table_and_hour(self) -> Figure | None:
        """Findings by table and hour; nothing where there are none."""
        found = self.record.tallies.found_by_hour
        if not found:
            return None
        sums: dict[tuple[str, str], int] = {}
        for (site, table, _), counts in found.items():
            sums[site, table] = sums.get((site, table), 0) + sum(counts.values())
        ranked = sorted(sums, key=lambda place: (-sums[place], place))[:ROWS]
        places = sorted(ranked)
        begins = self.record.gaming_day_starts // 60
        seen = {(hour - begins) % 24 for (_, _, hour) in self.record.tallies.found_by_hour}
        seen |= {(hour - begins) % 24 for hour in self.record.tallies.by_hour}
        hours = [(hour + begins) % 24 for hour in range(min(seen), max(seen) + 1)]
        violation = Disposition.VIOLATION.value
        cells = {
            (places.index((site, table)), hours.index(hour)): (sum(counts.values()), counts.get(violation, 0))
            for (site, table, hour), counts in found.items()
            if (site, table) in places
        }
        names = [" · ".join(filter(None, place)) or self.say("people", "nowhere") for place in places]
        told = [self.say("figures", "row", name=n, count=sums[p]) for n, p in zip(names, places, strict=True)]
        shows = " ".join([self.say("figures", "by_table_and_hour"), *told])
        return heat.by_table_and_hour(names, hours, cells, self.say, shows)

    @property
    def tables_omitted(self) -> str:
        """That the figure by table and hour leaves tables out, if it does."""
        places = {(site, table) for site, table, _ in self.record.tallies.found_by_hour}
        return self.say("figures", "rows_omitted", shown=ROWS, all=len(places)) if len(places) > ROWS else ""
