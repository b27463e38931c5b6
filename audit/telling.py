"""Sentences about events, made column by column: a template's text and its fields are joined for all rows at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rules import log_integrity
from rules.batch import Batch
from rules.catalogue import Catalogue, pieces_of
from rules.kit import Column, Kind, Pack, Phrases, Rule
from rules.truth import FACES, Face, Truth, Values

_DAY = 86_400_000_000


def few(text: str, size: int) -> Any:
    """The same text ``size`` times, held once."""
    codes = pa.array(np.zeros(size, dtype=np.int32))
    return pa.DictionaryArray.from_arrays(codes, pa.array([text], pa.string()))


def repeated(text: str, size: int) -> Any:
    """The same text ``size`` times."""
    return pa.array([text], pa.string()).take(pa.array(np.zeros(size, dtype=np.int32)))


def clause_in_full(pack: Pack, rule: Rule) -> str:
    """The clause in full, as it is cited."""
    if rule.clause == log_integrity.CLAUSE:
        return pack.catalogue.text("log_clause")
    return pack.catalogue.text("clause_prefix") + rule.clause


def iso_times(instant: np.ndarray[Any, Any], offset: np.ndarray[Any, Any]) -> Any:
    """ISO 8601 with offset (minutes), to the second unless there is more."""
    if not len(instant):
        return pa.array([], pa.string())
    wall = instant + offset.astype(np.int64) * 60_000_000
    whole = not (wall % 1_000_000).any()
    stamps = pa.array(wall // 1_000_000 if whole else wall).cast(pa.timestamp("s" if whole else "us"))
    different, place = np.unique(offset, return_inverse=True)
    suffixes = [f"{'-' if o < 0 else '+'}{abs(o) // 60:02d}:{abs(o) % 60:02d}" for o in different.tolist()]
    texts = pc.replace_substring(stamps.cast(pa.string()), " ", "T")
    return pc.binary_join_element_wise(texts, pa.array(suffixes).take(pa.array(place)), pa.scalar(""))


def iso_times_where_known(instant: Any, offset: np.ndarray[Any, Any]) -> Any:
    """The same for an Arrow array of instants, null where none is known."""
    if not instant.null_count:
        return iso_times(instant.to_numpy(), offset)
    known = instant.is_valid()
    texts = iso_times(instant.drop_null().to_numpy(), offset[known.to_numpy(zero_copy_only=False)])
    places = np.cumsum(known.to_numpy(zero_copy_only=False)) - 1
    return texts.take(pa.array(places, mask=~known.to_numpy(zero_copy_only=False)))


class Words:
    """The words of a pack and of the log rules: titles, templates, labels of values."""

    def __init__(self, pack: Pack, common: Catalogue) -> None:
        self.pack = pack
        self.common = common

    def rule(self, code: str, key: str) -> str:
        """A sentence of a rule; empty where it has none of that key."""
        for catalogue in (self.pack.catalogue, self.common):
            entry = catalogue.find("rules", code, key)
            if isinstance(entry, str):
                return entry
        return ""

    def phrases(self, code: str) -> Mapping[str, str]:
        return self.pack.catalogue.table("rules", code, "phrases") or self.common.table("rules", code, "phrases")

    def part(self, part: str) -> str:
        return str(self.pack.catalogue.find("parts", part) or part)

    def value(self, field: str, word: str) -> str:
        """How a word of a choice is said."""
        return str(self.pack.catalogue.find("values", field, word) or word.replace("_", " "))

    @cached_property
    def blank(self) -> Mapping[str, str]:
        return self.common.table("blank")

    def listed(self, items: list[str]) -> str:
        """``1``, ``1 and 4``, ``1, 2 and 4``."""
        if len(items) < 2:
            return "".join(items)
        return self.blank["comma"].join(items[:-1]) + self.blank["and"] + items[-1]


class Teller:
    """Tells of chosen rows of one batch. ``offset``: the event's offset from UTC in minutes."""

    def __init__(self, words: Words, batch: Batch, offset: Any, texts: Callable[[str], Any]) -> None:
        self.words = words
        self.batch = batch
        self._offset = offset
        self._texts = texts

    def tell(self, template: str, rows: Any, code: str, part: str, details: Mapping[str, Any]) -> Any:
        """The template for each of ``rows`` (an Arrow array of places in the batch)."""
        pieces = [
            self._field(text, rows, code, part, details) if is_field else pa.scalar(text)
            for text, is_field in pieces_of(template)
        ]
        if not any(isinstance(piece, pa.Array) for piece in pieces):
            return repeated("".join(piece.as_py() for piece in pieces), len(rows))
        told = pc.binary_join_element_wise(*pieces, pa.scalar(""))
        *_, (last, is_field) = pieces_of(template)
        ends_in_phrase = is_field and isinstance(details.get(last), Phrases)
        return pc.utf8_rtrim_whitespace(told) if ends_in_phrase else told

    def _field(self, name: str, rows: Any, code: str, part: str, details: Mapping[str, Any]) -> Any:
        if name in details:
            return self._detail(details[name], rows, code)
        if name == "die" and part:
            return pa.scalar(self.words.part(part))
        by_name = self.batch.pack.by_name
        column = by_name.get(f"{part}_{name}") or by_name.get(name)
        if column is None:
            raise KeyError(f"{code}: no field {name!r} for its message")
        return self.column(column, rows)

    def _detail(self, detail: Any, rows: Any, code: str) -> Any:
        if isinstance(detail, Phrases):
            keys = (detail.keys(rows) if callable(detail.keys) else detail.keys.take(rows)).dictionary_encode()
            phrases = self.words.phrases(code)
            said = [None if key is None else phrases[key] for key in keys.dictionary.to_pylist()]
            return self._or_blank(pa.array(said, pa.string()).take(keys.indices))
        if isinstance(detail, Face):
            detail = detail.array
        if callable(detail):
            return self._or_blank(detail(rows))
        if isinstance(detail, pa.Scalar):
            return pa.scalar(str(detail.as_py()))
        taken = detail.take(rows)
        return self._or_blank(taken if pa.types.is_string(taken.type) else taken.cast(pa.string()))

    def _or_blank(self, said: Any) -> Any:
        return said.fill_null(self.words.blank["value"])

    def column(self, column: Column, rows: Any) -> Any:
        """What stands in a column, in words."""
        values = self.batch.column(column.name)
        said = self._said(column, values, values.array.take(rows), rows).fill_null(self.words.blank["value"])
        if column.name in self.batch.unreadable:
            bad = values.unreadable.array.take(rows)
            said = pc.if_else(bad, pa.scalar(self.words.blank["unreadable"]), said)
        return said

    def _said(self, column: Column, values: Values, taken: Any, rows: Any) -> Any:
        blank = self.words.blank
        match column.kind:
            case Kind.ID | Kind.NOTATION:
                if pa.types.is_string(taken.type):
                    return taken
                return self._texts(column.name).take(taken)
            case Kind.BOOL:
                return pc.if_else(taken, pa.scalar(blank["yes"]), pa.scalar(blank["no"]))
            case Kind.CHOICE:
                labels = [self.words.value(column.field, word) for word in column.words]
                return pa.array(labels, pa.string()).take(taken)
            case Kind.CHOICES:
                labels = [self.words.value(column.field, word) for word in column.words]
                return pa.array(self._subsets(labels), pa.string()).take(taken)
            case Kind.FACES:
                faces = [str(face + 1) for face in range(FACES)]
                return pa.array(self._subsets(faces), pa.string()).take(taken)
            case Kind.TIME:
                return self._clock(taken, rows)
            case _:
                return taken.cast(pa.string())

    def _subsets(self, labels: list[str]) -> list[str]:
        """What each bit set over ``labels`` is called."""
        return [
            self.words.listed([label for bit, label in enumerate(labels) if mask >> bit & 1])
            or self.words.blank["none"]
            for mask in range(1 << len(labels))
        ]

    def _clock(self, taken: Any, rows: Any) -> Any:
        """Time of day by the event's own clock, with the date where it is not the event's."""
        offset = self._offset[rows.to_numpy()].astype(np.int64) * 60_000_000
        known = taken.is_valid().to_numpy(zero_copy_only=False)
        wall = taken.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False) + offset
        event = self.batch.column(self.batch.pack.roles.time).array.take(rows)
        event_day = (event.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False) + offset) // _DAY
        whole = not (wall[known] % 1_000_000).any()
        stamps = np.datetime_as_string(wall.astype("datetime64[us]"), unit="s" if whole else "ms")
        texts = pc.replace_substring(pa.array(stamps.astype(object), pa.string()), "T", " ")
        same_day = pa.array(wall // _DAY == event_day)
        said = pc.if_else(same_day, pc.utf8_slice_codeunits(texts, 11), texts)
        return pc.if_else(pa.array(known), said, pa.scalar(None, pa.string()))

    def missing(self, blanks: Mapping[str, Truth], rows: Any) -> Any:
        """Which columns are ``blanks`` in each row, by their names; null where none is."""
        separator = self.words.blank["comma"]
        pieces: list[Any] = [repeated("", len(rows))]  # Arrow drops rows in which all are null
        nothing = pa.scalar(None, pa.string())
        pieces += [pc.if_else(truth.array.take(rows), pa.scalar(name), nothing) for name, truth in blanks.items()]
        listed = pc.binary_join_element_wise(*pieces, pa.scalar(separator), null_handling="skip")
        listed = pc.utf8_slice_codeunits(listed, len(separator))
        return pc.if_else(pc.equal(listed, ""), nothing, listed)
