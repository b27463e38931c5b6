"""Times as a house says that it writes them: ``%m/%d/%Y %I:%M:%S %p`` and the like, a column at a time.

Cells of one width are cut by place, as columns of digits; the others are padded to that width, and what is left is
read one by one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.reading import times
from audit.reading.times import Parsed
from audit.text_bytes import bytes_of

Ints = np.ndarray[Any, np.dtype[np.integer[Any]]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]

_WIDTHS = {"Y": 4, "y": 2, "m": 2, "d": 2, "H": 2, "I": 2, "M": 2, "S": 2, "p": 2, "b": 3, "f": 6}
_SHORT_FOR = {"%T": "%H:%M:%S", "%R": "%H:%M", "%D": "%m/%d/%y", "%F": "%Y-%m-%d", "%e": "%d", "%h": "%b", "%l": "%I"}
_KNOWN = frozenset("YymdHIMSpbBfzaAj")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
#: So many cells at a time: what is in hand stays in the processor's cache.
_TOGETHER = 16_384
_MICRO = 1_000_000
_EPOCH, _MICROSECOND = datetime(1970, 1, 1), timedelta(microseconds=1)


def spelled_out(form: str) -> str:
    """The format without shorthands. Raises ValueError, with what is wrong, where it cannot say what a time is."""
    for short, long in _SHORT_FOR.items():
        form = form.replace(short, long)
    directives = re.findall(r"%(-?.?)", form)
    for directive in directives:
        if directive.removeprefix("-") not in _KNOWN and directive != "%":
            raise ValueError(f"%{directive} is no part of a time that is known here")
    form = form.replace("%-", "%")
    there = set("".join(re.findall(r"%(.)", form)))
    if not {"d", "j"} & there or not {"Y", "y"} & there or not {"m", "b", "B", "j"} & there:
        raise ValueError("a format names day, month and year")
    if "I" in there and "p" not in there:
        raise ValueError("%I, the hour of a 12-hour clock, needs %p")
    return form


def date_part(form: str) -> str:
    """The part of a format of times that says the day."""
    words = [word for word in form.split() if not re.search(r"%[HIMSpfz]", word)]
    return " ".join(words)


@dataclass(frozen=True)
class _Slots:
    """A format whose parts all have one width: where each stands, and what stands between."""

    width: int
    at: tuple[tuple[str, int], ...]
    literals: tuple[tuple[int, int], ...]


@lru_cache(maxsize=64)
def _slots(form: str) -> _Slots | None:
    place, at, literals = 0, [], []
    for piece in re.findall(r"%.|[^%]", form):
        if piece.startswith("%") and piece != "%%":
            width = _WIDTHS.get(piece[1])
            if width is None or (piece == "%f" and not form.endswith("%f")):
                return None
            at.append((piece[1], place))
            place += width
        else:
            if ord(piece[-1]) > 127:
                return None
            literals.append((place, ord(piece[-1])))
            place += 1
    return _Slots(place, tuple(at), tuple(literals))


@lru_cache(maxsize=64)
def _pattern(form: str) -> str:
    """What a cell in the format looks like, with or without leading zeros."""
    whole = {"Y": r"\d{4}", "y": r"\d{2}", "f": r"\d{6}", "p": "[A-Za-z]{2}", "b": "[A-Za-z]{3}"}
    pieces = re.findall(r"%.|[^%]", form)
    parts = [whole.get(p[1], r"\d{1,2}") if p[0] == "%" and p != "%%" else re.escape(p[-1]) for p in pieces]
    return "^" + "".join(parts) + "$"


def parse(text: Any, formats: Sequence[str]) -> Parsed:
    """Read a column of trimmed texts, null where blank: each in the first of ``formats`` that fits, else ISO 8601."""
    wall = np.zeros(len(text), dtype=np.int64)
    offset = np.zeros(len(text), dtype=np.int32)
    has_offset = np.zeros(len(text), dtype=bool)
    left: Ints = np.flatnonzero(text.is_valid().to_numpy(zero_copy_only=False))
    for form in formats:
        left = _fixed(text, form, left, wall)
    if len(left):
        iso = times.parse(text.take(pa.array(left)))
        known = iso.wall.is_valid().to_numpy(zero_copy_only=False)
        rows = left[known]
        wall[rows] = iso.wall.fill_null(0).to_numpy(zero_copy_only=False)[known]
        has_offset[rows] = iso.offset.is_valid().to_numpy(zero_copy_only=False)[known]
        offset[rows] = iso.offset.fill_null(0).to_numpy(zero_copy_only=False)[known]
        left = _one_by_one(text, formats, left[~known], wall, offset, has_offset)
    unreadable = np.zeros(len(text), dtype=bool)
    unreadable[left] = True
    blank = ~text.is_valid().to_numpy(zero_copy_only=False) | unreadable
    return Parsed(pa.array(wall, mask=blank), pa.array(offset, mask=blank | ~has_offset), unreadable)


def _fixed(text: Any, form: str, rows: Ints, wall: Ints) -> Ints:
    """Fill in the times that fit a format of fixed places; the rows that do not are returned."""
    slots = _slots(form)
    if slots is None or not len(rows):
        return rows
    cells = text if len(rows) == len(text) else text.take(pa.array(rows))
    size = pc.binary_length(cells).to_numpy(zero_copy_only=False)
    if (size != slots.width).any():  # numbers without their leading zeros; a year has all its digits
        padded = pc.replace_substring_regex(cells, r"\b(\d)\b", r"0\1")
        cells = pc.if_else(pc.match_substring_regex(cells, _pattern(form)), padded, cells)
        size = pc.binary_length(cells).to_numpy(zero_copy_only=False)
    fits = np.flatnonzero(size == slots.width)
    if not len(fits):
        return rows
    cells = cells if len(fits) == len(cells) else cells.take(pa.array(fits))
    matrix = bytes_of(cells).reshape(len(fits), slots.width)
    parts = [_cut(matrix[at : at + _TOGETHER], slots) for at in range(0, len(matrix), _TOGETHER)]
    micro, good = (np.concatenate(part) for part in zip(*parts, strict=True))
    wall[rows[fits[good]]] = micro[good]
    kept = np.ones(len(rows), dtype=bool)
    kept[fits[good]] = False
    return rows[kept]


def _cut(matrix: Bytes, slots: _Slots) -> tuple[Ints, Bools]:
    """Microseconds since 1970 on the wall clock, and which rows name a time at all."""
    columns = np.ascontiguousarray(matrix.T)
    good = np.ones(len(matrix), dtype=bool)
    for place, byte in slots.literals:
        good &= columns[place] == byte
    values = {name: _value(name, columns[place : place + _WIDTHS[name]], good) for name, place in slots.at}
    return _microseconds(values, good), good


def _value(name: str, columns: Bytes, good: Bools) -> Ints:
    """The numbers that stand at one place; ``good`` loses the rows where none does."""
    if name == "p":
        half, last = columns[0] | 0x20, columns[1] | 0x20
        good &= ((half == ord("a")) | (half == ord("p"))) & (last == ord("m"))
        afternoon: Ints = (half == ord("p")).astype(np.int32)
        return afternoon
    if name == "b":
        month: Ints = np.zeros(columns.shape[1], dtype=np.int32)
        for number, word in enumerate(_MONTHS, 1):
            month[((columns | 0x20) == np.frombuffer(word.encode(), dtype=np.uint8)[:, None]).all(axis=0)] = number
        good &= month > 0
        return month
    digits = columns - np.uint8(ord("0"))
    good &= (digits <= 9).all(axis=0)
    total: Ints = digits[0].astype(np.int32)
    for row in digits[1:]:
        total = total * 10 + row
    return total


def _microseconds(values: Mapping[str, Ints], good: Bools) -> Ints:
    """Microseconds since 1970 on the wall clock; ``good`` loses the rows that name no time."""
    nothing = np.zeros(len(good), dtype=np.int32)
    short = values.get("y", nothing)
    year = values["Y"] if "Y" in values else np.where(short < 69, 2000, 1900) + short
    month = values.get("m", values.get("b", nothing))
    day = values["d"]
    hour = values.get("H", nothing)
    if "I" in values:
        good &= (values["I"] >= 1) & (values["I"] <= 12)
        hour = values["I"] % 12 + 12 * values["p"]
    minute, second = values.get("M", nothing), values.get("S", nothing)
    good &= (month >= 1) & (month <= 12) & (year >= 1) & (year <= 9999) & (hour < 24) & (minute < 60) & (second < 60)
    place = np.where(good, year * 12 + month - 1, 0)
    begins = _first_days()[place]
    good &= (day >= 1) & (day <= _first_days()[place + 1] - begins)
    seconds = (hour * 60 + minute) * 60 + second
    micro: Ints = np.asarray(((begins + day - 1) * np.int64(86400) + seconds) * _MICRO + values.get("f", nothing))
    return micro


@lru_cache(maxsize=1)
def _first_days() -> Ints:
    """Days from 1970 to the first of each month, by year × 12 + month - 1."""
    months = np.arange(-1970 * 12, (10_000 - 1970) * 12 + 1).astype("datetime64[M]")
    days: Ints = months.astype("datetime64[D]").astype(np.int64).astype(np.int32)
    return days


def _one_by_one(text: Any, formats: Sequence[str], rows: Ints, wall: Ints, offset: Ints, has_offset: Bools) -> Ints:
    """Fill in what Python's own reader makes of the cells; the rows of which it makes nothing are returned."""
    left = []
    for row in rows.tolist():
        stamp = _read(text[row].as_py(), formats)
        if stamp is None:
            left.append(row)
            continue
        away = stamp.utcoffset()
        if away is not None:
            offset[row], has_offset[row] = int(away.total_seconds() // 60), True
        wall[row] = int((stamp.replace(tzinfo=None) - _EPOCH) / _MICROSECOND)
    return np.array(left, dtype=np.int64)


@lru_cache(maxsize=65536)
def _read(text: str, formats: tuple[str, ...]) -> datetime | None:
    for form in formats:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return None


def parse_one(text: str, formats: Sequence[str]) -> tuple[int, int | None] | None:
    """Wall clock (microseconds) and offset (minutes) of one time; ``None`` where it is none."""
    parsed = parse(pa.array([text], pa.string()), tuple(formats))
    if not parsed.wall[0].is_valid:
        return None
    return parsed.wall[0].as_py(), parsed.offset[0].as_py()
