"""How wide the columns of a printed table of counts are, from the widths of its letters.

The renderer would set every cell several times to find it out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reports.fonts import width
from reports.pieces import Table

#: As the style sheets have it: the size of the type in a table of counts, in points; and in units of that the width of
#: the text, and the space beside a cell, on its two sides together (the first and the last have it on one side).
TYPE = 8.4
LINE, SPACE = 180 / 25.4 * 72 / TYPE, 1.0
#: A name is broken anywhere where it would be wider than this and there is no room.
_NAME = 7.0
#: Type is set this much smaller at most, so that numbers stay apart.
_SMALLEST = 0.6


@dataclass(frozen=True)
class Columns:
    """The columns' shares of the width, in percent, and the size of the type, where it is not that of all tables."""

    shares: Sequence[str]
    size: str


def columns(table: Table, shown: Callable[[str], str]) -> Columns:
    """What a table needs; ``shown`` gives a text as it is printed.

    A number stays whole, and so does a word of a heading; where there is room for more, headings and names do.
    """
    least, most = [], []
    rows = [(row, False) for row in table.rows] + ([(table.total, True)] if table.total else [])
    for at, head in enumerate(table.heads):
        space = SPACE / 2 if at in (0, len(table.heads) - 1) else SPACE
        own = [(shown(row[at].text), row[at].number, bold) for row, bold in rows]
        numbers = [width(text, bold) for text, is_number, bold in own if is_number]
        names = [width(text, bold) for text, is_number, bold in own if not is_number]
        words = [width(word, bold) for text, is_number, bold in own if not is_number for word in text.split()]
        heading = [width(word, bold=True) for word in shown(head.text).split()]
        least.append(max([*heading, *numbers, min(max(words, default=0.0), _NAME)]) + space)
        most.append(max([width(shown(head.text), bold=True), *numbers, *names]) + space)
    size = max(_SMALLEST, min(1.0, LINE / sum(least)))
    room, wished = LINE / size - sum(least), sum(most) - sum(least)
    part = max(0.0, min(1.0, room / wished)) if wished else 0.0
    given = [few + (many - few) * part for few, many in zip(least, most, strict=True)]
    shares = [f"{100 * one / sum(given):.2f}" for one in given]
    return Columns(shares, f"{TYPE * size:.2f}pt" if size < 1 else "")
