"""A pack's own sections of the report, as plain data: headings, sentences, tables, figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Grid:
    """A table: a heading a column, rows of texts; ``numbers`` are the columns set to the right, ``strong`` the rows
    that stand out."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()
    strong: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Figure:
    """A drawing: SVG markup in which every text is escaped, and what it shows in words for those who do not see it."""

    svg: str
    shows: str


@dataclass(frozen=True)
class DieSeen:
    """One die of an event, as the record has it and as the rules read it.

    ``part``: which die. ``color``: ``green``, ``red`` or another. ``rest``: the word of the log for where it lies,
    blank where it is not known. ``sides``: the sides it rests on something with, ``called``: the numbers called, each
    ``None`` where not known. ``counts``: the face that counts. ``far_end``: it struck the far end of the table.
    """

    part: str
    color: str
    rest: str
    sides: tuple[int, ...] | None
    observed: int | None
    called: tuple[int, ...] | None
    counts: int | None
    far_end: bool | None


@dataclass(frozen=True)
class Panel:
    """One thing that a section tells of, such as a game: kept on one page where it fits."""

    heading: str
    sentences: tuple[str, ...] = ()
    grid: Grid | None = None
    figure: Figure | None = None


@dataclass(frozen=True)
class Section:
    """A section with its heading and a note below it."""

    heading: str
    note: str = ""
    panels: tuple[Panel, ...] = ()
