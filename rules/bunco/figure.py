"""An evening as a drawing: tables and teams round by round, who moved where, and the head table's way to the bell.

Black on white: a winner is set bold and marked by a full disc, a team at a wrong place by a broken line and a square.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from rules.bunco.corrected import HeadLine, Shown, TableRound

INK, SOFT, LINE, TINT, ACCENT = "#1b2430", "#56616f", "#c9d0d8", "#f2f4f7", "#1f4e79"
WIDTH = 680
_LEFT = 52
_CARD, _PITCH, _GAP = 40, 54, 26
_HEAD_HEIGHT = 74
#: Rounds side by side; further ones stand in a further drawing.
ROUNDS = 6
_LETTER = 3.9


@dataclass(frozen=True)
class Labels:
    """The few words in the drawing."""

    round: str
    head: str
    table: str
    head_points: str


def _text(x: float, y: float, text: str, **style: object) -> str:
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str = LINE, width: float = 0.8, dash: str = "") -> str:
    broken = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{broken}/>'
    )


def _fitted(text: str, width: float) -> str:
    letters = max(3, int(width / _LETTER))
    return text if len(text) <= letters else text[: letters - 1] + "…"


class Drawing:
    """One drawing of up to six rounds. ``names``: how players are called; ``wrong``: teams at a wrong place, as round,
    table and side, after which the drawing marks the way."""

    def __init__(
        self, evening: Shown, rounds: list[int], names: list[str], labels: Labels, wrong: Iterable[tuple[int, int, int]]
    ) -> None:
        self.rounds, self.names, self.labels = rounds, names, labels
        self.tables = {(one.round, one.table): one for one in evening.tables if one.round in rounds}
        self.heads = {line.round: line for line in evening.head}
        self.numbers = sorted({table for _, table in self.tables})
        self.rows: Mapping[int, int] = {table: place for place, table in enumerate(self.numbers)}
        self.pitch = (WIDTH - _LEFT) / max(len(rounds), 4)
        self.wide = self.pitch - _GAP
        self.wrong = set(wrong)

    @property
    def _height(self) -> float:
        return 26 + len(self.numbers) * _PITCH + (_HEAD_HEIGHT + 22 if self._has_heads else 0)

    @property
    def _has_heads(self) -> bool:
        return any(number in self.heads for number in self.rounds)

    def _x(self, number: int) -> float:
        return _LEFT + self.rounds.index(number) * self.pitch

    def _y(self, table: int, side: int) -> float:
        """The middle of a team's line."""
        return 26 + self.rows[table] * _PITCH + 12 + side * 17

    def svg(self) -> str:
        """The markup."""
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self._height:.0f}" '
            f'font-family="Source Sans Pro, Source Sans 3, sans-serif" font-size="8.2" fill="{INK}">'
        ]
        parts += self._frame()
        parts += [mark for one in self.tables.values() for mark in self._ways(one)]
        parts += [mark for one in self.tables.values() for mark in self._card(one)]
        if self._has_heads:
            parts += self._head_lines()
        return "".join([*parts, "</svg>"])

    def _frame(self) -> list[str]:
        parts = [
            _text(self._x(number), 13, self.labels.round.format(number=number), fill=SOFT, font_weight=600)
            for number in self.rounds
        ]
        for table in self.numbers:
            name = self.labels.head if table == 1 else self.labels.table.format(number=table)
            y = 26 + self.rows[table] * _PITCH + _CARD / 2 + 3
            parts.append(_text(0, y, name, fill=ACCENT if table == 1 else SOFT, font_weight=600))
        return parts

    def _card(self, one: TableRound) -> list[str]:
        x, y = self._x(one.round), 26 + self.rows[one.table] * _PITCH
        edge = ACCENT if one.table == 1 else LINE
        parts = [
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{self.wide:.1f}" height="{_CARD}" rx="3" fill="#ffffff" '
            f'stroke="{edge}" stroke-width="{1.2 if one.table == 1 else 0.8}"/>'
        ]
        for place, side in enumerate(one.sides):
            middle = self._y(one.table, place)
            who = " ".join(self.names[player] for player in side.people)
            score = "" if side.written is None else str(side.written)
            corrected = side.due is not None and side.written is not None and side.due != side.written
            score += f" ({side.due})" if corrected else ""
            weight = 700 if side.won else 400
            full = INK if side.won else "#ffffff"
            parts.append(
                f'<circle cx="{x + 6:.1f}" cy="{middle - 2.8:.1f}" r="2.4" fill="{full}" stroke="{INK}" '
                'stroke-width="0.8"/>'
            )
            room = self.wide - 14 - len(score) * 4.4
            parts.append(_text(x + 11, middle, _fitted(who, room), font_weight=weight))
            parts.append(_text(x + self.wide - 4, middle, score, text_anchor="end", font_weight=weight))
        return parts

    def _ways(self, one: TableRound) -> list[str]:
        """From a team's place to where its players sit next."""
        if one.round + 1 not in self.rounds:
            return []
        parts = []
        for place, side in enumerate(one.sides):
            for to in side.goes:
                landing = self.tables.get((one.round + 1, to))
                if landing is None:
                    continue
                here = next((n for n, s in enumerate(landing.sides) if set(s.people) & set(side.people)), 0)
                x1, y1 = self._x(one.round) + self.wide, self._y(one.table, place) - 2.8
                x2, y2 = self._x(one.round + 1), self._y(to, here) - 2.8
                bad = (one.round, one.table, place) in self.wrong
                colour, width = (INK, 1.6) if bad else (SOFT, 0.9) if to != one.table else (LINE, 0.9)
                dash = ' stroke-dasharray="3 2"' if bad else ""
                bend = (x2 - x1) * 0.5
                parts.append(
                    f'<path d="M{x1:.1f} {y1:.1f}C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}" '
                    f'fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>'
                )
                if bad:
                    parts.append(f'<rect x="{x2 - 4:.1f}" y="{y2 - 2.5:.1f}" width="5" height="5" fill="{INK}"/>')
        return parts

    def _head_lines(self) -> list[str]:
        """Below each round the running totals of the head table's two teams, its target and the bell."""
        top = 26 + len(self.numbers) * _PITCH + 14
        parts = [
            _text(0, top + 12, self.labels.head, fill=ACCENT, font_weight=600),
            _text(0, top + 22, self.labels.head_points, fill=SOFT),
        ]
        for number in self.rounds:
            if number in self.heads:
                parts += self._head_line(self.heads[number], self._x(number), top)
        return parts

    def _head_line(self, line: HeadLine, x: float, top: float) -> list[str]:
        points = [(0, 0), *line.written]
        most = max(line.target + 2, *(max(pair) for pair in points))
        least = min(0, *(min(pair) for pair in points))
        step = self.wide / max(len(points) - 1, 1)

        def y(total: float) -> float:
            return top + _HEAD_HEIGHT - 8 - (total - least) / (most - least) * (_HEAD_HEIGHT - 16)

        parts = [
            _line(x, y(0), x + self.wide, y(0)),
            _line(x, y(line.target), x + self.wide, y(line.target), ACCENT, 0.8, "1 2"),
            _text(x + self.wide + 2, y(line.target) + 2.6, str(line.target), fill=ACCENT, font_size=7),
        ]
        for side, (colour, width, dash) in enumerate(((INK, 1.3, ""), (SOFT, 1.1, "3 1.6"))):
            path = "".join(
                f"{'M' if n == 0 else 'H'}{x + n * step:.1f}"
                + (f" {y(pair[side]):.1f}" if n == 0 else f"V{y(pair[side]):.1f}")
                for n, pair in enumerate(points)
            )
            broken = f' stroke-dasharray="{dash}"' if dash else ""
            parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{broken}/>')
        if line.rung >= 0:
            at = x + min(line.rung, len(points) - 1) * step
            parts.append(_line(at, y(least), at, top + 6, ACCENT, 0.8))
            parts.append(_bell(at, top + 3))
        return parts


def _bell(x: float, y: float) -> str:
    """A small bell."""
    return (
        f'<path d="M{x - 3.6:.1f} {y + 2.6:.1f}c1.4 -1.2 0.8 -5.4 3.6 -5.4s2.2 4.2 3.6 5.4z" fill="{ACCENT}"/>'
        f'<circle cx="{x:.1f}" cy="{y + 3.8:.1f}" r="1.1" fill="{ACCENT}"/>'
    )
