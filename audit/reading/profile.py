"""Profiles: a TOML file that says how one house's log is to be read and what the house has set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from zoneinfo import ZoneInfo

from audit.errors import UsageError, nearest, unknown
from audit.reading.cells import Habits, Reader, expected
from audit.reading.times import zone
from rules.kit import Column, Disposition, Kind, Pack
from rules.options import OptionError

DAY_STARTS = 6 * 60
#: Kinds of column of which one and the same value for every blank cell makes no sense.
_NEVER_MEANT = (Kind.TIME, Kind.DATE, Kind.INT, Kind.TEXT)


@dataclass(frozen=True)
class Long:
    """A log with one row a die. ``die``: the log's column that names the die; ``dice``: its words and our dice."""

    die: str
    dice: Mapping[str, str]


@dataclass(frozen=True)
class Profile:
    """What a house's logs look like, and what they mean where the log does not say.

    ``columns``: the log's names (or, in nested logs, paths with dots) and our columns, several where one cell tells of
    several dice; ``join``: our column and the log's columns that make it together; ``ignore``: the log's columns that
    are none of ours. ``constants``: our columns that the log does not have, and what they hold on every row.
    ``gaming_day_starts`` is in minutes after midnight. ``timezone`` is ``None`` where none is named: then times without
    offset are UTC and the gaming day goes by the wall clock as written.
    """

    pack: str = ""
    site: str = ""
    sheet: str = ""
    encoding: str = ""
    delimiter: str = ""
    header_row: int = 0
    timezone: ZoneInfo | None = None
    gaming_day_starts: int = DAY_STARTS
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    join: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    constants: Mapping[str, str] = field(default_factory=dict)
    long: Long | None = None
    habits: Habits = field(default_factory=Habits)
    house: Mapping[str, Any] = field(default_factory=dict)
    dispositions: Mapping[str, Disposition] = field(default_factory=dict)

    @property
    def blank(self) -> Mapping[str, str]:
        """What a blank cell of a column means."""
        return self.habits.blank

    def with_options(self, site: str | None, timezone: str | None) -> Profile:
        """With the command line's word over the file's."""
        return replace(self, site=site or self.site, timezone=zone(timezone) if timezone else self.timezone)

    def check_against(self, pack: Pack, codes: Mapping[str, Disposition]) -> None:
        """Whether the keys are ones of ``pack``. Raises UsageError with the nearest match."""
        self._check_columns(pack)
        self._check_words(pack)
        self._check_blank(pack)
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

    def _check_columns(self, pack: Pack) -> None:
        known = [column.name for column in pack.columns if not column.derived]
        fields = {column.field for column in pack.columns} if self.long else set()
        ours = [(f"[columns] {theirs}", name) for theirs, names in self.columns.items() for name in names]
        ours += [("[join]", name) for name in self.join] + [("[constants]", name) for name in self.constants]
        for where, name in ours:
            if name not in known and name not in fields:
                raise unknown(f"column in {where}:", name, [*known, *sorted(fields)])
        for name, text in self.constants.items():
            if not Reader(pack.by_name[name], self.habits).holds(text):
                raise UsageError(f"[constants] {name} = {text!r}: expected {expected(pack.by_name[name], text)}")
        for theirs, part in self.long.dice.items() if self.long else ():
            if part not in pack.parts:
                raise unknown(f"die in [long.dice] {theirs}:", part, pack.parts)

    def _check_words(self, pack: Pack) -> None:
        by_name: dict[str, list[Column]] = {}
        for column in pack.columns:
            for name in {column.name, column.field}:
                by_name.setdefault(name, []).append(column)
        plain = Habits()
        for name, words in self.habits.words.items():
            if name and name not in by_name:
                raise unknown("column in [values]", name, sorted(by_name))
            worded = (Kind.BOOL, Kind.CHOICE, Kind.CHOICES)
            columns = by_name[name] if name else [column for column in pack.columns if column.kind in worded]
            for theirs, ours in words.items():
                if not any(Reader(column, plain).holds(ours) for column in columns):
                    where = f"[values.{name}]" if name else "[values]"
                    legal = sorted({word for column in columns for word in column.words} | {"yes", "no"})
                    wanted = nearest(ours, legal) if not name else f": expected {expected(columns[0], ours)}"
                    raise UsageError(f"{where} {theirs} = {ours!r} is no value of any such column{wanted}")

    def _check_blank(self, pack: Pack) -> None:
        fields = {column.name for column in pack.columns} | {column.field for column in pack.columns}
        for name in self.blank:
            if name not in fields:
                raise unknown("column in [blank]", name, sorted(fields))
        for column in pack.columns:
            means = self.blank.get(column.name, self.blank.get(column.field))
            if means is not None and (column.required or column.kind in _NEVER_MEANT):
                raise UsageError(f"[blank] {column.name}: a blank cell of this column can have no meaning")
            if means is not None and Reader(column, self.habits).blank_is_unreadable:
                raise UsageError(f"[blank] {column.name} = {means!r} is no value of that column")
