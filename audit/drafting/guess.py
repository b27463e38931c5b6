"""What the columns of an unknown log may be: by their names, by what they hold."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from audit.drafting.glimpse import Glimpse
from audit.reading.arrow_cells import read_cells
from audit.reading.cells import BLANK_EVERYWHERE, BLANK_TYPED, Habits, Reader
from audit.reading.declared_times import date_part, spelled_out
from audit.reading.header import fold_name
from audit.reading.typed import pieces_of_cell
from rules.kit import Column, Kind, Pack

#: Names as alike as this are taken for one another, if half of the values can be read.
_ALIKE = 0.78
_READABLE = 0.5
#: Kinds whose values give them away.
_TELLING = (Kind.CHOICE, Kind.CHOICES, Kind.TIME, Kind.DATE)
_FORMATS = (
    "%m/%d/%Y %I:%M:%S %p",
    "%m/%d/%Y %I:%M %p",
    "%m/%d/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M",
    "%d/%m/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M",
    "%d/%m/%Y %I:%M:%S %p",
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%d-%m-%Y %H:%M:%S",
    "%d-%m-%Y %H:%M",
    "%m-%d-%Y %H:%M:%S",
    "%m-%d-%Y %H:%M",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%d %b %Y %H:%M:%S",
    "%m/%d/%y %H:%M",
    "%d/%m/%y %H:%M",
)
_YES = ("oui", "vrai", "sim", "sí", "si", "verdadero", "verdadeiro", "ja", "wahr", "ok")
_NO = ("non", "faux", "não", "nao", "falso", "nein", "falsch")


@dataclass
class Guess:
    """What one column of the log may be. ``ours``: our columns, none where nothing is sure; ``how``: why."""

    theirs: str
    values: tuple[str, ...]
    ours: tuple[str, ...] = ()
    how: str = ""
    readable: float = 0.0
    candidates: tuple[str, ...] = ()
    words: dict[str, str] = field(default_factory=dict)


@dataclass
class Guesses:
    """What a log may be. ``datetimes``/``dates``: formats that read all values; several where the order is open."""

    pack: Pack
    columns: list[Guess]
    datetimes: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    like_time: str = ""
    like_date: str = ""

    @property
    def missing(self) -> list[str]:
        there = {name for guess in self.columns for name in guess.ours}
        return [c.name for c in self.pack.columns if c.required and not c.derived and c.name not in there]


def guess(seen: Glimpse, packs: Sequence[Pack]) -> Guesses:
    """The pack that most columns fit, and what each column is taken for."""
    return max((_Guessing(seen, pack).all() for pack in packs), key=_fit)


def _fit(guesses: Guesses) -> tuple[float, str]:
    return sum(len(guess.ours) * (2 if guess.how == "same" else 1) for guess in guesses.columns), guesses.pack.name


class _Guessing:
    def __init__(self, seen: Glimpse, pack: Pack) -> None:
        self._pack = pack
        self._columns = [column for column in pack.columns if not column.derived]
        self._synonyms = {
            fold_name(word): ours
            for ours, words in pack.catalogue.table("synonyms").items()
            for word in words.split(",")
            if any(column.name == ours for column in self._columns)
        }
        self._guesses = [Guess(name, values) for name, values in zip(seen.names, seen.columns, strict=True)]
        self._taken: set[str] = set()
        self._formats = self._times(_FORMATS)
        days = tuple(dict.fromkeys(map(date_part, _FORMATS)))
        self._days = self._times(days)
        self._habits = Habits(datetimes=self._formats[:1], dates=self._days[:1])

    def _times(self, formats: Sequence[str]) -> tuple[str, ...]:
        """The formats that read most of the columns that are not ISO 8601 and read as times at all."""
        column = Column("time", Kind.TIME if "%H" in formats[0] or "%I" in formats[0] else Kind.DATE)
        reading: dict[str, int] = {}
        for guess in self._guesses:
            if _share(Reader(column), guess.values) or not re.search(r"\d[/.\- ]", " ".join(guess.values[:20])):
                continue
            for form in formats:
                habits = Habits(datetimes=(spelled_out(form),), dates=(form,))
                if _share(Reader(column, habits), guess.values) == 1:
                    reading[form] = reading.get(form, 0) + 1
        most = max(reading.values(), default=0)
        return tuple(form for form in formats if most and reading.get(form) == most)

    def all(self) -> Guesses:
        self._by_name()
        self._three_in_one()
        self._by_values()
        for guess in self._guesses:
            if guess.ours and not guess.words:
                self._foreign_words(guess)
        guesses = Guesses(self._pack, self._guesses)
        kinds = {self._column(guess.ours[0]).kind: guess for guess in self._guesses if guess.ours and guess.readable}
        if Kind.TIME in kinds and self._formats and not _share(Reader(Column("t", Kind.TIME)), kinds[Kind.TIME].values):
            guesses.datetimes, guesses.like_time = self._formats, _first(kinds[Kind.TIME].values)
        if Kind.DATE in kinds and self._days and not _share(Reader(Column("d", Kind.DATE)), kinds[Kind.DATE].values):
            guesses.dates, guesses.like_date = self._days, _first(kinds[Kind.DATE].values)
        return guesses

    def _column(self, name: str) -> Column:
        return self._pack.by_name[name]

    def _by_name(self) -> None:
        """Names that are ours, then those that mean ours, then those that are nearly so, the most alike first."""
        pairs = []
        ours = {fold_name(column.name): column.name for column in self._columns}
        for place, guess in enumerate(self._guesses):
            folded = fold_name(guess.theirs.replace(".", "_"))
            ends = [
                fold_name("_".join(guess.theirs.split(".")[skip:])) for skip in range(1, guess.theirs.count(".") + 1)
            ]
            if folded in ours or any(end in ours for end in ends):
                name = ours.get(folded) or next(ours[end] for end in ends if end in ours)
                pairs.append((2.0, place, name))
                continue
            if folded in self._synonyms:
                pairs.append((1.5, place, self._synonyms[folded]))
            for known, name in (*ours.items(), *self._synonyms.items()):
                alike = difflib.SequenceMatcher(None, folded, known).ratio()
                if alike >= _ALIKE:
                    pairs.append((alike, place, name))
        for alike, place, name in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
            guess = self._guesses[place]
            share = self._share(name, guess)
            if not guess.ours and name not in self._taken and (alike >= 1.5 or share >= _READABLE):
                self._take(guess, (name,), "same" if alike == 2 else "by_name", share)

    def _share(self, name: str, guess: Guess) -> float:
        return _share(Reader(self._column(name), self._habits), guess.values)

    def _take(self, guess: Guess, ours: tuple[str, ...], how: str, share: float) -> None:
        guess.ours, guess.how, guess.readable = ours, how, share
        self._taken.update(ours)

    def _three_in_one(self) -> None:
        """A cell such as ``3-4-2`` tells of all dice what was called."""
        fields = ("called", "observed")
        if len(self._pack.parts) < 2:
            return
        for guess in self._guesses:
            known = [value for value in guess.values if value.strip()]
            told = [value for value in known if _faces(value, len(self._pack.parts))]
            if guess.ours or not known or len(told) < 0.9 * len(known):
                continue
            for name in fields:
                ours = tuple(f"{part}_{name}" for part in self._pack.parts)
                if all(one in self._pack.by_name and one not in self._taken for one in ours):
                    self._take(guess, ours, "three", len(told) / len(known))
                    break

    def _by_values(self) -> None:
        """Words that only one of our columns has give a column away; of the others the candidates are named."""
        for guess in self._guesses:
            if guess.ours or not any(value.strip() for value in guess.values):
                continue
            fits = [c for c in self._columns if c.name not in self._taken and c.kind in _TELLING]
            shares = sorted(((self._share(column.name, guess), column.name) for column in fits), reverse=True)
            good = [(share, name) for share, name in shares if share >= 0.9]
            if len(good) == 1 and self._column(good[0][1]).kind in (Kind.CHOICE, Kind.CHOICES):
                self._take(guess, (good[0][1],), "by_values", good[0][0])
            else:
                guess.candidates = tuple(name for _, name in good[:4])

    def _foreign_words(self, guess: Guess) -> None:
        """Words that the column cannot hold: ours, where they are yes or no in another language; else open."""
        column = self._column(guess.ours[0])
        if column.kind not in (Kind.BOOL, Kind.CHOICE, Kind.CHOICES):
            return
        reader = Reader(column, self._habits)
        for value in dict.fromkeys(value.strip() for value in guess.values):
            if value.casefold() in BLANK_TYPED or reader.holds(value):
                continue
            folded = value.casefold()
            if column.kind is Kind.BOOL:
                guess.words[value] = "yes" if folded in _YES else "no" if folded in _NO else ""
            else:
                alike = difflib.get_close_matches(folded.replace(" ", "_"), column.words, n=1, cutoff=0.6)
                guess.words[value] = self._synonym_word(folded) or (alike[0] if alike else "")

    def _synonym_word(self, folded: str) -> str:
        for ours, words in self._pack.catalogue.table("word_synonyms").items():
            if folded in (word.strip() for word in words.split(",")):
                return ours
        return ""


def _faces(text: str, wanted: int) -> bool:
    pieces = pieces_of_cell(text, wanted)
    return pieces is not None and all(piece in ("1", "2", "3", "4", "5", "6") for piece in pieces)


def _first(values: Sequence[str]) -> str:
    return next((value.strip() for value in values if value.strip()), "")


def _share(reader: Reader, values: Sequence[str]) -> float:
    """The share of the filled values that the column can hold."""
    known = [value for value in values if value.strip() not in BLANK_EVERYWHERE]
    if not known:
        return 0.0
    texts = pa.array(known, pa.string())
    typed = read_cells(reader, texts)
    return 1 - len(typed.unreadable) / len(known)
