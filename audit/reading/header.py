"""The header of a log: which of its columns are ours, which pack it belongs to, which delimiter proves itself."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading.cells import fold
from audit.reading.profile import Profile
from rules.kit import Column, Kind, Pack

DELIMITERS = (",", ";", "\t", "|")
#: The header stands within the first rows that are not blank; above it titles may stand.
HEADER_WITHIN = 20
#: The most columns of a log.
COLUMNS = 5_000


def fold_name(name: str) -> str:
    """Case, spaces, ``-`` and ``_`` do not matter in column names."""
    return fold(name.strip().strip("\ufeff"))


class HeaderError(UnreadableInputError):
    """These names are not the header of a log of ours. ``ours``: how many of them are columns of ours."""

    def __init__(self, reason: str, ours: int) -> None:
        super().__init__(reason)
        self.ours = ours


@dataclass(frozen=True)
class Wanted:
    """Our columns and the places of the log's columns that they come from.

    One of each, mostly. Several columns: one cell tells of several dice; several places: cells that make one together.
    """

    columns: tuple[Column, ...]
    places: tuple[int, ...]


@dataclass(frozen=True)
class Header:
    """The names of a log's columns and what is wanted of them. ``absent``: names in the profile that it lacks."""

    pack: Pack
    names: tuple[str, ...]
    wanted: tuple[Wanted, ...]
    ignored: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    constants: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for wanted in self.wanted for column in wanted.columns)


def columns_of(pack: Pack, profile: Profile) -> tuple[Column, ...]:
    """The columns that a log of the pack can have; in one with a row a die, each die's field once."""
    own = [column for column in pack.columns if not column.derived]
    if profile.long is None:
        return tuple(own)
    fields = {column.field: replace(column, name=column.field, part="") for column in own if column.part}
    return (*(column for column in own if not column.part), *fields.values())


class _Names:
    """What the names of a log mean for one pack."""

    def __init__(self, names: Sequence[str], pack: Pack, profile: Profile) -> None:
        self.pack, self.profile = pack, profile
        self.ours = {column.name: column for column in columns_of(pack, profile)}
        self.names = names
        self._by_fold = {fold_name(name): name for name in self.ours}
        self._theirs = {fold_name(theirs): ours for theirs, ours in profile.columns.items()}
        self._skip = {fold_name(name) for name in profile.ignore}
        self._joined = {fold_name(name) for parts in profile.join.values() for name in parts}
        if profile.long is not None:
            self._joined.add(fold_name(profile.long.die))
        self.meant = [self._meaning(name) for name in names]
        exact = {ours[0] for ours, sure in self.meant if sure and len(ours) == 1}
        self.meant = [
            ((), False) if ours and not sure and len(ours) == 1 and ours[0] in exact else (ours, sure)
            for ours, sure in self.meant
        ]

    def _meaning(self, name: str) -> tuple[tuple[str, ...], bool]:
        """Our columns for a name, and whether it says so itself: a nested name may only end in ours."""
        folded = fold_name(name)
        if folded in self._theirs:
            return tuple(ours for ours in self._theirs[folded] if ours in self.ours), True
        if folded in self._skip or folded in self._joined:
            return (), True
        if folded in self._by_fold:
            return (self._by_fold[folded],), True
        parts = name.split(".")
        for skipped in range(len(parts) if len(parts) > 1 else 0):
            ours = self._by_fold.get(fold_name("_".join(parts[skipped:])))
            if ours:
                return (ours,), skipped == 0
        return (), False

    @property
    def count(self) -> int:
        return len({name for ours, _ in self.meant for name in ours}) + len(self._joins())

    def _joins(self) -> dict[str, tuple[int, ...]]:
        places = {fold_name(name): place for place, name in reversed(list(enumerate(self.names)))}
        return {
            ours: tuple(places[fold_name(part)] for part in parts)
            for ours, parts in self.profile.join.items()
            if ours in self.ours and all(fold_name(part) in places for part in parts)
        }

    def missing(self) -> list[str]:
        there = {name for ours, _ in self.meant for name in ours} | set(self._joins()) | set(self.profile.constants)
        lacking = [name for name, column in self.ours.items() if column.required and name not in there]
        long = self.profile.long
        if long is not None and fold_name(long.die) not in set(map(fold_name, self.names)):
            lacking.append(long.die)
        return lacking

    def twice(self) -> list[str]:
        """Names that stand twice, or are one column of ours."""
        counts = Counter(fold_name(name) for name in self.names if name)
        ours = Counter(name for meant, _ in self.meant for name in meant)
        ours.update(self._joins().keys())
        again = {name for name, count in ours.items() if count > 1}
        found = {name for name in self.names if name and counts[fold_name(name)] > 1}
        found |= {name for name, (meant, _) in zip(self.names, self.meant, strict=True) if again & set(meant)}
        return sorted(found)

    def header(self) -> Header:
        wanted = [
            Wanted(tuple(self.ours[name] for name in ours), (place,))
            for place, (ours, _) in enumerate(self.meant)
            if ours
        ]
        wanted += [Wanted((self.ours[name],), places) for name, places in self._joins().items()]
        there = set(map(fold_name, self.names))
        named = [*self.profile.columns, *(part for parts in self.profile.join.values() for part in parts)]
        taken = self._skip | self._joined
        known = {column.name for each in wanted for column in each.columns}
        return Header(
            self.pack,
            tuple(self.names),
            tuple(wanted),
            tuple(
                name
                for name, (ours, _) in zip(self.names, self.meant, strict=True)
                if name and not ours and fold_name(name) not in taken
            ),
            tuple(name for name in named if fold_name(name) not in there),
            {name: text for name, text in self.profile.constants.items() if name in self.ours and name not in known},
        )


