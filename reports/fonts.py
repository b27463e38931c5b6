"""The fonts that are embedded: which characters they show, and how wide they are."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

FACES = ("Regular", "It", "Semibold", "Bold")


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
def _advances(face: str) -> dict[str, float]:
    """How wide each character is, in units of the type's size."""
    font = _font(face)
    widths, unit = font["hmtx"].metrics, font["head"].unitsPerEm
    return {chr(code): widths[glyph][0] / unit for code, glyph in font.getBestCmap().items()}


def width(text: str, bold: bool = False) -> float:
    """How wide a line of type is, in units of its size."""
    advances = _advances("Semibold" if bold else "Regular")
    return sum([advances.get(letter, 1.0) for letter in text])
