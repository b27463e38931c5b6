"""The one visual system of all drawings: inks, type and strokes as SVG markup, for packs and reports alike.

Everything is told twice, by shape or darkness and by color, so that nothing is lost on a black-and-white printer or to
a reader who cannot tell red from green. Lengths are points of the printed page; a drawing is as wide as the text
(``WIDTH``) or stands beside it. Every text is escaped here, and only here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from rules.sections import Figure

INK, SOFT, LINE, TINT, PAPER = "#1b2430", "#56616f", "#c9d0d8", "#f2f4f7", "#ffffff"
#: One dark blue for what leads the eye; of about the darkness of ``SOFT``.
ACCENT = "#1f4e79"
#: Signals: light enough apart from each other to differ in gray (luminance 19 and 30 of 100).
RED, GREEN = "#a32314", "#0b6e4f"

#: The width of the text on a page with the narrowest paper (A4), in points.
WIDTH = 500.0
FONT = "Source Sans Pro, Source Sans 3, system-ui, sans-serif"
#: Width of a letter over the size of the type, on average and with some room.
_LETTER = 0.52


def number(value: float) -> str:
    """A length as it stands in the markup: at most two places, no trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _attributes(values: dict[str, object]) -> str:
    """Attributes with their names spelled the SVG way; those that are blank are left out."""
    parts = []
    for name, value in values.items():
        if value is not None and value != "":
            said = number(value) if isinstance(value, float) else str(value)
            parts.append(f" {name.replace('_', '-')}={quoteattr(said)}")
    return "".join(parts)


def line(x1: float, y1: float, x2: float, y2: float, stroke: str = LINE, width: float = 0.6, dash: str = "") -> str:
    """A straight stroke."""
    return path(
        f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}", fill="none", stroke=stroke, width=width, dash=dash
    )


def path(way: str, fill: str = INK, stroke: str = "", width: float = 0.0, dash: str = "", **more: object) -> str:
    """A way with its fill and stroke: steps ``M L H V m l h v c s q z``, each with its letter; ``M`` follows ``z``."""
    drawn = {"stroke": stroke, "stroke_width": width or None, "stroke_dasharray": dash}
    return f'<path d="{way}"{_attributes({"fill": fill, **drawn, **more})}/>'


def box_way(x: float, y: float, width: float, height: float, r: float = 0.0) -> str:
    """A rectangle as a way, its corners cut round: many of one style make one path, which is drawn much faster."""
    n = number
    if not r:
        return f"M{n(x)} {n(y)}h{n(width)}v{n(height)}h{n(-width)}z"
    return (
        f"M{n(x + r)} {n(y)}h{n(width - 2 * r)}q{n(r)} 0 {n(r)} {n(r)}v{n(height - 2 * r)}q0 {n(r)} {n(-r)} {n(r)}"
        f"h{n(2 * r - width)}q{n(-r)} 0 {n(-r)} {n(-r)}v{n(2 * r - height)}q0 {n(-r)} {n(r)} {n(-r)}z"
    )


def disc_way(x: float, y: float, r: float) -> str:
    """A circle as a way."""
    n, k = number, r * 0.5523
    return (
        f"M{n(x - r)} {n(y)}c0 {n(-k)} {n(r - k)} {n(-r)} {n(r)} {n(-r)}s{n(r)} {n(r - k)} {n(r)} {n(r)}"
        f"s{n(k - r)} {n(r)} {n(-r)} {n(r)}s{n(-r)} {n(k - r)} {n(-r)} {n(-r)}z"
    )


def text(
    x: float, y: float, said: str, size: float = 7.0, anchor: str = "", bold: bool = False, fill: str = INK
) -> str:
    """A line of type; ``y`` is its base, ``anchor`` ``middle`` or ``end`` where it does not start at ``x``."""
    values = {"x": float(x), "y": float(y), "font_size": size, "text_anchor": anchor, "fill": fill}
    return f"<text{_attributes({**values, 'font_weight': 600 if bold else None})}>{escape(said)}</text>"


