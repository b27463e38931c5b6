"""Columns of events as they are archived: words instead of codes, so that anybody can read them, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from audit.reading.events import Events
from rules.batch import STORED
from rules.kit import Column, Kind
from rules.truth import FACES

#: What the archive adds to the pack's columns. ``log_text`` is the row as it stood, ``log_line`` where.
LOG = ("log_sha256", "log_file", "log_line", "log_text", "utc_offset_minutes", "cells_filled", "cells_unreadable")
_NONE, _AND = "none", "|"


def _names(mask: int, words: Sequence[str]) -> str:
    return _AND.join(word for place, word in enumerate(words) if mask >> place & 1) or _NONE


def _words(column: Column) -> Sequence[str]:
    return [str(face) for face in range(1, FACES + 1)] if column.kind is Kind.FACES else column.words


def archived(events: Events, column: Column, array: Any) -> Any:
    """A typed column as it is archived."""
    if column.name in events.ids:
        return events.text_column(column.name).take(array).dictionary_encode()
    if column.kind is Kind.CHOICE:
        return pa.DictionaryArray.from_arrays(array.cast(pa.int32()), pa.array(column.words, pa.string()))
    if column.kind in (Kind.CHOICES, Kind.FACES):
        coded = array.dictionary_encode()
        texts = [_names(mask, _words(column)) for mask in coded.dictionary.to_pylist()]
        return pa.DictionaryArray.from_arrays(coded.indices, pa.array(texts, pa.string()))
    return array


def typed(column: Column, array: Any, ids: bool) -> Any:
    """An archived column as the rules read it; ``ids``: it is coded, and stays texts until the audit gives codes.

    Raises KeyError for a word that this edition of the pack does not know.
    """
    if ids:
        return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    if column.kind not in (Kind.CHOICE, Kind.CHOICES, Kind.FACES):
        return array.cast(pa.string() if column.coded else STORED[column.kind.value])
    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    place = {word: number for number, word in enumerate(_words(column))}
    values = []
    for text in coded.dictionary.to_pylist():
        if column.kind is Kind.CHOICE:
            values.append(place[text])
        else:
            values.append(sum(1 << place[word] for word in text.split(_AND) if text != _NONE))
    return pa.array(values, STORED[column.kind.value]).take(coded.indices)


def row_texts(table: Any, names: Sequence[str]) -> dict[str, Any]:
    """Columns of an archived table as plain texts, blank where nothing is known, to compare rows."""
    texts = {}
    for name in names:
        if name in table.schema.names:
            texts[name] = table[name].combine_chunks().cast(pa.string()).fill_null("")
        else:
            texts[name] = pa.array([""], pa.string()).take(pa.array(np.zeros(table.num_rows, dtype=np.int32)))
    return texts
