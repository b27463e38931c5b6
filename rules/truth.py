"""Columns of facts, three-valued.

Every fact is true, false or unknown (Kleene's strong logic): ``unknown & false`` is false, ``unknown | true`` is
true, all else that touches unknown stays unknown. A column holds one value per event and wraps an Arrow array in
which *null* means unknown; no Python object is made per row.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache, reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_UNKNOWN = pa.scalar(None, pa.bool_())


class Truth:
    """A column of facts, each true, false or unknown."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    @classmethod
    def constant(cls, size: int, value: bool | None) -> Truth:
        """The same truth for every event; ``None`` is unknown."""
        return _constant(size, value)

    @classmethod
    def of_mask(cls, mask: np.ndarray[Any, Any]) -> Truth:
        """A two-valued column from a NumPy mask."""
        return cls(pa.array(np.ascontiguousarray(mask, dtype=bool)))

    def __len__(self) -> int:
        return len(self.array)

    def __and__(self, other: Truth) -> Truth:
        return Truth(pc.and_kleene(self.array, other.array))

    def __or__(self, other: Truth) -> Truth:
        return Truth(pc.or_kleene(self.array, other.array))

    def __invert__(self) -> Truth:
        return Truth(pc.invert(self.array))

    @property
    def known(self) -> Truth:
        """Whether the fact is known: never itself unknown."""
        return Truth(self.array.is_valid())

    @property
    def all_known(self) -> bool:
        """Whether the fact is known of every event."""
        return self.array.null_count == 0  # type: ignore[no-any-return]

    @property
    def surely(self) -> Truth:
        """Known to be true; unknown counts as false."""
        return self if self.all_known else Truth(_known_true(self.array))

    @property
    def surely_not(self) -> Truth:
        """Known to be false; unknown counts as false."""
        return (~self).surely

    def unless_unknown(self, doubt: Truth) -> Truth:
        """This fact, but unknown wherever ``doubt`` is known to be true."""
        return Truth(pc.if_else(doubt.surely.array, _UNKNOWN, self.array)) if doubt.any() else self

    def where(self, condition: Truth, otherwise: Truth) -> Truth:
        """This fact where ``condition`` is known to be true, ``otherwise`` elsewhere."""
        return Truth(pc.if_else(condition.surely.array, self.array, otherwise.array))

    def any(self) -> bool:
        """Whether at least one event has the fact known to be true."""
        return bool(self.array.true_count)

    def rows(self) -> np.ndarray[Any, Any]:
        """The positions at which the fact is known to be true."""
        array = self.surely.array
        if array.offset:
            return np.flatnonzero(array.to_numpy(zero_copy_only=False))
        bits = np.frombuffer(array.buffers()[1], dtype=np.uint8)[: (len(array) + 7) // 8]
        there = np.flatnonzero(bits)  # most bytes hold none
        rows = np.flatnonzero(np.unpackbits(bits[there], bitorder="little"))
        places: np.ndarray[Any, Any] = there[rows >> 3] * 8 + (rows & 7)
        return places[places < len(array)]


def _known_true(array: Any) -> Any:
    """``fill_null(False)``, done to eight events at once: every rule asks for it several times."""
    if array.offset or not isinstance(array, pa.BooleanArray):
        return array.fill_null(False)
    known, true = (np.frombuffer(buffer, dtype=np.uint8)[: (len(array) + 7) // 8] for buffer in array.buffers())
    return pa.Array.from_buffers(pa.bool_(), len(array), [None, pa.py_buffer(known & true)])


@lru_cache(maxsize=32)
def _constant(size: int, value: bool | None) -> Truth:
    return Truth(pa.nulls(size, pa.bool_()) if value is None else pa.array(np.full(size, value)))


def all_of(truths: Iterable[Truth]) -> Truth:
    """True where every one is true, false where one is false, else unknown."""
    return reduce(lambda a, b: a & b, truths)


def any_of(truths: Iterable[Truth]) -> Truth:
    """True where one is true, false where every one is false, else unknown."""
    return reduce(lambda a, b: a | b, truths)


class Values:
    """A column of recorded values. *Known*: readable; *filled*: something stands in the cell, readable or not."""

    def __init__(self, array: Any, unreadable: np.ndarray[Any, Any] | None = None) -> None:
        self.array = array
        self._unreadable = unreadable

    def __len__(self) -> int:
        return len(self.array)

    @cached_property
    def known(self) -> Truth:
        return Truth(self.array.is_valid())

    @cached_property
    def unreadable(self) -> Truth:
        """A value stands in the cell that the field cannot have (LOG-5 names it)."""
        if self._unreadable is None:
            return Truth.constant(len(self), False)
        return Truth.of_mask(self._unreadable)

    @cached_property
    def filled(self) -> Truth:
        return self.known if self._unreadable is None else self.known | self.unreadable

    @cached_property
    def blank(self) -> Truth:
        return ~self.filled

    def _same(self, value: Any) -> Truth:
        return Truth(pc.equal(self.array, value))


class Flag(Values):
    """A yes/no column."""

    @cached_property
    def yes(self) -> Truth:
        return Truth(self.array)

    @cached_property
    def no(self) -> Truth:
        return ~self.yes

    @cached_property
    def yes_blank_is_no(self) -> Truth:
        """Yes, where the pack's column table says that a blank cell means no; an unreadable one stays unknown."""
        return Truth.constant(len(self), False).where(self.blank, self.yes)


class Choice(Values):
    """A column of one word out of a few, stored as the word's place in ``words``."""

    def __init__(self, array: Any, words: tuple[str, ...], unreadable: np.ndarray[Any, Any] | None = None) -> None:
        super().__init__(array, unreadable)
        self.words = words
        self._known: dict[str, Truth] = {}

    def among(self, *words: str) -> Truth:
        """Whether the recorded word is one of ``words``; unknown where none is recorded."""
        return any_of(map(self._is, words))

    def _is(self, word: str) -> Truth:
        """Whether it is this word: rules ask for the same few again and again."""
        if word not in self._known:
            self._known[word] = self._same(pa.scalar(self.words.index(word), pa.uint8()))
        return self._known[word]


class Choices(Values):
    """A column of lists of words, stored as a bit set over ``words``."""

    def __init__(self, array: Any, words: tuple[str, ...], unreadable: np.ndarray[Any, Any] | None = None) -> None:
        super().__init__(array, unreadable)
        self.words = words

    def _mask(self, words: Iterable[str]) -> Any:
        return pa.scalar(sum(1 << self.words.index(word) for word in words), pa.uint16())

    def names(self, *words: str) -> Truth:
        """Whether the list holds at least one of ``words``; unknown where the list is."""
        return Truth(pc.not_equal(pc.bit_wise_and(self.array, self._mask(words)), pa.scalar(0, pa.uint16())))

    def is_just(self, *words: str) -> Truth:
        """Whether the list holds ``words`` and nothing else."""
        return self._same(self._mask(words))


FACES = 6
_SIDES = range(1 << FACES)
#: Of the type of the columns: with Python's numbers Arrow would compare in eight bytes each.
_ZERO, _ONE = pa.scalar(0, pa.uint8()), pa.scalar(1, pa.uint8())


def _lookup(values: Iterable[int | None], kind: Any) -> Any:
    return pa.array(list(values), type=kind)


_ONLY = _lookup((mask.bit_length() if bin(mask).count("1") == 1 else None for mask in _SIDES), pa.uint8())


class Face(Values):
    """A column of faces, whole numbers 1 to 6."""

    def differs_from(self, other: Face) -> Truth:
        return Truth(pc.not_equal(self.array, other.array))

    def opposite(self, opposite_sum: int) -> Face:
        """The face across the die, given what opposite faces add up to."""
        return Face(pc.subtract(pa.scalar(opposite_sum, pa.uint8()), self.array))

    def where(self, condition: Truth, otherwise: Face) -> Face:
        return Face(pc.if_else(condition.surely.array, self.array, otherwise.array))

    @classmethod
    def unknown(cls, size: int) -> Face:
        return cls(pa.nulls(size, pa.uint8()))


class FaceSet(Values):
    """A column of sets of faces; the empty set is known to be none."""

    @cached_property
    def several(self) -> Truth:
        without_lowest = pc.bit_wise_and(self.array, pc.subtract(self.array, _ONE))
        return Truth(pc.not_equal(without_lowest, _ZERO))

    @cached_property
    def exactly_one(self) -> Truth:
        return self.some & ~self.several

    @cached_property
    def none(self) -> Truth:
        return self._same(_ZERO)

    @cached_property
    def some(self) -> Truth:
        return ~self.none

    @cached_property
    def only(self) -> Face:
        """The one face of the set; unknown where it holds none or several."""
        return Face(_ONLY.take(self.array))

    def holds(self, face: Face) -> Truth:
        """Whether the face is in the set; unknown where either is."""
        bit = pc.shift_left(_ONE, pc.subtract(face.array.fill_null(1), _ONE))
        held = Truth(pc.not_equal(pc.bit_wise_and(self.array, bit), _ZERO))
        return held.unless_unknown(~face.known)


class Moment(Values):
    """A column of instants, microseconds UTC."""

    def before(self, other: Moment) -> Truth:
        return Truth(pc.less(self.array, other.array))

    def microseconds_since(self, earlier: Moment) -> Any:
        """Elapsed microseconds since ``earlier``, as an Arrow array of whole numbers."""
        return pc.subtract(pc.cast(self.array, pa.int64()), pc.cast(earlier.array, pa.int64()))

    def later_than(self, earlier: Moment, seconds: Any) -> Truth:
        """Whether more than ``seconds`` (a number, or one an event) lie between; exactly so many do not."""
        limit = pc.cast(pc.multiply(seconds, 1_000_000), pa.int64())
        return Truth(pc.greater(self.microseconds_since(earlier), limit))


class Ident(Values):
    """A column of ids, stored as codes: the same text has the same code in one audit."""

    def same_as(self, other: Ident) -> Truth:
        return Truth(pc.equal(self.array, other.array))


class Number(Values):
    """A column of whole numbers."""


class Text(Values):
    """A column of free text."""
