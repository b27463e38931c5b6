"""Profiles: a TOML file that says how one house's log is to be read and what the house has set."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from audit.errors import UsageError, unknown
from audit.reading.cells import Reader
from audit.reading.times import zone
from rules.kit import Disposition, Kind, Pack
from rules.options import OptionError

_KEYS = ("pack", "site", "timezone", "gaming_day_starts", "blank", "house", "dispositions")
DAY_STARTS = 6 * 60
#: Kinds of column of which one and the same value for every blank cell makes no sense.
_NEVER_MEANT = (Kind.TIME, Kind.DATE, Kind.INT, Kind.TEXT)


@dataclass(frozen=True)
class Profile:
    """What a house's logs mean where the log does not say.

    ``gaming_day_starts`` is in minutes after midnight. ``timezone`` is ``None`` where none is named: then times without
    offset are UTC and the gaming day goes by the wall clock as written.
    """

    pack: str = ""
    site: str = ""
    timezone: ZoneInfo | None = None
    gaming_day_starts: int = DAY_STARTS
    blank: Mapping[str, str] = field(default_factory=dict)
    house: Mapping[str, Any] = field(default_factory=dict)
    dispositions: Mapping[str, Disposition] = field(default_factory=dict)

    def with_options(self, site: str | None, timezone: str | None) -> Profile:
        """With the command line's word over the file's."""
        return replace(self, site=site or self.site, timezone=zone(timezone) if timezone else self.timezone)

    def check_against(self, pack: Pack, codes: Mapping[str, Disposition]) -> None:
        """Whether the keys are ones of ``pack``. Raises UsageError with the nearest match."""
        fields = {column.name for column in pack.columns} | {column.field for column in pack.columns}
        for name in self.blank:
            if name not in fields:
                raise unknown("column in [blank]", name, sorted(fields))
        for column in pack.columns:
            means = self.blank.get(column.name, self.blank.get(column.field))
            if means is not None and (column.required or column.kind in _NEVER_MEANT):
                raise UsageError(f"[blank] {column.name}: a blank cell of this column can have no meaning")
            if means is not None and Reader(column, means).blank_is_unreadable:
                raise UsageError(f"[blank] {column.name} = {means!r} is no value of that column")
        options = {option.name for option in pack.options}
        for name, value in self.house.items():
            if name not in options:
                raise unknown("option in [house]", name, sorted(options))
            try:
                next(option for option in pack.options if option.name == name).value(value)
            except OptionError as error:
                raise UsageError(f"[house] {name} = {value!r}: {error}") from error
        for code, disposition in self.dispositions.items():
            if code not in codes:
                raise unknown("rule in [dispositions]", code, codes)
            if disposition.gravity < codes[code].gravity:
                raise UsageError(
                    f"[dispositions] {code} = {disposition.value!r}: a profile may raise a disposition, never lower it"
                )


def load(path: Path) -> Profile:
    """Read a profile. Raises UsageError in one line for each thing that can be wrong with it."""
    try:
        entries = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"profile {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"profile {path}: {error}") from error
    try:
        return parse(entries)
    except UsageError as error:
        raise UsageError(f"profile {path}: {error}") from error


def parse(entries: Mapping[str, Any]) -> Profile:
    """A profile from the entries of its file."""
    for key in entries:
        if key not in _KEYS:
            raise unknown("key", key, _KEYS)
    return Profile(
        pack=_text(entries, "pack"),
        site=_text(entries, "site"),
        timezone=zone(_text(entries, "timezone")) if "timezone" in entries else None,
        gaming_day_starts=_minutes(entries.get("gaming_day_starts", "06:00")),
        blank={name: _word(name, value) for name, value in _table(entries, "blank").items()},
        house=dict(_table(entries, "house")),
        dispositions={c: _disposition(c, v) for c, v in _table(entries, "dispositions").items()},
    )


def _text(entries: Mapping[str, Any], key: str) -> str:
    value = entries.get(key, "")
    if not isinstance(value, str):
        raise UsageError(f"{key} = {value!r}: expected a text")
    return value


def _table(entries: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    table = entries.get(key, {})
    if not isinstance(table, Mapping):
        raise UsageError(f"[{key}]: expected a table")
    return table


def _word(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str | int):
        raise UsageError(f"[blank] {name} = {value!r}: expected a text")
    return str(value)


def _disposition(code: str, value: Any) -> Disposition:
    try:
        return Disposition(value)
    except ValueError as error:
        raise unknown(f"disposition of {code}", str(value), [d.value for d in Disposition]) from error


def _minutes(value: Any) -> int:
    match = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)(?::00)?", str(value))
    if not match:
        raise UsageError(f"gaming_day_starts = {str(value)!r}: expected a time such as 06:00")
    return int(match[1]) * 60 + int(match[2])
