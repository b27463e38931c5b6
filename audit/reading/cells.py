"""From a column of texts to a typed column: known, blank, or unreadable.

Texts are looked at once each (the column is dictionary-encoded first), so the work grows with the number of
different texts, not with the rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.reading import declared_times, times
from audit.text_bytes import bytes_of
from rules.batch import STORED
from rules.catalogue import Catalogue
from rules.kit import Column, Kind

WORDS = Catalogue("rules")

BLANK_EVERYWHERE = frozenset({"", "-", "--", "?"})
BLANK_TYPED = BLANK_EVERYWHERE | {"unknown", "unk", "n/a", "na", "null", "none"}
YES = frozenset({"true", "t", "yes", "y", "1", "1.0", "x"})
NO = frozenset({"false", "f", "no", "n", "0", "0.0"})

#: A whole number has at most so many digits.
DIGITS = 15

_FOLD = re.compile(r"[\s_-]+")
_HARD_SPLIT = re.compile(r"[|/;+,]")
_SPLIT = re.compile(r"\s*[|/;+,]\s*|\s+")
_FACE = re.compile(r"([1-6])(?:\.0+)?")
_SCIENTIFIC = r"^[0-9](?:[.,][0-9]+)?[eE]\+[0-9]+$"
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE_LIKE = re.compile(
    rf"\d{{1,2}}[-/ .](?:{_MONTHS})[a-z]*\.?(?:[-/ .]\d{{2,4}})?|(?:{_MONTHS})[a-z]*\.?[-/ .]\d{{1,4}}"
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?",
    re.IGNORECASE,
)

#: A day, or a spreadsheet's date, which is the midnight it begins with.
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?)?")

_UNREADABLE = object()


def fold(text: str) -> str:
    """Case, spaces, ``-`` and ``_`` do not matter."""
    return _FOLD.sub("", text.casefold())


def expected(column: Column, text: str = "") -> str:
    """What ``column`` can hold, in words, with a hint where ``text`` shows what a spreadsheet did to it."""
    if column.catalogue is not None:
        return column.catalogue.text("expected", column.name)
    key = {Kind.CHOICES: "choices", Kind.FACES: "faces"}.get(column.kind, column.kind.value)
    if column.least is not None:
        return WORDS.text("expected", "int_from").format(least=column.least)
    if column.kind is Kind.FACES and column.none_is_value:
        key = "faces_or_none"
    sentence = WORDS.text("expected", key).format(words=", ".join(column.words))
    if column.kind in (Kind.FACE, Kind.FACES) and _DATE_LIKE.fullmatch(text):
        return WORDS.text("expected", "looks_like_date").format(expected=sentence)
    if column.kind is Kind.ID and text:
        return WORDS.text("expected", "looks_like_number")
    return sentence


@dataclass
class Typed:
    """A typed column of a run of rows; ``unreadable`` holds row and text of each cell that cannot be read.

    An id column holds texts here; it gets its codes when the run joins the others. A time column keeps its wall clock
    and offset, or its instants and the ``zone`` they stand in. ``unnamed``: further rows that cannot be read, where
    another column names the cell.
    """

    array: Any
    unreadable: list[tuple[int, str]] = field(default_factory=list)
    offset: Any = None
    unnamed: list[int] = field(default_factory=list)
    zone: str = ""


def _surely_trimmed(texts: Any) -> bool:
    """No text has a space or a letter beyond ASCII, so that none can begin or end in white space."""
    data = bytes_of(texts)
    return not len(data) or bool(data.min() > 0x20 and data.max() < 0x80)


def _flag(text: str) -> Any:
    folded = text.casefold()
    return True if folded in YES else False if folded in NO else _UNREADABLE


def _face(text: str) -> Any:
    match = _FACE.fullmatch(text)
    return int(match[1]) if match else _UNREADABLE


def _faces(text: str, none_is_value: bool) -> Any:
    if none_is_value and (text.casefold() == "none" or text in ("0", "0.0")):
        return 0
    mask = 0
    for element in _elements(text):
        face = _face(element)
        if face is _UNREADABLE:
            return _UNREADABLE
        mask |= 1 << (face - 1)
    return mask or _UNREADABLE


def _elements(text: str) -> list[str]:
    return [element for element in _SPLIT.split(text.strip()) if element]


def whole_number(text: str) -> int | None:
    """A whole number as people and spreadsheets write it (``2``, ``+2``, ``2.0``); ``None`` where it is none."""
    match = re.fullmatch(rf"([+-]?\d{{1,{DIGITS}}})(?:\.0+)?", text)
    return int(match[1]) if match else None


def _whole(text: str) -> Any:
    number = whole_number(text)
    return _UNREADABLE if number is None else number


def _day(text: str, formats: Sequence[str] = ()) -> Any:
    for form in formats:
        try:
            return datetime.strptime(text, form).date()
        except ValueError:
            continue
    match = _DAY.fullmatch(text)
    try:
        return date.fromisoformat(match[1]) if match else _UNREADABLE
    except ValueError:
        return _UNREADABLE


@dataclass(frozen=True)
class Habits:
    """How one house writes its cells; keys of mappings are columns or, for all dice at once, a die's fields.

    ``blank``: what a blank cell means. ``words``: its words and ours, ``""`` for any column that can hold ours.
    ``blanks``: further words for nothing. ``datetimes`` and ``dates``: how it writes times and days (``%d/%m/%Y``).
    ``shortened_ids``: ids such as ``9.45E+12`` are what they say.
    """

    blank: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    blanks: tuple[str, ...] = ()
    datetimes: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    shortened_ids: bool = False

    def own_words(self, column: Column) -> dict[str, str]:
        """Words of the house for this column alone, case folded."""
        both = {**self.words.get(column.field, {}), **self.words.get(column.name, {})}
        return {theirs.casefold(): ours for theirs, ours in both.items()}


class Reader:
    """Reads the cells of one column of one house's logs."""

    def __init__(self, column: Column, habits: Habits | None = None, all_differ: bool = False) -> None:
        habits = habits or Habits()
        self.column = column
        self.own_texts = all_differ or column.kind in ALL_DIFFER
        self._by_fold = {fold(word): place for place, word in enumerate(column.words)}
        self._cache: dict[str, Any] = {}
        self._theirs: dict[str, str] = {}
        self._datetimes, self._dates, self._shortened = habits.datetimes, habits.dates, habits.shortened_ids
        self._blanks = frozenset(word.casefold() for word in habits.blanks)
        self._blank: Any = None
        if column.kind in (Kind.BOOL, Kind.CHOICE, Kind.CHOICES):
            general = habits.words.get("", {}).items()
            self._theirs = {theirs.casefold(): ours for theirs, ours in general if self.holds(ours)}
        self._theirs |= habits.own_words(column)
        means = habits.blank.get(column.name, habits.blank.get(column.field))
        if means is not None:
            self._blank = self._value(means)

    @property
    def blank_is_unreadable(self) -> bool:
        """The house's word for a blank cell is not one that the column can hold."""
        return self._blank is _UNREADABLE

    @property
    def fills_blanks(self) -> bool:
        """A blank cell means something."""
        return self._blank is not None

    def holds(self, text: str) -> bool:
        """Whether the column can hold this, as a value that is known."""
        value = self._value(text)
        return value is not _UNREADABLE and value is not None

    def ours(self, text: str) -> str:
        """A word of the house in ours."""
        return self._theirs.get(text.casefold(), text) if self._theirs else text

    def read(self, texts: Any) -> Typed:
        """Type an Arrow array of texts, dictionary-encoded but for columns of which nearly every row has its own."""
        if self.column.kind is Kind.TIME:
            return self._read_times(texts)
        if self.column.kind is Kind.INT and not pa.types.is_dictionary(texts.type):
            quick = self._quick_numbers(texts)
            if quick is not None:
                return quick
        if self.column.kind is Kind.TEXT or (self.column.kind is Kind.ID and not pa.types.is_dictionary(texts.type)):
            return self._read_plain(texts)
        if self.column.kind is Kind.ID:
            return self._read_ids(texts)
        coded = texts if pa.types.is_dictionary(texts.type) else texts.dictionary_encode()
        different = coded.dictionary.to_pylist()
        values = [self._remembered(text) for text in different]
        bad_codes = [code for code, value in enumerate(values) if value is _UNREADABLE]
        clean = [None if value is _UNREADABLE else value for value in values]
        if self.column.kind is Kind.NOTATION:
            again = pa.array(clean, pa.string()).dictionary_encode()
            array = pa.DictionaryArray.from_arrays(again.indices.take(coded.indices), again.dictionary)
            return Typed(array, self._unreadable(coded.indices, bad_codes, different))
        array = pa.array(clean, STORED[self.column.kind.value]).take(coded.indices)
        return Typed(array, self._unreadable(coded.indices, bad_codes, different))

    def _read_ids(self, texts: Any) -> Typed:
        """Ids as codes into their different texts, with a null code where there is none."""
        different = texts.dictionary
        if self._theirs:
            different = pa.array([self.ours(text.strip()) for text in different.to_pylist()], pa.string())
        own = self._read_plain(different)
        clean = own.array.fill_null(self._blank) if self._blank else own.array
        if clean is different and not self._theirs:  # nothing was trimmed, blank, or to be put in our words
            return Typed(texts)
        again = clean.dictionary_encode()
        as_they_were = len(again.dictionary) == len(different)
        codes = texts.indices if as_they_were else again.indices.take(texts.indices)
        array = pa.DictionaryArray.from_arrays(codes, again.dictionary)
        bad = dict(own.unreadable)
        return Typed(array, self._unreadable(texts.indices, list(bad), bad))

    @staticmethod
    def _unreadable(
        indices: Any, bad_codes: list[int], different: Sequence[str] | Mapping[int, str]
    ) -> list[tuple[int, str]]:
        if not bad_codes:
            return []
        codes = indices.fill_null(-1).to_numpy(zero_copy_only=False)
        rows = np.flatnonzero(np.isin(codes, bad_codes))
        return [(int(row), different[codes[row]].strip()) for row in rows]

    def _remembered(self, raw: str) -> Any:
        if raw not in self._cache:
            if len(self._cache) > 100_000:
                self._cache.clear()
            self._cache[raw] = self._value(raw)
        return self._cache[raw]

    def _value(self, raw: str) -> Any:
        text = self.ours(raw.strip())
        if self.is_blank(text):
            return self._blank
        match self.column.kind:
            case Kind.BOOL:
                return _flag(text)
            case Kind.CHOICE:
                return self._word(text)
            case Kind.CHOICES:
                return self._words(text)
            case Kind.FACE:
                return _face(text)
            case Kind.FACES:
                return _faces(text, self.column.none_is_value)
            case Kind.INT:
                return self._number(text)
            case Kind.DATE:
                return _day(text, self._dates)
            case Kind.NOTATION:
                return self._noted(text)
            case _:
                return text

    def _number(self, text: str) -> Any:
        if self.column.spellings:
            text = self.column.spellings(text) or text
        number = _whole(text)
        too_low = number is not _UNREADABLE and self.column.least is not None and number < self.column.least
        return _UNREADABLE if too_low else number

    def _noted(self, text: str) -> Any:
        spelling = self.column.grammar(text) if self.column.grammar else text
        return _UNREADABLE if spelling is None else spelling

    def is_blank(self, text: str) -> bool:
        if text in BLANK_EVERYWHERE or text.casefold() in self._blanks:
            return True
        if self.column.kind in (Kind.ID, Kind.TEXT) or self.column.of_names:
            return False
        folded = text.casefold()
        legal_none = folded == "none" and (self.column.none_is_value or "none" in self.column.words)
        return folded in BLANK_TYPED and not legal_none

    def _word(self, text: str) -> Any:
        place = self._by_fold.get(fold(self.ours(text)))
        if place is None and self.column.spellings:
            word = self.column.spellings(text)
            place = self._by_fold.get(word) if word else None
        return _UNREADABLE if place is None else place

    def _words(self, text: str) -> Any:
        whole = self._word(text)
        if whole is not _UNREADABLE:
            return 1 << whole
        mask = 0
        for piece in filter(None, map(str.strip, _HARD_SPLIT.split(text))):
            place = self._word(piece)  # a word may have spaces in it; else spaces part words
            for element in [piece] if place is not _UNREADABLE else piece.split():
                place = self._word(element)
                if place is _UNREADABLE:
                    return _UNREADABLE
                mask |= 1 << place
        return mask or _UNREADABLE

    def _clean(self, texts: Any, blanks: frozenset[str]) -> Any:
        """Trimmed texts, null where blank."""
        if pa.types.is_dictionary(texts.type):
            texts = texts.cast(pa.string())
        if not _surely_trimmed(texts):
            texts = pc.utf8_trim_whitespace(texts)
        longest = max(len(word.encode()) for word in blanks)
        small = pc.less_equal(pc.binary_length(texts), pa.scalar(longest, pa.int32()))
        if not small.true_count:
            return texts
        candidates = pc.if_else(small, texts, pa.scalar(None, pa.string()))
        if candidates.null_count < len(candidates):
            is_blank = pc.is_in(pc.utf8_lower(candidates), value_set=pa.array(sorted(blanks)))
            texts = pc.if_else(is_blank, pa.scalar(None, pa.string()), texts)
        return texts

    def _read_plain(self, texts: Any) -> Typed:
        """Ids and texts of which nearly every row has its own."""
        clean = self._clean(texts, BLANK_EVERYWHERE | self._blanks)
        if self.column.kind is Kind.ID and not self._shortened and (bytes_of(clean) | 0x20 == ord("e")).any():
            shortened = pc.match_substring_regex(clean, _SCIENTIFIC).fill_null(False)
            if shortened.true_count:
                rows = np.flatnonzero(shortened.to_numpy(zero_copy_only=False))
                bad = [(int(row), clean[int(row)].as_py()) for row in rows]
                return Typed(pc.if_else(shortened, pa.scalar(None, pa.string()), clean), bad)
        return Typed(clean)

    def _quick_numbers(self, texts: Any) -> Typed | None:
        lengths = pc.binary_length(texts)
        least, most = pc.min_max(lengths).as_py().values()
        if (bytes_of(texts) | 0x20 == ord("x")).any() or (most or 0) > DIGITS:
            return None  # Arrow would read hexadecimal, and numbers of any length
        if least == 0:
            if self._blank is not None:
                return None
            blank = pc.equal(lengths, pa.scalar(0, pa.int32()))
            texts = pc.if_else(blank, pa.scalar(None, pa.string()), texts)  # else Arrow makes an error of each
        try:
            numbers = texts.cast(pa.int64())
        except pa.ArrowInvalid:
            return None
        allowed = self.column.least
        return None if allowed is not None and len(numbers) and pc.less(numbers, allowed).true_count else Typed(numbers)

    def _read_times(self, texts: Any) -> Typed:
        alike = times.parse_if_alike(texts) if self._blank is None and not self._datetimes else None
        if alike is not None:
            return Typed(alike.wall, [], alike.offset)
        clean = self._clean(texts, BLANK_TYPED | self._blanks)
        parsed = declared_times.parse(clean, self._datetimes) if self._datetimes else times.parse(clean)
        rows = np.flatnonzero(parsed.unreadable)
        bad = [(int(row), clean[int(row)].as_py()) for row in rows]
        return Typed(parsed.wall, bad, parsed.offset)


#: Kinds of column of which nearly every row has its own text.
ALL_DIFFER = (Kind.TIME, Kind.TEXT, Kind.INT)


def readers(columns: Sequence[Column], event_id: str, habits: Habits) -> dict[str, Reader]:
    """A reader for each column. ``event_id``: the column of which every row has its own text."""
    return {column.name: Reader(column, habits, column.name == event_id) for column in columns}
