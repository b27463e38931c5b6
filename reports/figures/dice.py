"""The dice of one event: a plan of where each came to rest, and what was called beside the face that counts.

All that is drawn in one style goes into one path: a report has dozens of these, and each element costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rules import drawing as d
from rules.sections import DieSeen, Figure

WIDTH, HEIGHT = 226.0, 62.0
_FACE = 13.0
_LOW, _MID, _HIGH = 0.25, 0.5, 0.75
#: Places of the pips on a face of side 1.
_PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((_MID, _MID),),
    2: ((_LOW, _LOW), (_HIGH, _HIGH)),
    3: ((_LOW, _LOW), (_MID, _MID), (_HIGH, _HIGH)),
    4: ((_LOW, _LOW), (_LOW, _HIGH), (_HIGH, _LOW), (_HIGH, _HIGH)),
    5: ((_LOW, _LOW), (_LOW, _HIGH), (_MID, _MID), (_HIGH, _LOW), (_HIGH, _HIGH)),
    6: ((_LOW, _LOW), (_LOW, _MID), (_LOW, _HIGH), (_HIGH, _LOW), (_HIGH, _MID), (_HIGH, _HIGH)),
}
#: Fill, outline and pips: a red die is dark with white pips, all others are white with dark pips.
_INKS = {"red": (d.RED, d.RED, d.PAPER), "green": (d.PAPER, d.GREEN, d.INK)}
_OTHER = (d.PAPER, d.INK, d.INK)

Say = Callable[..., str]


class _Sheet:
    """Ways by their style, then type."""

    def __init__(self) -> None:
        self.faces: dict[str, str] = {}
        self.pips: dict[str, str] = {}
        self.unknown = ""
        self.strong = ""
        self.under = ""
        self.type: list[str] = []

    def face(self, x: float, y: float, die: DieSeen, value: int | None, unknown: str = "?") -> None:
        """A face with its pips, or with a sign where none is known."""
        if value is None:
            self.unknown += d.box_way(x, y, _FACE, _FACE, 2.4)
            self.type.append(d.text(x + _FACE / 2, y + _FACE / 2 + 2.6, unknown, 7.5, "middle", fill=d.SOFT))
            return
        color = die.color if die.color in _INKS else ""
        pip = _INKS.get(color, _OTHER)[2]
        self.faces[color] = self.faces.get(color, "") + d.box_way(x, y, _FACE, _FACE, 2.4)
        self.pips[pip] = self.pips.get(pip, "") + "".join(
            f"M{d.number(x + a * _FACE)} {d.number(y + b * _FACE)}h0" for a, b in _PIPS[value]
        )

    def drawn(self) -> list[str]:
        parts = []
        for color, way in self.faces.items():
            fill, edge, _ = _INKS.get(color, _OTHER)
            parts.append(d.path(way, fill, edge, 1.0))
        # a stroke without length under a round cap is a dot
        parts += [d.path(way, "none", ink, _FACE * 0.18, stroke_linecap="round") for ink, way in self.pips.items()]
        if self.unknown:
            parts.append(d.path(self.unknown, "none", d.SOFT, 0.6, "1.6 1.4"))
        if self.under:
            parts.append(d.path(self.under, "none", d.INK, 1.6, "2.4 0.8"))
        if self.strong:
            parts.append(d.path(self.strong, "none", d.INK, 1.0))
        return parts + self.type


# The plan of the table: the thrower at the left, the far end at the right

_LEFT, _TOP, _LONG, _BROAD, _RAIL = 2.0, 7.0, 84.0, 46.0, 5.0
_SMALL = 8.0
_FLOOR, _FAR = _TOP + _BROAD - _RAIL, _LEFT + _LONG - _RAIL

#: The table with its rail, the stickperson's bank and the cup; the far end stands out.
_TABLE = (
    d.path(d.box_way(_LEFT, _TOP, _LONG, _BROAD, 9), d.TINT, d.SOFT, 0.8)
    + d.path(d.box_way(_LEFT + _RAIL, _TOP + _RAIL, _LONG - 2 * _RAIL, _BROAD - 2 * _RAIL, 4), d.PAPER, d.LINE, 0.6)
    + d.path(
        "".join(d.disc_way(x, _FLOOR - 3.4, 2.6) for x in (37.0, 40.5, 44.0)) + f"M53 {_FLOOR - 7.5:g}h8l-1.4 7h-5.2z",
        d.PAPER,
        d.SOFT,
        0.6,
    )
    + d.path(f"M{_FAR:g} {_TOP + _RAIL + 3:g}V{_FLOOR - 3:g}", "none", d.INK, 1.8)
)


def _spot(die: DieSeen, place: int) -> tuple[float, float]:
    """The middle of a die on the plan. The log records the kind of place and not the spot."""
    across = 30.0 + 15.0 * place
    match die.rest:
        case "rail":
            return across, _TOP + 1.5
        case "bank":
            return 36.0 + 4.5 * place, _FLOOR - 6.5
        case "cup":
            return 57.0, _FLOOR - 7.5 - 1.5 * place
        case "off_table":
            return _LEFT + _LONG + 8.5, 13.0 + 15.0 * place
        case _:
            return across + 6.0, (23.0, 31.0, 22.0)[place % 3]


def _plan(dice: Sequence[DieSeen], part: str, signs: Sequence[str]) -> list[str]:
    """Where each die lies, and how it went there: to the far end and back, or short of it."""
    ways = below = ring = ""
    bodies: list[str] = []
    for n, die in enumerate(dice):
        if not die.rest:
            continue
        x, y = _spot(die, n)
        fill, edge, pip = _INKS.get(die.color, _OTHER)
        if die.far_end is not None:
            far = f"L{_FAR - 1:g} {d.number(_TOP + _BROAD / 2 + (n - 1) * 9)}" if die.far_end else ""
            ways += f"M{_LEFT + _RAIL + 2:g} {_TOP + _BROAD / 2:g}{far}L{d.number(x)} {d.number(y)}"
        if die.rest in ("cocked", "chips"):
            below += d.disc_way(x + 1.5, y + 2.0, 5.6)
        elif die.rest == "on_die":
            below += d.box_way(x - _SMALL / 2 - 3, y - _SMALL / 2 + 3, _SMALL, _SMALL, 1.4)
        body = d.path(d.box_way(x - _SMALL / 2, y - _SMALL / 2, _SMALL, _SMALL, 1.4), fill, edge, 1.0)
        bodies.append(d.turned(body, 24, x, y) if die.rest == "cocked" else body)
        if signs[n]:
            bodies.append(d.text(x, y + 2.1, signs[n], 6.2, "middle", True, pip))
        if die.part == part:
            ring = d.path(d.disc_way(x, y, 7.6), "none", d.INK, 0.9)
    parts = [_TABLE]
    if ways:
        parts.append(d.path(ways, "none", d.SOFT, 0.4, "1.5 1.5"))
    if below:
        parts.append(d.path(below, d.TINT, d.SOFT, 0.6))
    return [*parts, *bodies, ring]


# What was called and what counts


def _value(faces: tuple[int, ...] | None) -> tuple[int | None, str]:
    """The one number called, or the sign for none, several or not known."""
    if faces is None:
        return None, "?"
    if len(faces) == 1:
        return faces[0], ""
    return None, "/".join(map(str, faces)) or "–"


def throw(
    dice: Sequence[DieSeen], part: str, signs: Sequence[str], heads: Sequence[str], say: Say, shows: str
) -> Figure:
    """The drawing. ``part``: the die that a finding is about, if one; ``signs`` and ``heads``: how each is marked and
    called."""
    sheet = _Sheet()
    first = 138.0
    pitch = (WIDTH - first) / len(dice)
    rows = [("called", 21.6), ("counts", 41.6)]
    if any(die.sides for die in dice):
        rows.append(("rests", 55.6))
    sheet.type += [d.text(first - 8, y, say("figures", key), 6.6, "end", fill=d.SOFT) for key, y in rows]
    for n, die in enumerate(dice):
        x = first + n * pitch + (pitch - _FACE) / 2
        middle = x + _FACE / 2
        strong = die.part == part
        if strong:
            sheet.strong += d.box_way(first + n * pitch + 0.5, 1.0, pitch - 1, HEIGHT - 2, 3)
        head = d.fitted(heads[n], pitch, 6.4)
        sheet.type.append(d.text(middle, 9.5, head, 6.4, "middle", strong, d.INK if strong else d.SOFT))
        called, sign = _value(die.called)
        sheet.face(x, 12.6, die, called, sign)
        sheet.face(x, 32.6, die, die.counts)
        if called is not None and die.counts is not None and called != die.counts:
            sheet.strong += f"M{d.number(middle - 3.6)} 28.1h7.2m0 2h-7.2m5.8 -3.6l-4.4 5.2"  # not equal
        if die.sides:
            said = say("figures", "side") + " " + "/".join(map(str, die.sides))
            sheet.type.append(d.text(middle, 55.6, said, 6.6, "middle", True))
            sheet.under += f"M{d.number(x - 3)} 58.6h{_FACE + 6:g}"
    return d.figure(WIDTH, HEIGHT, [*_plan(dice, part, signs), *sheet.drawn()], shows)
