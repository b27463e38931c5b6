"""The report's own sections: each evening drawn, its totals and prizes as recorded and as they should be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rules.batch import Batch
from rules.bunco.columns import CATALOGUE, CATEGORIES, FIRST_BUNCO
from rules.bunco.corrected import Shown, TableRound, shown
from rules.bunco.evening import Judged, judged
from rules.bunco.figure import ROUNDS, Drawing, Labels
from rules.bunco.games import rows_of, table_name
from rules.bunco.rows import YES
from rules.sections import Grid, Panel, Section

#: Evenings that a report draws; the others are counted, and said.
SHOWN = 8
#: Rounds of corrections that it lists of one evening.
_LINES = 40


def _say(key: str, **values: Any) -> str:
    return CATALOGUE.text("sections", key).format(**values)


def sections(whole: Batch, cited: frozenset[int]) -> tuple[Section, ...]:
    """Evenings with findings that the report shows, else the first ones. ``cited``: places of those rows."""
    rows, order = rows_of(whole)
    if not len(rows):
        return ()
    game = np.cumsum(rows.opens_game) - 1
    wanted = np.unique(game[np.isin(order, np.fromiter(cited, dtype=np.int64, count=len(cited)))])
    count, with_findings = int(game[-1]) + 1, len(wanted)
    chosen = wanted[:SHOWN] if with_findings else np.arange(min(count, 1 + (count <= SHOWN) * SHOWN))
    keep = np.isin(game, chosen)
    result = judged(rows.part(keep))
    names = whole.texts("game_id").take(whole.column("game_id").array.take(order[keep])).to_pylist()
    note = _say("note") if with_findings <= SHOWN else _say("note_some", shown=SHOWN, count=with_findings)
    panels = [panel for low, high in result.rows.games for panel in _panels(result, low, high, str(names[low]))]
    return (Section(_say("heading"), note, tuple(panels)),) if panels else ()


def _panels(result: Judged, low: int, high: int, name: str) -> Iterator[Panel]:
    evening = shown(result, low, high)
    rounds = sorted({one.round for one in evening.tables})
    for start in range(0, len(rounds), ROUNDS):
        some = rounds[start : start + ROUNDS]
        heading = _say("evening", name=name) if not start else _say("evening_on", name=name)
        drawing = Drawing(evening, some, result.rows.players.names, _labels(), _wrong(result, evening, low, high))
        figure = drawing.figure(_shows(result, evening, some))
        yield Panel(heading, (_say("key"),) if not start else (), figure=figure)
    corrections = _corrections(result, evening)
    if rounds:
        grid = Grid(tuple(_say(f"head_{key}") for key in _HEADS), tuple(corrections[:_LINES]), frozenset({3, 4}))
        sentence = _say("corrected") if corrections else _say("nothing_corrected")
        left_out = len(corrections) - _LINES
        sentences = (sentence, _say("left_out", count=left_out)) if left_out > 0 else (sentence,)
        yield Panel(_say("corrected_heading", name=name), sentences, grid if corrections else None)
    prizes = _prizes(result, low, high)
    if prizes:
        heads = tuple(_say(f"head_{key}") for key in ("prize", "recipient", "value", "best", "has"))
        strong = frozenset(place for place, (_, wrong) in enumerate(prizes) if wrong)
        grid = Grid(heads, tuple(row for row, _ in prizes), frozenset({2, 4}), strong)
        yield Panel(_say("prizes_heading", name=name), (_say("prizes"),), grid)


_HEADS = ("round", "table", "what", "written", "due")


def _labels() -> Labels:
    return Labels(*(CATALOGUE.text("sections", f"label_{key}") for key in ("round", "head", "table", "head_points")))


def _wrong(result: Judged, evening: Shown, low: int, high: int) -> list[tuple[int, int, int]]:
    """Teams that went to a wrong table: those of moves and seats that breach BUN-15 or BUN-16."""
    rows, wrong = result.rows, []
    for code in ("BUN-15", "BUN-16"):
        for row in np.flatnonzero(result.found[code].breach[low:high] == YES).tolist():
            people = set(rows.people(low + row))
            number = int(rows.played[low + row])
            wrong += [
                (one.round, one.table, place)
                for one in evening.tables
                for place, side in enumerate(one.sides)
                if set(side.people) <= people and one.round == number
            ]
    return wrong


def _shows(result: Judged, evening: Shown, rounds: list[int]) -> str:
    """The drawing in words."""
    said = result.rows.players.said
    parts = []
    for one in evening.tables:
        if one.round in rounds:
            teams = [
                _say("alt_team", people=said(s.people), score="?" if s.written is None else s.written)
                for s in one.sides
            ]
            won = said(one.sides[one.recorded].people) if one.recorded >= 0 else _say("nobody")
            parts.append(_say("alt", round=one.round, table=table_name(one.table), teams="; ".join(teams), won=won))
    bells = [
        _say("alt_bell", round=line.round, bell=line.bell)
        for line in evening.head
        if line.round in rounds and line.bell >= 0
    ]
    return " ".join([*parts, *bells])


def _corrections(result: Judged, evening: Shown) -> list[tuple[str, ...]]:
    """Totals, winners and bells that the dice have otherwise than the log."""
    said = result.rows.players.said
    lines: list[tuple[str, ...]] = []
    for one in evening.tables:
        lines += _total_lines(one, said)
        dice, recorded = one.by_the_dice, one.recorded
        if dice >= 0 and recorded >= 0 and dice != recorded:
            teams = [said(one.sides[place].people) for place in (recorded, dice)]
            lines.append((str(one.round), table_name(one.table), _say("winner"), *teams))
    for line in evening.head:
        rung = _say("bell_at", row=line.bell) if line.bell >= 0 else _say("no_bell")
        due = _say("bell_at_roll", row=line.reached_by) if line.reached >= 0 else _say("not_reached")
        if (line.rung >= 0 or line.reached >= 0) and line.rung != line.reached:
            lines.append((str(line.round), table_name(1), _say("bell"), rung, due))
    return sorted(lines, key=lambda row: int(row[0]))


def _total_lines(one: TableRound, said: Any) -> list[tuple[str, ...]]:
    return [
        (
            str(one.round),
            table_name(one.table),
            _say("total", people=said(side.people)),
            str(side.written),
            str(side.due),
        )
        for side in one.sides
        if side.written is not None and side.due is not None and side.written != side.due
    ]


def _prizes(result: Judged, low: int, high: int) -> list[tuple[tuple[str, ...], bool]]:
    """Each prize as recorded and as it should be, and whether it went wrong."""
    rows, said = result.rows, result.rows.players.said
    prizes: list[tuple[tuple[str, ...], bool]] = []
    for row in sorted(row for row in result.prizes if low <= row < high):
        tally = result.prizes[row]
        category = int(rows.category[row])
        best = tally.best if tally.logged else []
        should = said(tuple(best)) if best else _say("cannot_tell") if tally.logged else _say("not_logged")
        most = max(tally.least.values(), default=0) if best and category != FIRST_BUNCO else None
        cells = (
            CATALOGUE.text("values", "category", CATEGORIES[category]),
            said(rows.people(row)),
            str(int(rows.value[row])) if rows.value_known[row] else "",
            should,
            "" if most is None else str(most),
        )
        wrong = any(result.found[code].breach[row] == YES for code in ("BUN-22", "BUN-23"))
        prizes.append((cells, wrong))
    return prizes
