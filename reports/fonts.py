"""The fonts that are embedded: which characters they show."""

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
