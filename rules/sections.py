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
