"""Drawings put on a page as they stand in ``rules.drawing``: ways, lines of type, and either turned about a point.

The renderer knows all of SVG, asks every element for everything it might have, and sets type letter by letter. What
is drawn here is all that a drawing of ours can have; anything else raises RuntimeError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import cos, inf, radians, sin
from types import SimpleNamespace
from typing import Any
from xml.etree.ElementTree import Element

_SVG = "{http://www.w3.org/2000/svg}"
_STEP = re.compile(r"([a-zA-Z])([^a-zA-Z]*)")
_NUMBER = re.compile(r"-?[0-9.]+")
_SPACES = re.compile("[ \t\r\n]+")  # of which, as on a web page, several are one
_TURNED = re.compile(r"rotate\((-?[0-9.]+) (-?[0-9.]+) (-?[0-9.]+)\)")
_CAPS = {"butt": b"0", "round": b"1", "square": b"2"}
#: Pixels of the renderer in a point.
_PIXELS = 4 / 3


class Painter:
    """Makes drawings of one document; what is set once is not set again."""

    def __init__(self) -> None:
        self._set: dict[tuple[str, ...], tuple[Any, float]] = {}

    def drawing(self, tree: Element, _url: str, _fetcher: Any, context: Any) -> Drawing:
        """An image in the sense of the renderer, of the markup of ``rules.drawing.figure``."""
        return Drawing(self, tree, context)

    def line_of_type(self, said: str, family: str, weight: str, size: str, context: Any) -> tuple[Any, float]:
        """The line as the renderer draws it, and how wide it is."""
        key = said, family, weight, size
        if key not in self._set:
            self._set[key] = _line(said, family, int(weight), float(size), context)
        return self._set[key]


def _line(said: str, family: str, weight: int, size: float, context: Any) -> tuple[Any, float]:
    from weasyprint.css.properties import INITIAL_VALUES
    from weasyprint.svg.text import Style
    from weasyprint.text.line_break import split_first_line

    style = Style(INITIAL_VALUES)
    style.font_config = context.font_config
    names = [name.strip() for name in family.split(",")]
    style.update(font_family=names, font_weight=weight, font_size=size)
    layout, _, _, width, _, _ = split_first_line(said, style, context, inf, 0)
    return SimpleNamespace(text=said, style=style, pango_layout=layout), width


class Drawing:
    """One drawing, in the place of the renderer's own images of SVG."""

    def __init__(self, painter: Painter, tree: Element, context: Any) -> None:
        self._painter, self._tree, self._context = painter, tree, context
        self._width, self._height = (float(tree.attrib[name].removesuffix("pt")) for name in ("width", "height"))

    def get_intrinsic_size(self, _resolution: float, _font_size: float) -> tuple[float, float, float]:
        """Width and height in pixels, and their ratio."""
        return self._width * _PIXELS, self._height * _PIXELS, self._width / self._height

    def draw(self, stream: Any, width: float, height: float, _style: Any) -> None:
        """Put it on the page, ``width`` times ``height`` pixels large."""
        stream.transform(a=width / self._width, d=height / self._height)
        self._elements(stream, self._tree, self._tree.attrib["font-family"])

    def _elements(self, stream: Any, group: Element, family: str) -> None:
        state: dict[bytes, bytes] = {}  # how things are painted until it is said otherwise
        for element in group:
            match element.tag.removeprefix(_SVG):
                case "path":
                    stream.stream.append(b" ".join((*_changes(state, _manner(element)), _way(element.attrib["d"]))))
                    stream.stream.append(_paint(element))
                case "text":
                    self._type(stream, element, family, state)
                case "g":
                    with stream.stacked():
                        stream.transform(*_turn(element.attrib["transform"]))
                        self._elements(stream, element, family)
                case "title":
                    pass
                case other:
                    raise RuntimeError(f"no element of a drawing: {other}")

    def _type(self, stream: Any, element: Element, family: str, state: dict[bytes, bytes]) -> None:
        from weasyprint.draw.text import draw_first_line
        from weasyprint.matrix import Matrix

        said = _SPACES.sub(" ", element.text or "").strip(" ")
        if not said:
            return
        get = element.attrib.get
        weight, size = get("font-weight", "400"), element.attrib["font-size"]
        line, width = self._painter.line_of_type(said, family, weight, size, self._context)
        x = float(element.attrib["x"]) - width * {"middle": 0.5, "end": 1.0}.get(get("text-anchor", ""), 0.0)
        stream.stream.extend(_changes(state, {b"rg": _color(element.attrib["fill"])}))
        stream.begin_text()
        draw_first_line(stream, line, "none", "none", Matrix(d=-1, e=x, f=float(element.attrib["y"])))
        stream.end_text()


