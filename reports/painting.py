"""Drawings put on a page as they stand in ``rules.drawing``: ways, lines of type, and either turned about a point.

The renderer knows all of SVG, asks every element for everything it might have, and sets type letter by letter; it
draws what a pack has drawn by other means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import cos, inf, radians, sin
from types import SimpleNamespace
from typing import Any
from xml.etree.ElementTree import Element

_SVG = "{http://www.w3.org/2000/svg}"
_NUMBER = r"-?[0-9]*\.?[0-9]+"
_NUMBERS = re.compile(_NUMBER)
_STEP = re.compile(rf"([a-zA-Z])((?:\s*{_NUMBER})*)\s*")
#: How many numbers each step of a way has.
_SIZES = {"z": 0, "H": 1, "V": 1, "h": 1, "v": 1, "M": 2, "L": 2, "m": 2, "l": 2, "q": 4, "s": 4, "c": 6}
_TURNED = re.compile(rf"rotate\(({_NUMBER}) ({_NUMBER}) ({_NUMBER})\)")
_COLOR = re.compile("#[0-9a-f]{6}")
_LENGTH = re.compile(r"([0-9.]+)pt")
_SPACES = re.compile("[ \t\r\n]+")  # of which, as on a web page, several are one
_CAPS = {"": b"0", "butt": b"0", "round": b"1", "square": b"2"}
_ANCHORS = {"": 0.0, "start": 0.0, "middle": 0.5, "end": 1.0}
#: Pixels of the renderer in a point.
_PIXELS = 4 / 3

#: The attributes that each element may have.
_ROOT = {"viewBox", "width", "height", "font-family", "role"}
_PATH = {"d", "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap"}
_TEXT = {"x", "y", "font-size", "text-anchor", "fill", "font-weight"}


class _OtherError(Exception):
    """A drawing that ``rules.drawing`` has not made."""


@dataclass(frozen=True)
class _Way:
    """A way, how it is painted (by the operators that say so), and the operator that paints it."""

    manner: dict[bytes, bytes]
    steps: bytes
    paint: bytes


@dataclass(frozen=True)
class _Type:
    """A line of type; ``anchor``: which part of its width lies before ``x``."""

    said: str
    family: str
    weight: int
    size: float
    x: float
    y: float
    anchor: float
    color: bytes


@dataclass(frozen=True)
class _Turned:
    matrix: tuple[float, ...]
    parts: list[Any]


class Painter:
    """Makes drawings of one document; what is set once is not set again. ``renderers``: its own images of SVG."""

    def __init__(self, renderers: Callable[..., Any]) -> None:
        self._renderers = renderers
        self._set: dict[tuple[str, str, int, float], tuple[Any, float]] = {}

    def drawing(self, tree: Element, url: str, fetcher: Any, context: Any) -> Any:
        """An image in the sense of the renderer, of a drawing's markup."""
        try:
            return Drawing(self, tree, context)
        except _OtherError:
            return self._renderers(tree, url, fetcher, context)

    def line_of_type(self, line: _Type, context: Any) -> tuple[Any, float]:
        """The line as the renderer draws it, and how wide it is."""
        key = line.said, line.family, line.weight, line.size
        if key not in self._set:
            self._set[key] = _line(*key, context)
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
        self._painter, self._context = painter, context
        _check(tree, _ROOT)
        lengths = [_LENGTH.fullmatch(tree.get(name, "")) for name in ("width", "height")]
        self._width, self._height = (float(length[1]) if length else 0.0 for length in lengths)
        self._family = tree.get("font-family", "")
        view = [float(number) for number in _NUMBERS.findall(tree.get("viewBox", ""))]
        if not self._width or not self._height or not self._family or view != [0.0, 0.0, self._width, self._height]:
            raise _OtherError
        self._parts = list(self._parts_of(tree))

    def get_intrinsic_size(self, _resolution: float, _font_size: float) -> tuple[float, float, float]:
        """Width and height in pixels, and their ratio."""
        return self._width * _PIXELS, self._height * _PIXELS, self._width / self._height

    def draw(self, stream: Any, width: float, height: float, _style: Any) -> None:
        """Put it on the page, ``width`` times ``height`` pixels large."""
        stream.transform(a=width / self._width, d=height / self._height)
        self._put(stream, self._parts)

    def _parts_of(self, group: Element) -> Iterator[_Way | _Type | _Turned]:
        """What stands in a group. Raises _OtherError where it is not one of ours."""
        for element in group:
            match element.tag.removeprefix(_SVG):
                case "path":
                    yield _way(element)
                case "text":
                    line = _type(element, self._family)
                    if line.said:
                        yield line
                case "g":
                    _check(element, {"transform"})
                    yield _Turned(_turn(element.get("transform", "")), list(self._parts_of(element)))
                case "title":
                    pass
                case _:
                    raise _OtherError

    def _put(self, stream: Any, parts: list[Any]) -> None:
        from weasyprint.draw.text import draw_first_line
        from weasyprint.matrix import Matrix

        state: dict[bytes, bytes] = {}  # how things are painted until it is said otherwise
        for part in parts:
            match part:
                case _Way():
                    stream.stream.append(b" ".join([*_changes(state, part.manner), part.steps, part.paint]))
                case _Type():
                    line, width = self._painter.line_of_type(part, self._context)
                    stream.stream.extend(_changes(state, {b"rg": part.color}))
                    stream.begin_text()
                    place = Matrix(d=-1, e=part.x - width * part.anchor, f=part.y)
                    draw_first_line(stream, line, "none", "none", place)
                    stream.end_text()
                case _Turned():
                    with stream.stacked():
                        stream.transform(*part.matrix)
                        self._put(stream, part.parts)