def understand(
    names: Sequence[str], wanted: Pack | None, packs: Sequence[Pack], profile: Profile, whole: bool = True
) -> Header:
    """The header that ``names`` are, for the pack ``wanted`` or the one that they fit.

    Raises HeaderError where they are none; not ``whole``: some columns may stand elsewhere.
    """
    if len(names) > COLUMNS:
        raise UnreadableInputError(errors.too_many_columns(len(names), COLUMNS), 1)
    names = tuple(name.strip().strip("\ufeff") for name in names)
    known = {pack.name: pack for pack in (*packs, *([wanted] if wanted else []))}
    readings = {name: _Names(names, pack, profile) for name, pack in known.items()}
    fits = sorted(readings.values(), key=lambda reading: (-reading.count, reading.pack.name))
    complete = [reading for reading in fits if reading.count and not reading.missing()]
    chosen = readings[wanted.name] if wanted else complete[0] if complete else None
    if chosen is None:
        closest = fits[0] if fits else None
        if closest is None or closest.count < 2:
            raise HeaderError(errors.no_pack([pack.name for pack in packs]), closest.count if closest else 0)
        raise HeaderError(errors.not_our_header(closest.missing(), closest.pack.name, ""), closest.count)
    missing = chosen.missing()
    if missing and whole:
        resembles = next((other.pack.name for other in complete if other is not chosen), "")
        raise HeaderError(errors.not_our_header(missing, chosen.pack.name, resembles), chosen.count)
    twice = chosen.twice()
    if twice:
        raise UnreadableInputError(errors.column_twice(twice), 1)
    return chosen.header()


def counted(names: Sequence[str], packs: Sequence[Pack], profile: Profile) -> int:
    """How many of the names are columns of ours, for the pack that they fit best."""
    return max((_Names(names, pack, profile).count for pack in packs), default=0)


def prove_delimiter(line: str, wanted: Pack | None, packs: Sequence[Pack], profile: Profile) -> tuple[str, Header]:
    """The delimiter under which the header line holds most of our columns, and that header.

    Raises HeaderError, with the words for the most likely delimiter.
    """
    candidates = [wanted] if wanted else list(packs)

    def ours(delimiter: str) -> int:
        return counted(_split(line, delimiter), candidates, profile)

    delimiters = (profile.delimiter,) if profile.delimiter else DELIMITERS
    best = max(delimiters, key=lambda d: (ours(d), line.count(d)))
    return best, understand(_split(line, best), wanted, packs, profile)


def _split(line: str, delimiter: str) -> list[str]:
    return [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]


def kept(column: Column, pack: Pack) -> bool:
    """Whether the column is read at all: remarks are not, but for what leads to the evidence."""
    return column.kind is not Kind.TEXT or column.name == pack.roles.evidence
