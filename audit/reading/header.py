"""The header of a log: which delimiter proves itself, which columns are ours, which pack it belongs to."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading.cells import fold
from rules.kit import Column, Pack

DELIMITERS = (",", ";", "\t", "|")


def fold_name(name: str) -> str:
    """Case, spaces, ``-`` and ``_`` do not matter in column names."""
    return fold(name.strip().strip("\ufeff"))


@dataclass(frozen=True)
class Header:
    """``columns``: our column at each place, ``None`` where it is none of ours; ``ignored``: names of the latter."""

    pack: Pack
    names: tuple[str, ...]
    columns: tuple[Column | None, ...]

    @property
    def ignored(self) -> tuple[str, ...]:
        return tuple(name for name, column in zip(self.names, self.columns, strict=True) if column is None and name)


def _split(line: str, delimiter: str) -> list[str]:
    return [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]


def match(names: Sequence[str], pack: Pack) -> tuple[Column | None, ...]:
    """Our column for each of the names."""
    ours = {fold_name(column.name): column for column in pack.columns if not column.derived}
    return tuple(ours.get(fold_name(name)) for name in names)


def _missing(columns: Sequence[Column | None], pack: Pack) -> list[str]:
    there = {column.name for column in columns if column}
    return [
        column.name for column in pack.columns if column.required and not column.derived and column.name not in there
    ]


def _twice(names: Sequence[str]) -> list[str]:
    counts = Counter(fold_name(name) for name in names if name)
    return sorted({name for name in names if name and counts[fold_name(name)] > 1})


def understand(names: Sequence[str], wanted: Pack | None, packs: Sequence[Pack]) -> Header:
    """The header that ``names`` are, for the pack ``wanted`` or the one that they fit. Raises UnreadableInputError."""
    names = tuple(name.strip().strip("\ufeff") for name in names)
    fits = sorted(
        ((sum(c is not None for c in match(names, pack)), pack) for pack in packs),
        key=lambda fit: (-fit[0], fit[1].name),
    )
    complete = [pack for count, pack in fits if count and not _missing(match(names, pack), pack)]
    pack = wanted or (complete[0] if complete else None)
    if pack is None:
        count, closest = fits[0] if fits else (0, None)
        if closest is None or count < 2:
            raise UnreadableInputError(errors.no_pack([pack.name for pack in packs]), 1)
        missing = _missing(match(names, closest), closest)
        raise UnreadableInputError(errors.not_our_header(missing, closest.name, ""), 1)
    columns = match(names, pack)
    missing = _missing(columns, pack)
    if missing:
        resembles = next((other.name for other in complete if other is not pack), "")
        raise UnreadableInputError(errors.not_our_header(missing, pack.name, resembles), 1)
    twice = _twice(names)
    if twice:
        raise UnreadableInputError(errors.column_twice(twice), 1)
    return Header(pack, names, columns)


def prove_delimiter(line: str, wanted: Pack | None, packs: Sequence[Pack]) -> tuple[str, Header]:
    """The delimiter under which the header line holds most of our columns, and that header.

    Raises UnreadableInputError, with the words for the most likely delimiter.
    """
    candidates = [wanted] if wanted else list(packs)

    def ours(delimiter: str) -> int:
        names = _split(line, delimiter)
        return max((sum(c is not None for c in match(names, pack)) for pack in candidates), default=0)

    best = max(DELIMITERS, key=lambda d: (ours(d), line.count(d)))
    return best, understand(_split(line, best), wanted, packs)