def _changes(state: dict[bytes, bytes], wanted: dict[bytes, bytes]) -> Iterator[bytes]:
    """What must be said, by its operator, for things to be as wanted."""
    for operator, value in wanted.items():
        if state.get(operator) != value:
            state[operator] = value
            yield value + b" " + operator


def _manner(path: Element) -> dict[bytes, bytes]:
    """How a way is painted."""
    get, manner = path.attrib.get, {}
    if get("fill") != "none":
        manner[b"rg"] = _color(path.attrib["fill"])
    if get("stroke"):
        dash, cap = get("stroke-dasharray", ""), get("stroke-linecap", "butt")
        manner |= {
            b"RG": _color(path.attrib["stroke"]),
            b"w": get("stroke-width", "1").encode(),
            b"d": b"[%b] 0" % dash.encode(),
            b"J": _CAPS[cap],
            b"M": b"4",
        }
    return manner


def _paint(path: Element) -> bytes:
    """The operator that fills a way, strokes it, or both."""
    filled, stroked = path.attrib.get("fill") != "none", bool(path.attrib.get("stroke"))
    return b"B" if filled and stroked else b"S" if stroked else b"f"


@lru_cache(maxsize=64)
def _color(code: str) -> bytes:
    """Red, green and blue, 0 to 1, of ``#rrggbb``."""
    return b" ".join(b"%g" % round(int(code[at : at + 2], 16) / 255, 4) for at in (1, 3, 5))


def _turn(transform: str) -> tuple[float, ...]:
    """The matrix of a turn, in degrees, about a point."""
    match = _TURNED.fullmatch(transform)
    if match is None:
        raise RuntimeError(f"no turn of a drawing: {transform}")
    degrees, x, y = map(float, match.groups())
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return c, s, -s, c, x - x * c + y * s, y - x * s - y * c


@lru_cache(maxsize=1024)
def _way(written: str) -> bytes:
    """The steps of a way as the page has them; dice of one shape stand in many drawings."""
    steps: list[str] = []
    x = y = 0.0
    bend = 0.0, 0.0  # from the last curve's second handle to its end
    for step, numbers in _STEP.findall(written):
        n = [float(number) for number in _NUMBER.findall(numbers)]
        if step == "q":
            n = [n[0] * 2 / 3, n[1] * 2 / 3, (n[0] * 2 + n[2]) / 3, (n[1] * 2 + n[3]) / 3, n[2], n[3]]
        elif step == "s":
            n = [*bend, *n]
        match step:
            case "z":
                steps.append("h")
            case "c" | "s" | "q":
                steps.append(f"{_points(x + n[0], y + n[1], x + n[2], y + n[3], x + n[4], y + n[5])} c")
                x, y, bend = x + n[4], y + n[5], (n[4] - n[2], n[5] - n[3])
            case "M" | "L":
                x, y = n
            case "m" | "l":
                x, y = x + n[0], y + n[1]
            case "H":
                x = n[0]
            case "V":
                y = n[0]
            case "h":
                x += n[0]
            case "v":
                y += n[0]
            case _:
                raise RuntimeError(f"no step of a drawing: {step}")
        if step in "Mm":
            steps.append(f"{_points(x, y)} m")
        elif step in "LlHhVv":
            steps.append(f"{_points(x, y)} l")
    return "\n".join(steps).encode()


def _points(*numbers: float) -> str:
    return " ".join([f"{number:.3f}".rstrip("0").rstrip(".") for number in numbers])