def _check(element: Element, known: set[str]) -> None:
    if not known.issuperset(element.attrib):
        raise _OtherError


def _changes(state: dict[bytes, bytes], wanted: dict[bytes, bytes]) -> Iterator[bytes]:
    """What must be said, by its operator, for things to be as wanted."""
    for operator, value in wanted.items():
        if state.get(operator) != value:
            state[operator] = value
            yield value + b" " + operator


def _number(text: str) -> float:
    if not _NUMBERS.fullmatch(text):
        raise _OtherError
    return float(text)


def _way(path: Element) -> _Way:
    _check(path, _PATH)
    get, manner = path.attrib.get, {}
    filled, stroked = get("fill") != "none", bool(get("stroke"))
    if filled:
        manner[b"rg"] = _color(get("fill", ""))
    if stroked:
        dash, cap = get("stroke-dasharray", "").split(), get("stroke-linecap", "")
        if cap not in _CAPS:
            raise _OtherError
        manner |= {
            b"RG": _color(get("stroke", "")),
            b"w": b"%g" % _number(get("stroke-width", "1")),
            b"d": b"[%b] 0" % b" ".join([b"%g" % _number(one) for one in dash]),
            b"J": _CAPS[cap],
            b"M": b"4",
        }
    paint = b"B" if filled and stroked else b"f" if filled else b"S" if stroked else b"n"
    return _Way(manner, _steps(get("d", "")), paint)


def _type(text: Element, family: str) -> _Type:
    _check(text, _TEXT)
    get = text.attrib.get
    anchor, weight = get("text-anchor", ""), get("font-weight", "400")
    if anchor not in _ANCHORS or not weight.isdigit() or len(text):
        raise _OtherError
    size, x, y = (_number(get(name, "")) for name in ("font-size", "x", "y"))
    said = _SPACES.sub(" ", text.text or "").strip(" ")
    return _Type(said, family, int(weight), size, x, y, _ANCHORS[anchor], _color(get("fill", "")))


@lru_cache(maxsize=64)
def _color(code: str) -> bytes:
    """Red, green and blue, 0 to 1, of ``#rrggbb``."""
    if not _COLOR.fullmatch(code):
        raise _OtherError
    return b" ".join(b"%g" % round(int(code[at : at + 2], 16) / 255, 4) for at in (1, 3, 5))


def _turn(transform: str) -> tuple[float, ...]:
    """The matrix of a turn, in degrees, about a point."""
    match = _TURNED.fullmatch(transform)
    if match is None:
        raise _OtherError
    degrees, x, y = map(float, match.groups())
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return c, s, -s, c, x - x * c + y * s, y - x * s - y * c


@lru_cache(maxsize=1024)
def _steps(written: str) -> bytes:
    """The steps of a way as the page has them; dice of one shape stand in many drawings."""
    steps: list[str] = []
    x = y = 0.0
    bend = 0.0, 0.0  # from the last curve's second handle to its end
    at = 0
    for match in _STEP.finditer(written):
        step, n = match[1], [float(number) for number in _NUMBERS.findall(match[2])]
        closed = bool(steps) and steps[-1] == "h"
        if match.start() != at or _SIZES.get(step) != len(n) or ((closed or not steps) and step != "M"):
            raise _OtherError
        at = match.end()
        if step == "q":
            n = [n[0] * 2 / 3, n[1] * 2 / 3, (n[0] * 2 + n[2]) / 3, (n[1] * 2 + n[3]) / 3, n[2], n[3]]
        elif step == "s":
            n = [*bend, *n]
        bend = (n[4] - n[2], n[5] - n[3]) if step in "cs" else (0.0, 0.0)
        match step:
            case "z":
                steps.append("h")
            case "c" | "s" | "q":
                steps.append(f"{_points(x + n[0], y + n[1], x + n[2], y + n[3], x + n[4], y + n[5])} c")
                x, y = x + n[4], y + n[5]
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
        if step in "Mm":
            steps.append(f"{_points(x, y)} m")
        elif step in "LlHhVv":
            steps.append(f"{_points(x, y)} l")
    if at != len(written) or not steps:
        raise _OtherError
    return "\n".join(steps).encode()


def _points(*numbers: float) -> str:
    return " ".join([f"{number:.3f}".rstrip("0").rstrip(".") for number in numbers])
