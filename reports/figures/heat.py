"""Findings by table and by hour: a square in each cell, larger for more, with the number in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reports.figures.dice import Say
from rules import drawing as d
from rules.sections import Figure

_NAMES, _TOTALS, _CELL = 92.0, 34.0, 15.0


def by_table_and_hour(
    tables: Sequence[str], hours: Sequence[int], counts: Mapping[tuple[int, int], tuple[int, int]], say: Say, shows: str
) -> Figure:
    """``counts``: of a table and hour (by their places) all findings and those that are violations."""
    pitch = min(22.0, (d.WIDTH - _NAMES - _TOTALS) / max(len(hours), 1))
    most = max((both[0] for both in counts.values()), default=1)
    top = 12.0
    bottom = top + _CELL * len(tables)
    right = _NAMES + pitch * len(hours)
    body: list[str] = []
    squares = {d.RED: "", d.LINE: ""}
    lines = f"M0 {d.number(bottom)}H{d.number(right + _TOTALS - 4)}"
    for place, hour in enumerate(hours):
        body.append(d.text(_NAMES + pitch * (place + 0.5), 8, f"{hour:02d}", 6.6, "middle", fill=d.SOFT))
    body.append(d.text(right + _TOTALS - 4, 8, say("columns", "total"), 6.6, "end", fill=d.SOFT))
    for row, name in enumerate(tables):
        y = top + _CELL * row
        lines += f"M0 {d.number(y)}H{d.number(right + _TOTALS - 4)}"
        body.append(d.text(0, y + 10, d.fitted(name, _NAMES - 6, 7.4), 7.4))
        own = 0
        for column in range(len(hours)):
            every, grave = counts.get((row, column), (0, 0))
            own += every
            if every:
                color = d.RED if grave else d.LINE
                way, said = _cell(_NAMES + pitch * (column + 0.5), y + _CELL / 2, every, grave > 0, most)
                squares[color] += way
                body.append(said)
        body.append(d.text(right + _TOTALS - 4, y + 10, f"{own:,}", 7.4, "end", True))
    for column in range(len(hours)):
        own = sum(counts.get((row, column), (0, 0))[0] for row in range(len(tables)))
        if own:
            body.append(d.text(_NAMES + pitch * (column + 0.5), bottom + 10, f"{own:,}", 6.8, "middle", True))
    squares[d.RED] += d.box_way(0, bottom + 15.6, 6.6, 6.6)
    body.append(d.text(9, bottom + 21.4, say("figures", "with_violation"), 6.6, fill=d.SOFT))
    under = [d.path(lines, "none", d.LINE, 0.6), *(d.path(way, color) for color, way in squares.items() if way)]
    return d.figure(right + _TOTALS, bottom + 26, [*under, *body], shows)


def _cell(x: float, y: float, every: int, dark: bool, most: int) -> tuple[str, str]:
    """The square's way and its number: dark where a violation is among them, else tinted with a dark number."""
    side = _CELL * (0.62 + 0.34 * (every / most) ** 0.5)
    said = f"{every:,}" if every < 1000 else "999+"
    size = 6.8 if every < 100 else 5.6
    number = d.text(x, y + 2.4, said, size, "middle", True, d.PAPER if dark else d.INK)
    return d.box_way(x - side / 2, y - side / 2, side, side, 1.5), number
