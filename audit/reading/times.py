"""Instants from text, and local times from a time zone.

An instant is stored as microseconds UTC. What a time without offset means is the zone's to say; a local time that
occurs twice, or never, is counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa

from audit.errors import UsageError

MICRO = 1_000_000
_QUARTER = 900 * MICRO
_EPOCH = datetime(1970, 1, 1)
#: Offsets are looked up a day (so many quarters of an hour) at a time, up to so many days: ten years.
_QUARTERS, _MANY_DAYS = 96, 3700
_FIRST_QUARTER = (datetime(2, 1, 1) - _EPOCH) // timedelta(minutes=15)
_LAST_QUARTER = (datetime(9998, 12, 31) - _EPOCH) // timedelta(minutes=15)

_ISO = (
    r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?"
    r"(?:(?P<offset>Z|z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?))?$"
)
_ISO_RE = re.compile(_ISO)
_OFFSET_RE = re.compile(r"[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?")
_UTC = pa.timestamp("us", "UTC")
_NAIVE = pa.timestamp("us")


def zone(name: str) -> ZoneInfo:
    """The time zone ``name`` (IANA, such as America/New_York). Raises UsageError."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(f"unknown time zone {name!r}: expected one such as America/New_York") from error


@dataclass
class Parsed:
    """A column of times: wall clock as written (microseconds), offset in minutes; both null where not readable.

    A time without offset has a null ``offset``.
    """

    wall: Any
    offset: Any
    unreadable: np.ndarray[Any, Any]


def parse_if_alike(text: Any) -> Parsed | None:
    """Read a column of texts as they stand, if they are all there and of one shape; else ``None``."""
    return _one_shape(text) if len(text) and not text.null_count else None


def _offset_minutes(text: str) -> int:
    if text in ("Z", "z"):
        return 0
    digits = text[1:].replace(":", "").ljust(4, "0")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return -minutes if text[0] == "-" else minutes


def offset_minutes(text: str) -> int | None:
    """Minutes of an offset such as ``-05:00``; ``None`` where it is none."""
    return _offset_minutes(text) if _OFFSET_RE.fullmatch(text) else None


def parse_one(text: str) -> tuple[int, int | None] | None:
    """Wall clock (microseconds) and offset (minutes) of one ISO 8601 time; ``None`` where it is none."""
    match = _ISO_RE.match(text)
    if not match:
        return None
    body = text[: match.start("offset")] if match["offset"] else text
    try:
        stamp = datetime.fromisoformat(body.replace(",", ".").replace("T", " "))
    except ValueError:
        return None
    offset = _offset_minutes(match["offset"]) if match["offset"] else None
    since = stamp - _EPOCH
    return (since.days * 86400 + since.seconds) * MICRO + since.microseconds, offset


def _one_shape(text: Any) -> Parsed | None:
    """The quick way, for a column whose cells all have one length and end in an offset, or all in none.

    The body of each cell is cut out of Arrow's own buffer, so that Arrow's parser sees times without offset.
    """
    _, offsets_buffer, bytes_buffer = text.buffers()
    ends = np.frombuffer(offsets_buffer, dtype=np.int32)[text.offset : text.offset + len(text) + 1]
    width = int(ends[1] - ends[0])
    if not 16 <= width <= 32 or not (np.diff(ends) == width).all():
        return None
    first = text[0].as_py()
    match = _ISO_RE.match(first)
    if match is None or not first.isascii():
        return None
    cells = np.frombuffer(bytes_buffer, dtype=np.uint8)[ends[0] : ends[-1]].reshape(len(text), width)
    body = width - len(match["offset"] or "")
    offset = _shared_offsets(cells[:, body:]) if match["offset"] else pa.nulls(len(text), pa.int32())
    if offset is None:
        return None
    cut = np.ascontiguousarray(cells[:, :body])
    places = np.arange(0, (len(text) + 1) * body, body, dtype=np.int32)
    bodies = pa.StringArray.from_buffers(len(text), pa.py_buffer(places), pa.py_buffer(cut))
    try:
        wall = bodies.cast(_NAIVE)
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None
    return Parsed(wall.cast(pa.int64()), offset, np.zeros(len(text), dtype=bool))


def _shared_offsets(suffixes: np.ndarray[Any, Any]) -> Any:
    """Offsets in minutes of fixed-width suffixes; ``None`` where one of them is no offset."""
    width = suffixes.shape[1]
    if (suffixes == suffixes[0]).all():
        different, where = suffixes[:1].tobytes(), np.zeros(len(suffixes), dtype=np.int64)
    else:
        texts, where = np.unique(np.ascontiguousarray(suffixes).view(f"S{width}").ravel(), return_inverse=True)
        different = b"".join(text.ljust(width, b"\0") for text in texts.tolist())
    minutes = []
    for at in range(0, len(different), width):
        suffix = different[at : at + width].decode("latin-1")
        if not _OFFSET_RE.fullmatch(suffix):
            return None
        minutes.append(_offset_minutes(suffix))
    return pa.array(np.array(minutes, dtype=np.int32)[where])


