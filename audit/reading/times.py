"""Instants from text, and local times from a time zone.

An instant is stored as microseconds UTC. What a time without offset means is the zone's to say; a local time that
occurs twice, or never, is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.errors import UsageError

MICRO = 1_000_000
_QUARTER = 900 * MICRO
_EPOCH = datetime(1970, 1, 1)

_ISO = (
    r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?"
    r"(?:(?P<offset>Z|z|[+-]\d{2}(?::?\d{2})?))?$"
)
_ISO_RE = re.compile(_ISO)
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


def _offset_minutes(text: str) -> int:
    if text in ("Z", "z"):
        return 0
    digits = text[1:].replace(":", "").ljust(4, "0")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return -minutes if text[0] == "-" else minutes


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
    if offset is not None and abs(offset) >= 24 * 60:
        return None
    since = stamp - _EPOCH
    return (since.days * 86400 + since.seconds) * MICRO + since.microseconds, offset


Parser = Callable[[str], tuple[int, int | None] | None]


def _one_shape(text: Any) -> Parsed | None:
    """The quick way, for a column whose cells all end in one and the same offset and are all well-formed."""
    lengths = pc.min_max(pc.binary_length(text)).as_py()
    shortest, longest = lengths["min"], lengths["max"]
    if shortest is None or shortest < 16 or longest > 32:
        return None
    first = next(value for value in text.slice(0, text.null_count + 1).to_pylist() if value is not None)
    match = _ISO_RE.match(first)
    if match is None:
        return None
    suffix = match["offset"] or ""
    if suffix:
        if not pc.all(pc.ends_with(text, suffix)).as_py():
            return None
        body = pc.utf8_slice_codeunits(text, 0, stop=-len(suffix))
        if pc.min(pc.binary_length(body)).as_py() < 16:
            return None
    else:
        body = text
    try:
        wall = body.cast(_NAIVE)
    except pa.ArrowInvalid:
        return None
    offsets = np.full(len(text), _offset_minutes(suffix) if suffix else 0, dtype=np.int32)
    known = text.is_valid().to_numpy(zero_copy_only=False)
    offset = pa.array(offsets, mask=~known) if suffix else pa.nulls(len(text), pa.int32())
    return Parsed(wall.cast(pa.int64()), offset, np.zeros(len(text), dtype=bool))


def parse(text: Any) -> Parsed:
    """Read a column of trimmed texts, null where blank."""
    if text.null_count == len(text):
        return Parsed(pa.nulls(len(text), pa.int64()), pa.nulls(len(text), pa.int32()), np.zeros(len(text), bool))
    quick = _one_shape(text)
    if quick is not None:
        return quick
    coded = text.dictionary_encode()
    each = [parse_one(value) for value in coded.dictionary.to_pylist()]
    walls = pa.array([one[0] if one else None for one in each], pa.int64())
    offsets = pa.array([one[1] if one else None for one in each], pa.int32())
    wall = walls.take(coded.indices)
    unreadable = (text.is_valid().to_numpy(zero_copy_only=False)) & ~wall.is_valid().to_numpy(zero_copy_only=False)
    return Parsed(wall, offsets.take(coded.indices), unreadable)


@lru_cache(maxsize=65536)
def _offsets_at(zone: ZoneInfo, quarter: int) -> tuple[int, int]:
    """Offsets in minutes of a local quarter of an hour: if it is the first time it occurs, and the second."""
    local = _EPOCH + timedelta(microseconds=quarter * _QUARTER)
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
    moment = datetime.fromtimestamp(quarter * _QUARTER // MICRO, UTC).astimezone(zone)
    return int((moment.utcoffset() or timedelta()).total_seconds() // 60)


def offsets_in(zone: ZoneInfo, instant: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The zone's offset in minutes at each instant."""
    quarters, where = np.unique(instant // _QUARTER, return_inverse=True)
    return np.array([_offset_of(zone, int(q)) for q in quarters], dtype=np.int32)[where]
