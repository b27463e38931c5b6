"""What can go wrong, each said in one plain line. Every sentence about bad input stands here."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


class ThrowauditError(Exception):
    """Something the user can act on; the text is the one line to show."""


class UsageError(ThrowauditError):
    """Wrong usage or configuration: nothing is audited (exit status 2)."""


class UnreadableInputError(ThrowauditError):
    """One input cannot be read; the others are (exit status 3). ``reason`` leaves out the file's name."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class OutputError(ThrowauditError):
    """The results cannot be written (exit status 3): nothing half-written is left."""


class BusyError(ThrowauditError):
    """Another run is on (exit status 4)."""


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean X?` or nothing."""
    by_fold = {k.casefold(): k for k in known}
    match = difflib.get_close_matches(word.casefold(), list(by_fold), n=1, cutoff=0.5)
    return f"; did you mean {by_fold[match[0]]}?" if match else ""


def unknown(what: str, word: str, known: Iterable[str]) -> UsageError:
    """An unknown word of ours, with the nearest match."""
    known = list(known)
    return UsageError(f"unknown {what} {word!r}{nearest(word, known) or '; known: ' + ', '.join(known)}")


# Files

MISSING = "no such file or folder"
EMPTY = "is empty"
NO_LOGS = "holds no log"
NO_MATCH = "matches no file"
NOT_PERMITTED = "cannot be opened: permission denied"
CUT_OFF = "is cut off: the compressed data end too early"
DAMAGED = "is damaged: the compressed data cannot be unpacked"
ENCRYPTED = "is encrypted"
UNFINISHED = "ends in NUL bytes: an unfinished file"
DAMAGED_FILE = "is damaged: its contents cannot be read"
NO_SPREADSHEET = "is no spreadsheet that can be read: save it as .xlsx or CSV"
BROKEN_JSON = "is broken JSON: nothing after this line can be read"
NO_ARRAY = "is a JSON object without one list of rows in it"
FORMULA = "a formula without a stored value"
HTML = "is an HTML page, whatever its name says: save it as .xlsx or CSV"
NOT_TEXT = "is not a log: it holds binary data"
SAME_AGAIN = "holds the same bytes as {other}: read once"


def expands_too_far(limit: int) -> str:
    return f"expands to more than {limit} times its size: refused"


def too_large(limit: int) -> str:
    return f"is larger than {limit >> 20:,} MB, the most that is read of such a file: save it as CSV or Parquet"


def too_many_columns(found: int, limit: int) -> str:
    return f"has {found:,} columns, more than the {limit:,} that are read"


def no_sheet(name: str, sheets: Iterable[str]) -> str:
    sheets = list(sheets)
    return f"has no sheet {name!r}{nearest(name, sheets) or '; it has ' + ', '.join(sheets)}"


def damaged_sheet(name: str) -> str:
    return f"has a sheet {name!r} that cannot be read"


def sheets_passed(names: Iterable[str]) -> str:
    return f"has sheets that are no log of this kind, and are not read: {', '.join(names)}"


def columns_absent(names: Iterable[str]) -> str:
    return f"lacks columns that the profile names: {', '.join(names)}"


def not_a_log(kind: str) -> str:
    return f"is {kind}, not a log"


def not_encoded(encoding: str, line: int) -> str:
    return f"is not in {encoding}, after line {line}"


def undeclared(column: str, value: str, time: bool) -> str:
    key, form = ("datetime", "%m/%d/%Y %H:%M") if time else ("date", "%m/%d/%Y")
    return (
        f"{column} holds dates such as {value!r}, which do not say what is day and what is month: "
        f'name the format in a profile, such as {key} = "{form}"'
    )


def no_zone(column: str, name: str) -> str:
    return f"has {column} in the time zone {name!r}, which is not known: name the zone in a profile or with --timezone"


def endless_line(limit: int) -> str:
    return f"has a line of more than {limit:,} bytes"


def column_twice(names: Iterable[str]) -> str:
    return f"has the column {' and '.join(sorted(names))} twice"


def not_our_header(missing: Iterable[str], pack: str, resembles: str) -> str:
    ours = f"no header of {pack}: required columns missing: {', '.join(missing)}"
    return ours + (f"; it looks like a log of {resembles}" if resembles else "")


def no_pack(packs: Iterable[str]) -> str:
    return f"has no header of any pack known here ({', '.join(packs)})"


# Outputs

NO_PANGO = (
    "report.pdf needs the system library Pango: apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; "
    "or leave it out: --format csv,json"
)

# Rows set aside


@dataclass(frozen=True)
class Said:
    """Why one row is set aside. ``kind`` leaves out the row's own values: rows are grouped by it."""

    kind: str
    text: str


def wrong_width(found: int, expected: int) -> Said:
    return Said("wrong number of fields", f"{found} fields where the header has {expected}")


OPEN_QUOTE = Said("a quote is not closed", "a quote is opened on this line and not closed")
NUL_IN_ROW = Said("the row holds a NUL byte", "the row holds a NUL byte")


NOT_JSON = Said("the line is not JSON", "the line is not JSON")
NO_OBJECT = Said("the line is no JSON object", "the line is JSON, but no object")


def no_die(word: str) -> Said:
    return Said("a row names no die of the game", f"{word!r} is no die of the game: name it in [long.dice]")


def die_twice(word: str) -> Said:
    return Said("an event has one die twice", f"the die {word!r} stands on an earlier row of the same event")


def name_twice(name: str) -> Said:
    return Said("an object has one name twice", f"the object has the name {name!r} twice")


def bad_bytes(encoding: str) -> Said:
    text = f"the line is not {encoding} text"
    return Said(text, text)


def too_long(limit: int) -> Said:
    text = f"the row is longer than {limit:,} characters"
    return Said(text, text)


def no_value(column: str) -> Said:
    return Said(f"no {column}", f"no {column}")


def unreadable_value(column: str, value: str, expected: str) -> Said:
    shown = value if len(value) <= 80 else value[:80] + "…"
    return Said(f"{column} cannot be read", f"{column} is {shown!r}: expected {expected}")
