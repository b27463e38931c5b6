"""The columns of printed tables of counts: numbers stay whole, names give way, the style sheets are as supposed."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from reports.columns import LINE, SPACE, TYPE, columns
from reports.fonts import characters, width
from reports.pdf import PAPERS
from reports.pieces import Cell, Table, numbers
from reports.text import shown_plainly

RULINGS = ("valid", "“no roll”", "invalid", "void", "not recorded")
GIVEN = ("Violation", "Discrepancy", "Indeterminate", "Observation")
HEADS = [Cell("Facility"), Cell("Stickperson"), *(Cell(h, number=True) for h in ("Throws", *RULINGS, *GIVEN))]


def shown(text: str) -> str:
    return shown_plainly(text, lambda c: ord(c) in characters())


def table(name: str, *counts: int) -> Table:
    return Table(HEADS, [[Cell("CAS01"), Cell(name), *numbers(*counts)]], [Cell("Total"), Cell(""), *numbers(*counts)])


@pytest.mark.parametrize("name", ["S-001", "nobody named", "x" * 40, "Ann " * 10, "山" * 40, ""])
@pytest.mark.parametrize("count", [7, 1_234, 123_456, 12_345_678])
def test_numbers_and_words_of_headings_stay_whole(name: str, count: int) -> None:
    made = table(name, *[count] * 10)
    found = columns(made, shown)
    size = float(found.size.removesuffix("pt")) / TYPE if found.size else 1.0
    assert sum(map(float, found.shares)) == pytest.approx(100, abs=0.1)
    assert size > 0.6
    for at, share in list(enumerate(found.shares))[2:]:
        room = float(share) / 100 * LINE / size - (SPACE / 2 if at == len(HEADS) - 1 else SPACE)
        assert room > width(made.total[at].text, bold=True) - 0.02
        assert room > max(width(word, bold=True) for word in made.heads[at].text.split()) - 0.02


def test_where_there_is_room_names_and_headings_have_theirs() -> None:
    found = columns(table("nobody named", *[12] * 10), shown)
    assert not found.size
    few = columns(Table([HEADS[1], HEADS[2]], [[Cell("nobody named " * 2), *numbers(5)]]), shown)
    assert float(few.shares[0]) / 100 * LINE > width("nobody named nobody named") + SPACE / 2


def test_a_long_text_leaves_the_others_their_words() -> None:
    found = columns(Table([Cell("Rule"), Cell("What changed")], [[Cell("TDF-B1"), Cell("word " * 100)]]), shown)
    assert float(found.shares[0]) / 100 * LINE > width("TDF-B1") + SPACE / 2


def test_the_style_sheets_are_as_supposed() -> None:
    style = "".join(
        resources.files("reports").joinpath("style", name).read_text("utf-8") for name in ("report.css", "print.css")
    )
    (size,) = re.findall(r"\.tally[^{]*\{ font-size: ([\d.]+)pt; \}", style)
    assert float(size) == TYPE
    (padding,) = re.findall(r"^th, td \{[^}]*padding: [\d.]+em ([\d.]+)em;", style, re.MULTILINE)
    assert 2 * float(padding) == SPACE
    for name, paper in (("letter", 215.9), ("a4", 210.0)):
        (sides,) = re.findall(r"margin: \d+mm (\d+)mm", PAPERS[name])
        assert (paper - 2 * float(sides)) / 25.4 * 72 / TYPE == pytest.approx(LINE, rel=0.002)
