"""The fonts that are embedded: which characters they show, how wide a line of type is."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from importlib.resources import files
from io import BytesIO
from typing import Any

FACES = ("Regular", "It", "Semibold", "Bold")

_TEXT = re.compile(r'<text ([^<>]*?)text-anchor="(middle|end)"([^<>]*)>([^<>]*)</text>')
_ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')


def font_file(face: str) -> bytes:
    """The font file of a face."""
    return files("font_source_sans_pro").joinpath("files", f"SourceSansPro-{face}.ttf").read_bytes()


@cache
def _font(face: str) -> Any:
    from fontTools.ttLib import TTFont

    return TTFont(BytesIO(font_file(face)), lazy=True)


@cache
def characters() -> frozenset[int]:
    """The characters that the embedded fonts can show."""
    return frozenset(_font("Regular").getBestCmap())


@cache
def _widths(face: str) -> tuple[dict[int, str], Any, float]:
    font = _font(face)
    return font.getBestCmap(), font["hmtx"].metrics, float(font["head"].unitsPerEm)


def width_of(text: str, size: float, face: str = "Regular") -> float:
    """How wide a line of type is, without kerning."""
    glyphs, metrics, per_em = _widths(face)
    units: int = sum(metrics[glyphs.get(ord(character), ".notdef")][0] for character in text)
    return units * size / per_em


def started(svg: str) -> str:
    """The drawing with its centered and right-aligned type set from the left.

    The renderer makes a transparency group of each line of type that is anchored elsewhere: many times the work, and
    the bytes, of the line itself.
    """

    def start(match: re.Match[str]) -> str:
        before, anchor, after, said = match.groups()
        values = dict(_ATTRIBUTE.findall(before + after))
        try:
            x, size = float(values["x"]), float(values["font-size"])
        except (KeyError, ValueError):
            return match[0]
        face = "Semibold" if values.get("font-weight", "400") in ("600", "700", "bold") else "Regular"
        width = width_of(unescape(said), size, face)
        x -= width / 2 if anchor == "middle" else width
        kept = _ATTRIBUTE.sub(lambda a: "" if a[1] == "x" else a[0], before + after)
        return f'<text x="{x:.2f}" {kept}>{said}</text>'

    return _TEXT.sub(start, svg)