def parse(text: Any) -> Parsed:
    """Read a column of trimmed texts, null where blank."""
    known = text.is_valid()
    if known.true_count == 0:
        return Parsed(pa.nulls(len(text), pa.int64()), pa.nulls(len(text), pa.int32()), np.zeros(len(text), bool))
    quick = _one_shape(text.filter(known) if text.null_count else text)
    if quick is not None:
        if not text.null_count:
            return quick
        places = np.cumsum(known.to_numpy(zero_copy_only=False)) - 1
        back = pa.array(places, mask=~known.to_numpy(zero_copy_only=False))
        return Parsed(quick.wall.take(back), quick.offset.take(back), np.zeros(len(text), bool))
    coded = text.dictionary_encode()
    each = [parse_one(value) for value in coded.dictionary.to_pylist()]
    walls = pa.array([one[0] if one else None for one in each], pa.int64())
    offsets = pa.array([one[1] if one else None for one in each], pa.int32())
    wall = walls.take(coded.indices)
    unreadable = (text.is_valid().to_numpy(zero_copy_only=False)) & ~wall.is_valid().to_numpy(zero_copy_only=False)
    return Parsed(wall, offsets.take(coded.indices), unreadable)


def _within(quarter: int) -> int:
    """The quarter of an hour, or the nearest of the years that a calendar and its zones can do."""
    return min(max(quarter, _FIRST_QUARTER), _LAST_QUARTER)


@lru_cache(maxsize=65536)
def _offsets_at(zone: ZoneInfo, quarter: int) -> tuple[int, int]:
    """Offsets in minutes of a local quarter of an hour: if it is the first time it occurs, and the second."""
    local = _EPOCH + timedelta(microseconds=_within(quarter) * _QUARTER)
    first = local.replace(tzinfo=zone, fold=0).utcoffset() or timedelta()
    second = local.replace(tzinfo=zone, fold=1).utcoffset() or timedelta()
    return int(first.total_seconds() // 60), int(second.total_seconds() // 60)


@dataclass
class Localized:
    """Instants of local times (microseconds UTC) with how they came about."""

    instant: np.ndarray[Any, Any]
    later: np.ndarray[Any, Any]
    twice: np.ndarray[Any, Any]
    never: np.ndarray[Any, Any]


def localize(wall: np.ndarray[Any, Any], zone: ZoneInfo) -> Localized:
    """Instants of wall clock times in ``zone``.

    A time that occurs twice gets its first instant, with the second in ``later``; one that the clocks skip is moved
    forward by what they skipped.
    """
    quarters, where = np.unique(wall // _QUARTER, return_inverse=True)
    pairs = np.array([_offsets_at(zone, int(q)) for q in quarters], dtype=np.int64).reshape(-1, 2)
    first, second = pairs[where, 0], pairs[where, 1]
    twice, never = first > second, first < second
    minute = 60 * MICRO
    return Localized(wall - first * minute, wall - second * minute, twice, never)


@lru_cache(maxsize=65536)
def _offset_of(zone: ZoneInfo, quarter: int) -> int:
    moment = datetime.fromtimestamp(_within(quarter) * _QUARTER // MICRO, UTC).astimezone(zone)
    return int((moment.utcoffset() or timedelta()).total_seconds() // 60)


@lru_cache(maxsize=8192)
def _offsets_of(zone: ZoneInfo, day: int) -> np.ndarray[Any, Any]:
    """The offsets of a day's quarters of an hour: looked up one by one only on a day whose ends differ."""
    first = day * _QUARTERS
    ends = _offset_of(zone, first), _offset_of(zone, first + _QUARTERS)
    if ends[0] == ends[1]:
        return np.full(_QUARTERS, ends[0], dtype=np.int32)
    return np.array([_offset_of(zone, quarter) for quarter in range(first, first + _QUARTERS)], dtype=np.int32)


def offsets_in(zone: ZoneInfo, instant: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The zone's offset in minutes at each instant."""
    if not len(instant):
        return np.zeros(0, dtype=np.int32)
    quarters = instant // _QUARTER
    first, last = int(quarters.min()) // _QUARTERS, int(quarters.max()) // _QUARTERS
    if last - first < _MANY_DAYS:
        table = np.concatenate([_offsets_of(zone, day) for day in range(first, last + 1)])
        offsets: np.ndarray[Any, Any] = table[quarters - first * _QUARTERS]
        return offsets
    different, where = np.unique(quarters, return_inverse=True)
    return np.array([_offset_of(zone, int(q)) for q in different], dtype=np.int32)[where]


def _fixed(place: str) -> int | None:
    return 0 if place in ("UTC", "Etc/UTC", "Z") else offset_minutes(place)


def is_zone(place: str) -> bool:
    """Whether it names a zone that is known, or is an offset."""
    try:
        return _fixed(place) is not None or bool(zone(place))
    except UsageError:
        return False


def offsets_at(place: str, instant: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The offset in minutes at each instant in a zone, by its name or as an offset. Raises UsageError."""
    minutes = _fixed(place)
    if minutes is not None:
        return np.full(len(instant), minutes, dtype=np.int32)
    return offsets_in(zone(place), instant)
