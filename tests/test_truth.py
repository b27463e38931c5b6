"""Three-valued logic: Kleene's laws over random columns, and the helpers that the rules are written with."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from rules.truth import Face, FaceSet, Flag, Truth, all_of, any_of

VALUES = st.sampled_from([True, False, None])
COLUMNS = st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=30)


def truth(values: list[bool | None]) -> Truth:
    return Truth(pa.array(values, pa.bool_()))


def values(t: Truth) -> list[bool | None]:
    result: list[bool | None] = t.array.to_pylist()
    return result


@given(COLUMNS)
def test_and_or_not_are_kleenes(rows: list[tuple[bool | None, bool | None, bool | None]]) -> None:
    a, b = truth([r[0] for r in rows]), truth([r[1] for r in rows])
    for (x, y, _), conjunction, disjunction, negation in zip(
        rows, values(a & b), values(a | b), values(~a), strict=True
    ):
        assert conjunction == (False if False in (x, y) else None if None in (x, y) else True)
        assert disjunction == (True if True in (x, y) else None if None in (x, y) else False)
        assert negation == (None if x is None else not x)


@given(COLUMNS)
def test_laws_of_logic(rows: list[tuple[bool | None, bool | None, bool | None]]) -> None:
    a, b, c = (truth([row[i] for row in rows]) for i in range(3))
    assert values(~(a & b)) == values(~a | ~b)
    assert values(a & (b | c)) == values((a & b) | (a & c))
    assert values(a | (b & c)) == values((a | b) & (a | c))
    assert values(~~a) == values(a)
    assert values(all_of([a, b, c])) == values(a & b & c)
    assert values(any_of([a, b, c])) == values(a | b | c)


@given(COLUMNS)
def test_more_knowledge_never_changes_what_was_known(rows: list[tuple[bool | None, bool | None, bool | None]]) -> None:
    """Filling in an unknown leaves every known conclusion as it was."""
    a, b = [r[0] for r in rows], [r[1] for r in rows]
    for guess in (True, False):
        filled = truth([guess if x is None else x for x in a])
        for combine in (lambda x, y: x & y, lambda x, y: x | y, lambda x, y: ~x | y):
            before, after = values(combine(truth(a), truth(b))), values(combine(filled, truth(b)))
            assert all(x is None or x == y for x, y in zip(before, after, strict=True))


@given(COLUMNS)
def test_known_surely_and_doubt(rows: list[tuple[bool | None, bool | None, bool | None]]) -> None:
    a, doubt, other = (truth([row[i] for row in rows]) for i in range(3))
    for (x, d, o), known, surely, surely_not, unless, where in zip(
        rows,
        values(a.known),
        values(a.surely),
        values(a.surely_not),
        values(a.unless_unknown(doubt)),
        values(a.where(doubt, other)),
        strict=True,
    ):
        assert known is (x is not None)
        assert surely is (x is True)
        assert surely_not is (x is False)
        assert unless is (None if d is True else x)
        assert where is (x if d is True else o)


@given(st.lists(VALUES, max_size=40), st.integers(0, 20))
def test_surely_of_a_part_of_a_column(rows: list[bool | None], start: int) -> None:
    assert values(Truth(pa.array(rows, pa.bool_()).slice(start)).surely) == [x is True for x in rows[start:]]


def test_face_sets_of_every_kind() -> None:
    sets = FaceSet(pa.array([None, *range(1 << 6)], pa.uint8()))
    sizes = [None, *(bin(mask).count("1") for mask in range(1 << 6))]
    for told, size in ((sets.none, 0), (sets.exactly_one, 1)):
        assert values(told) == [None if own is None else own == size for own in sizes]
    assert values(sets.several) == [None if own is None else own > 1 for own in sizes]
    for face in range(1, 7):
        held = values(sets.holds(Face(pa.array([face] * len(sizes), pa.uint8()))))
        assert held == [None, *(bool(mask >> (face - 1) & 1) for mask in range(1 << 6))]
    unreadable = Face(pa.nulls(len(sizes), pa.uint8()), np.ones(len(sizes), dtype=bool))
    for unknown in (unreadable, Face.unknown(len(sizes))):
        assert values(sets.holds(unknown)) == [None] * len(sizes)


def test_face_sets_count_different_faces() -> None:
    sets = FaceSet(pa.array([0, 1 << 3, (1 << 0) | (1 << 5), None], pa.uint8()))
    assert values(sets.none) == [True, False, False, None]
    assert values(sets.exactly_one) == [False, True, False, None]
    assert values(sets.several) == [False, False, True, None]
    assert sets.only.array.to_pylist() == [None, 4, None, None]
    faces = Face(pa.array([1, 4, None, 2], pa.uint8()))
    assert values(sets.holds(faces)) == [False, True, None, None]
    assert faces.opposite(7).array.to_pylist() == [6, 3, None, 5]


def test_an_unreadable_cell_is_filled_and_unknown() -> None:
    flag = Flag(pa.array([True, None, None]), np.array([False, False, True]))
    assert values(flag.filled) == [True, False, True]
    assert values(flag.blank) == [False, True, False]
    assert values(flag.yes_blank_is_no) == [True, False, None]