def fitted(said: str, width: float, size: float) -> str:
    """The text, cut where it would be wider than ``width``."""
    letters = max(2, int(width / (size * _LETTER)))
    return said if len(said) <= letters else said[: letters - 1] + "…"


def width_of(said: str, size: float) -> float:
    """About how wide a line of type is."""
    return len(said) * size * _LETTER


def turned(body: str, degrees: float, x: float, y: float) -> str:
    """The same, turned about a point."""
    return f'<g transform="rotate({number(degrees)} {number(x)} {number(y)})">{body}</g>'


def figure(width: float, height: float, body: Iterable[str], shows: str) -> Figure:
    """The drawing, with what it shows in words for those who do not see it."""
    view = f'viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}pt" height="{number(height)}pt"'
    family = f'font-family="{FONT}"'
    return Figure(
        f'<svg xmlns="http://www.w3.org/2000/svg" {view} {family} role="img">'
        f"<title>{escape(shows)}</title>{''.join(body)}</svg>",
        shows,
    )


# Marks: how a finding looks wherever it stands

#: Gravest first: a full triangle, a full square, an open square, a dot; and the same as characters of the font.
MARKS = {"violation": "▲", "discrepancy": "■", "indeterminate": "☐", "observation": "•"}
_MARK_COLORS = {"violation": RED, "discrepancy": ACCENT, "indeterminate": INK, "observation": SOFT}


def marks(disposition: str, places: Sequence[tuple[float, float]], size: float = 6.0) -> str:
    """The marks of findings of this disposition, the middle of each at its place."""
    if not places:
        return ""
    r = size / 2
    color = _MARK_COLORS.get(disposition, INK)
    if disposition == "violation":
        ways = [f"M{number(x)} {number(y - r)}l{number(r * 1.1)} {number(size)}h{number(-r * 2.2)}z" for x, y in places]
        return path("".join(ways), color)
    if disposition == "discrepancy":
        side = size * 0.82
        return path("".join(box_way(x - side / 2, y - side / 2, side, side) for x, y in places), color)
    if disposition == "indeterminate":
        side = size * 0.72
        return path("".join(box_way(x - side / 2, y - side / 2, side, side) for x, y in places), PAPER, color, 0.9)
    return path("".join(disc_way(x, y, r * 0.5) for x, y in places), color)


def mark(disposition: str, x: float, y: float, size: float = 6.0) -> str:
    """The mark of a finding of this disposition, its middle at ``x``, ``y``."""
    return marks(disposition, [(x, y)], size)


class Layers:
    """A drawing in the making: ways of one style are joined, in the order in which the styles came; type lies on top.

    Ways that are ``over`` others lie above them, whatever came first.

    Each element of a drawing costs as much as dozens of further strokes.
    """

    def __init__(self) -> None:
        self._ways: dict[tuple[bool, str, str, float, str, str], str] = {}
        self._type: list[str] = []

    def way(
        self,
        way: str,
        fill: str = "none",
        stroke: str = "",
        width: float = 0.0,
        dash: str = "",
        cap: str = "",
        over: bool = False,
    ) -> None:
        """Add a way."""
        style = over, fill, stroke, width, dash, cap
        self._ways[style] = self._ways.get(style, "") + way

    def text(
        self, x: float, y: float, said: str, size: float = 6.6, anchor: str = "", bold: bool = False, fill: str = INK
    ) -> None:
        """Add a line of type."""
        self._type.append(text(x, y, said, size, anchor, bold, fill))

    @property
    def parts(self) -> list[str]:
        """The markup."""
        ways = [
            path(way, fill, stroke, width, dash, stroke_linecap=cap)
            for (_, fill, stroke, width, dash, cap), way in sorted(self._ways.items(), key=lambda item: item[0][0])
        ]
        return ways + self._type
