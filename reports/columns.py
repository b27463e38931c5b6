"""How wide the columns of a printed table are, from the widths of its letters.

The renderer would set every cell several times to find it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reports.fonts import width
from reports.pieces import Cell, Table

#: In units of the type's size: the width of the text (180 mm in ``print.css``'s size of tables), and of the space
#: between two columns.
_LINE, _SPACE = 180 / 25.4 * 72 / 8.4, 1.0


def shares(table: Table) -> list[str]:
    """The columns' shares of the width, in percent.

    A number stays whole; a heading may be broken between words, and a name too, where there is no room for the longest.
    """
    least, most = _needs(table, _parted), _needs(table, lambda text: [text])
    room, wished = _LINE - sum(least), sum(most) - sum(least)
    part = max(0.0, min(1.0, room / wished)) if wished else 0.0
    given = [few + (all_ - few) * part for few, all_ in zip(least, most, strict=True)]
    return [f"{100 * one / sum(given):.2f}" for one in given]


def _parted(text: str) -> list[str]:
    return text.split() or [""]


def _needs(table: Table, broken: Callable[[str], Iterable[str]]) -> list[float]:
    """What each column needs if texts are broken so."""
    rows = [*((row, False) for row in table.rows), *([(table.total, True)] if table.total else [])]

    def need(at: int, head: Cell) -> float:
        own = [width(piece, bold=True) for piece in broken(head.text)]
        for row, bold in rows:
            pieces = [row[at].text] if row[at].number else broken(row[at].text)
            own += [width(piece, bold) for piece in pieces]
        outer = at in (0, len(table.heads) - 1)
        return max(own) + (_SPACE / 2 if outer else _SPACE)

    return [need(at, head) for at, head in enumerate(table.heads)]
