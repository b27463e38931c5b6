"""An evening as a drawing: tables and teams round by round, who moved where, and the head table's way to the bell.

Black on white: a winner is set bold and marked by a full disc, a team at a wrong place by a broken line and a square.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rules import drawing as d
from rules.bunco.corrected import HeadLine, Shown, TableRound
from rules.sections import Figure

_LEFT, _TOP = 38.0, 18.0
_CARD, _PITCH, _GAP, _LINE = 30.0, 40.0, 20.0, 12.6
_HEAD_HEIGHT = 56.0
_TYPE, _SMALL = 6.6, 6.2
#: Rounds side by side; further ones stand in a further drawing.
ROUNDS = 5


@dataclass(frozen=True)
class Labels:
    """The few words in the drawing."""

    round: str
    head: str
    table: str
    head_points: str


class Drawing:
    """One drawing of up to five rounds. ``names``: how players are called; ``wrong``: teams at a wrong place, as round,
    table and side, after which the drawing marks the way."""

    def __init__(
        self, evening: Shown, rounds: list[int], names: list[str], labels: Labels, wrong: Iterable[tuple[int, int, int]]
    ) -> None:
        self.rounds, self.names, self.labels = rounds, names, labels
        self.tables = {(one.round, one.table): one for one in evening.tables if one.round in rounds}
        self.heads = {line.round: line for line in evening.head}
        self.numbers = sorted({table for _, table in self.tables})
        self.rows: Mapping[int, int] = {table: place for place, table in enumerate(self.numbers)}
        self.pitch = (d.WIDTH - _LEFT) / max(len(rounds), 4)
        self.wide = self.pitch - _GAP
        self.wrong = set(wrong)
        self.layers = d.Layers()

    @property
    def _has_heads(self) -> bool:
        return any(number in self.heads for number in self.rounds)

    def _x(self, number: int) -> float:
        return _LEFT + self.rounds.index(number) * self.pitch

    def _y(self, table: int, side: int) -> float:
        """The middle of a team's line."""
        return _TOP + self.rows[table] * _PITCH + 9 + side * _LINE

    def figure(self, shows: str) -> Figure:
        """The drawing; ``shows`` says the same in words."""
        self._frame()
        for one in self.tables.values():
            self._ways(one)
        for one in self.tables.values():
            self._card(one)
        height = _TOP + len(self.numbers) * _PITCH
        if self._has_heads:
            self._head_lines(height + 10)
            height += _HEAD_HEIGHT + 16
        return d.figure(d.WIDTH, height, self.layers.parts, shows)

    def _frame(self) -> None:
        for number in self.rounds:
            said = self.labels.round.format(number=number)
            self.layers.text(self._x(number), 9, said, _TYPE, bold=True, fill=d.SOFT)
        for table in self.numbers:
            name = self.labels.head if table == 1 else self.labels.table.format(number=table)
            y = _TOP + self.rows[table] * _PITCH + _CARD / 2 + 2
            self.layers.text(0, y, name, _TYPE, bold=True, fill=d.ACCENT if table == 1 else d.SOFT)

    def _card(self, one: TableRound) -> None:
        x, y = self._x(one.round), _TOP + self.rows[one.table] * _PITCH
        head = one.table == 1
        edge, width = (d.ACCENT, 1.0) if head else (d.LINE, 0.6)
        self.layers.way(d.box_way(x, y, self.wide, _CARD, 2.4), d.PAPER, edge, width)
        for place, side in enumerate(one.sides):
            middle = self._y(one.table, place)
            who = " ".join(self.names[player] for player in side.people)
            score = "" if side.written is None else str(side.written)
            corrected = side.due is not None and side.written is not None and side.due != side.written
            score += f" ({side.due})" if corrected else ""
            won = bool(side.won)
            self.layers.way(d.disc_way(x + 5, middle, 1.8), d.INK if won else d.PAPER, d.INK, 0.6, over=True)
            room = self.wide - 14 - d.width_of(score, _TYPE)
            self.layers.text(x + 9, middle + 2.2, d.fitted(who, room, _TYPE), _TYPE, bold=won)
            self.layers.text(x + self.wide - 3, middle + 2.2, score, _TYPE, "end", won)

    def _ways(self, one: TableRound) -> None:
        """From a team's place to where its players sit next."""
        if one.round + 1 not in self.rounds:
            return
        n = d.number
        for place, side in enumerate(one.sides):
            for to in side.goes:
                landing = self.tables.get((one.round + 1, to))
                if landing is None:
                    continue
                here = next((n for n, s in enumerate(landing.sides) if set(s.people) & set(side.people)), 0)
                x1, y1 = self._x(one.round) + self.wide, self._y(one.table, place)
                x2, y2 = self._x(one.round + 1), self._y(to, here)
                bad = (one.round, one.table, place) in self.wrong
                color, width = (d.INK, 1.2) if bad else (d.SOFT, 0.7) if to != one.table else (d.LINE, 0.7)
                across, down = x2 - x1, y2 - y1
                bend = across / 2
                curve = f"M{n(x1)} {n(y1)}c{n(bend)} 0 {n(bend)} {n(down)} {n(across)} {n(down)}"
                self.layers.way(curve, stroke=color, width=width, dash="2.4 1.6" if bad else "")
                if bad:
                    self.layers.way(d.box_way(x2 - 3, y2 - 2, 4, 4), d.INK, over=True)

    def _head_lines(self, top: float) -> None:
        """Below each round the running totals of the head table's two teams, its target and the bell."""
        self.layers.text(0, top + 9, self.labels.head, _TYPE, bold=True, fill=d.ACCENT)
        self.layers.text(0, top + 17, self.labels.head_points, _TYPE, fill=d.SOFT)
        for number in self.rounds:
            if number in self.heads:
                self._head_line(self.heads[number], self._x(number), top)

    def _head_line(self, line: HeadLine, x: float, top: float) -> None:
        points = [(0, 0), *line.written]
        most = max(line.target + 2, *(max(pair) for pair in points))
        least = min(0, *(min(pair) for pair in points))
        step = self.wide / max(len(points) - 1, 1)
        n = d.number

        def y(total: float) -> float:
            return top + _HEAD_HEIGHT - 6 - (total - least) / (most - least) * (_HEAD_HEIGHT - 12)

        self.layers.way(f"M{n(x)} {n(y(0))}h{n(self.wide)}", stroke=d.LINE, width=0.6)
        self.layers.way(f"M{n(x)} {n(y(line.target))}h{n(self.wide)}", stroke=d.ACCENT, width=0.6, dash="0.8 1.5")
        self.layers.text(x + self.wide + 2, y(line.target) + 2, str(line.target), _SMALL, fill=d.ACCENT)
        for side, (color, width, dash) in enumerate(((d.INK, 1.0, ""), (d.SOFT, 0.8, "2.2 1.2"))):
            steps = (f"H{n(x + at * step)}V{n(y(pair[side]))}" for at, pair in enumerate(points))
            self.layers.way(f"M{n(x)} {n(y(points[0][side]))}" + "".join(steps), stroke=color, width=width, dash=dash)
        if line.rung >= 0:
            at = x + min(line.rung, len(points) - 1) * step
            self.layers.way(f"M{n(at)} {n(y(least))}V{n(top + 5)}", stroke=d.ACCENT, width=0.6)
            self._bell(at, top + 2)

    def _bell(self, x: float, y: float) -> None:
        """A small bell."""
        way = f"M{d.number(x - 2.8)} {d.number(y + 2)}c1.1 -0.9 0.6 -4.1 2.8 -4.1s1.7 3.2 2.8 4.1z"
        self.layers.way(way + d.disc_way(x, y + 2.9, 0.9), d.ACCENT)
