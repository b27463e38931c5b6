"""The profile's file: its keys, each checked, with a clear word for each that is wrong."""

from __future__ import annotations

import codecs
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.errors import UsageError, unknown
from audit.reading.cells import Habits
from audit.reading.declared_times import date_part, spelled_out
from audit.reading.profile import Long, Profile
from audit.reading.times import zone
from rules.kit import Disposition

_KEYS = (
    "pack",
    "site",
    "sheet",
    "encoding",
    "delimiter",
    "header_row",
    "timezone",
    "gaming_day_starts",
    "datetime",
    "date",
    "blanks",
    "shortened_ids",
    "ignore",
    "columns",
    "join",
    "values",
    "blank",
    "constants",
    "long",
    "house",
    "dispositions",
)
_LONG_KEYS = ("die", "dice")


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
    datetimes = tuple(_format("datetime", form) for form in _texts(entries, "datetime"))
    dates = tuple(_texts(entries, "date")) or tuple(filter(None, map(date_part, datetimes)))
    return Profile(
        pack=_text(entries, "pack"),
        site=_text(entries, "site"),
        sheet=_text(entries, "sheet"),
        encoding=_encoding(_text(entries, "encoding")),
        delimiter=_delimiter(_text(entries, "delimiter")),
        header_row=_row(entries.get("header_row", 0)),
        timezone=zone(_text(entries, "timezone")) if "timezone" in entries else None,
        gaming_day_starts=_minutes(entries.get("gaming_day_starts", "06:00")),
        columns={theirs: _names(theirs, ours) for theirs, ours in _table(entries, "columns").items()},
        join={ours: _names(ours, theirs, "join") for ours, theirs in _table(entries, "join").items()},
        ignore=_texts(entries, "ignore"),
        constants={name: _word("constants", name, value) for name, value in _table(entries, "constants").items()},
        long=_long(_table(entries, "long")),
        habits=Habits(
            blank={name: _word("blank", name, value) for name, value in _table(entries, "blank").items()},
            words=_words(_table(entries, "values")),
            blanks=_texts(entries, "blanks"),
            datetimes=datetimes,
            dates=tuple(_date_format(form) for form in dates),
            shortened_ids=_flag(entries, "shortened_ids"),
        ),
        house=dict(_table(entries, "house")),
        dispositions={c: _disposition(c, v) for c, v in _table(entries, "dispositions").items()},
    )


def _text(entries: Mapping[str, Any], key: str) -> str:
    value = entries.get(key, "")
    if not isinstance(value, str):
        raise UsageError(f"{key} = {value!r}: expected a text")
    return value


def _flag(entries: Mapping[str, Any], key: str) -> bool:
    value = entries.get(key, False)
    if not isinstance(value, bool):
        raise UsageError(f"{key} = {value!r}: expected true or false")
    return value


def _texts(entries: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = entries.get(key, [])
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{key} = {value!r}: expected a text or a list of texts")
    return tuple(texts)


def _table(entries: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    table = entries.get(key, {})
    if not isinstance(table, Mapping):
        raise UsageError(f"[{key}]: expected a table")
    return table


def _names(key: str, value: Any, table: str = "columns") -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name for name in names):
        raise UsageError(f"[{table}] {key} = {value!r}: expected a column's name, or a list of them")
    return tuple(names)


def _word(table: str, name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str | int):
        raise UsageError(f"[{table}] {name} = {value!r}: expected a text")
    return str(value)


def _words(table: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Words by column; under the empty name those that stand for any."""
    words: dict[str, dict[str, str]] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            words[key] = {theirs: _word(f"values.{key}", theirs, ours) for theirs, ours in value.items()}
        else:
            words.setdefault("", {})[key] = _word("values", key, value)
    return words


def _long(table: Mapping[str, Any]) -> Long | None:
    if not table:
        return None
    for key in table:
        if key not in _LONG_KEYS:
            raise unknown("key in [long]", key, _LONG_KEYS)
    if not _text(table, "die"):
        raise UsageError("[long] die: expected the name of the log's column that names the die")
    return Long(_text(table, "die"), {k: _word("long.dice", k, v) for k, v in _table(table, "dice").items()})


def _format(key: str, form: str) -> str:
    try:
        return spelled_out(form)
    except ValueError as error:
        raise UsageError(f"{key} = {form!r}: {error}") from error


def _date_format(form: str) -> str:
    return _format("date", form)


def _encoding(name: str) -> str:
    try:
        found = codecs.lookup(name) if name else None
        if found is not None and not found._is_text_encoding:
            raise LookupError
        return found.name if found else ""
    except LookupError as error:
        raise UsageError(f"encoding = {name!r}: expected one such as utf-8, utf-16 or windows-1252") from error


def _delimiter(text: str) -> str:
    text = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(text) > 1 or (text and (ord(text) > 127 or text in '"\r\n')):
        raise UsageError(f"delimiter = {text!r}: expected one character such as ; or tab")
    return text


def _row(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UsageError(f"header_row = {value!r}: expected the number of the row that holds the column names, from 1")
    return value


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
