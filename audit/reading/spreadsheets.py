"""Excel and OpenDocument spreadsheets: the sheets that hold a log of ours, cell by cell as they are stored."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import python_calamine as calamine

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading.arrow_cells import number_text
from audit.reading.header import HEADER_WITHIN, HeaderError
from audit.reading.profile import Profile
from audit.reading.rowwise import CELL_LIMIT, RowLog, Rows
from audit.reading.sources import EXPANSION_FLOOR, EXPANSION_LIMIT
from audit.reading.typed import Aside

#: The most bytes of a spreadsheet, which is read whole.
FILE_LIMIT = 256 << 20
_TOGETHER = 50_000
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_FORMULA = re.compile(
    rb'<c\b[^>]*?\br="([A-Z]{1,3})(\d{1,7})"[^>]*>\s*<f\b(?:[^>]*/>|[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>'
)

_DATED = {date, datetime}

Fits = Callable[[Sequence[str]], None]


def read_spreadsheet(data: bytearray, fits: Fits, profile: Profile) -> Iterator[RowLog]:
    """The logs in a workbook: each sheet with a header that ``fits``, or the one that the profile names.

    ``fits`` raises HeaderError for names that are no header of ours. Raises UnreadableInputError.
    """
    book = _book(data)
    names = book.sheet_names
    if profile.sheet and profile.sheet not in names:
        raise UnreadableInputError(errors.no_sheet(profile.sheet, names))
    found, passed, closest = [], [], None
    for name in [profile.sheet] if profile.sheet else names:
        try:
            rows, start = _cells(book, name)
            at = _header_row(rows, start[0], fits, profile.header_row)
            found.append((name, rows, start, at))
        except HeaderError as error:
            passed.append(name)
            closest = error if closest is None or error.ours > closest.ours else closest
    if not found:
        raise closest or UnreadableInputError(errors.EMPTY)
    for number, (name, rows, start, at) in enumerate(found):
        bare = _without_value(data, names.index(name), name)
        notes = (errors.sheets_passed(passed),) if passed and number == 0 else ()
        header = [_header_text(cell) for cell in rows[at]]
        yield RowLog(header, _runs(rows, start, at, header, bare), name if len(found) > 1 else "", notes)


def _book(data: bytearray) -> Any:
    _check_expansion(data)
    try:
        return calamine.load_workbook(io.BytesIO(data))
    except calamine.PasswordError as error:
        raise UnreadableInputError(errors.ENCRYPTED) from error
    except Exception as error:  # the reader raises what its parsers do, down to panics
        raise UnreadableInputError(errors.DAMAGED_FILE if data[:2] == b"PK" else errors.NO_SPREADSHEET) from error


def sheets_of(data: bytearray) -> list[tuple[str, list[list[str]], int]]:
    """For a first look: each sheet's name, its cells as texts, and how many rows stand above them."""
    book = _book(data)
    found = []
    for name in book.sheet_names:
        rows, start = _cells(book, name)
        found.append((name, [["" if cell == "" else _text(cell) for cell in row] for row in rows[:1000]], start[0]))
    return found


def _check_expansion(data: bytearray) -> None:
    if len(data) > FILE_LIMIT:
        raise UnreadableInputError(errors.too_large(FILE_LIMIT))
    if data[:2] != b"PK":
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(info.file_size for info in archive.infolist())
            if any(info.flag_bits & 1 for info in archive.infolist()):
                raise UnreadableInputError(errors.ENCRYPTED)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise UnreadableInputError(errors.CUT_OFF) from error
    if size > EXPANSION_FLOOR * 8 and size > EXPANSION_LIMIT * len(data):
        raise UnreadableInputError(errors.expands_too_far(EXPANSION_LIMIT))


def _cells(book: Any, name: str) -> tuple[list[list[Any]], tuple[int, int]]:
    """A sheet's cells from its first filled one on, and where that is (row and column, from 0)."""
    try:
        sheet = book.get_sheet_by_name(name)
        rows = sheet.to_python(skip_empty_area=True)
    except Exception as error:
        raise UnreadableInputError(errors.damaged_sheet(name)) from error
    return rows, sheet.start or (0, 0)


def _header_row(rows: list[list[Any]], first: int, fits: Fits, header_row: int) -> int:
    """Which of the rows is the header. Raises HeaderError for the closest if none is."""
    closest: HeaderError | None = None
    seen = 0
    for at, row in enumerate(rows):
        if header_row and first + at + 1 != header_row:
            continue
        names = [_header_text(cell) for cell in row]
        if not any(names):
            continue
        seen += 1
        try:
            fits(names)
            return at
        except HeaderError as error:
            error.line = first + at + 1
            closest = error if closest is None or error.ours > closest.ours else closest
        except UnreadableInputError as error:
            error.line = first + at + 1
            raise
        if seen >= HEADER_WITHIN:
            break
    raise closest or HeaderError(errors.EMPTY, 0)


def _header_text(cell: Any) -> str:
    return _text(cell).strip() if cell != "" else ""


def _runs(
    rows: list[list[Any]], start: tuple[int, int], header: int, names: Sequence[str], bare: frozenset[tuple[int, int]]
) -> Iterator[Callable[[], Rows]]:
    def run(begin: int) -> Rows:
        some = enumerate(rows[begin : begin + _TOGETHER], begin)
        return _run([(at, row) for at, row in some if _filled(row, at, start, bare)], start, names, bare)

    for begin in range(header + 1, max(len(rows), header + 2), _TOGETHER):
        yield partial(run, begin)


def _filled(row: list[Any], at: int, start: tuple[int, int], bare: frozenset[tuple[int, int]]) -> bool:
    if any(cell != "" and (not isinstance(cell, str) or cell.strip()) for cell in row):
        return True
    return bool(bare) and any(line == start[0] + at for line, _ in bare)


def _run(
    taken: list[tuple[int, list[Any]]],
    start: tuple[int, int],
    names: Sequence[str],
    bare: frozenset[tuple[int, int]],
) -> Rows:
    aside, kept = [], []
    for at, row in taken:
        line = start[0] + at + 1
        if any(isinstance(cell, str) and (len(cell) > CELL_LIMIT or "\0" in cell) for cell in row):
            reason = errors.NUL_IN_ROW if any("\0" in str(cell) for cell in row) else errors.too_long(CELL_LIMIT)
            aside.append(Aside(line, reason, _shown(row)))
        else:
            kept.append((at, row))
    columns: dict[str, Any] = {}
    spoilt: dict[str, dict[int, str]] = {}
    dates: dict[str, dict[int, str]] = {}
    for place, cells in enumerate(zip(*(row for _, row in kept), strict=True)) if kept else ():
        if place < len(names) and names[place]:
            columns[names[place]], dates[names[place]] = _column(cells)
    for name in names:
        columns.setdefault(name, pa.nulls(len(kept), pa.string()))
    if bare:
        place_of = {at: number for number, (at, _) in enumerate(kept)}
        for line, column in bare:
            number, place = place_of.get(line - start[0]), column - start[1]
            if number is not None and 0 <= place < len(names) and names[place]:
                spoilt.setdefault(names[place], {})[number] = errors.FORMULA
    lines = np.array([start[0] + at + 1 for at, _ in kept], dtype=np.int64)
    return Rows(columns, lines, lambda row: _shown(kept[row][1]), aside, spoilt, dates)


def _shown(row: Sequence[Any]) -> bytes:
    return " | ".join(_text(cell) for cell in row).rstrip(" |").encode("utf-8", "backslashreplace")


def _column(cells: Sequence[Any]) -> tuple[Any, dict[int, str]]:
    """A column of cells, of one type where they are; and cells that hold an instant among others that hold none."""
    kinds = set(map(type, cells))
    if kinds == {str}:
        return pa.array(cells, pa.string()), {}
    if kinds <= {*_DATED, str} and all(cell == "" for cell in cells if type(cell) is str):
        known = [_instant(cell) if isinstance(cell, date) else None for cell in cells]
        return pa.array(known, pa.timestamp("us")), {}
    known_texts: dict[Any, str] = {}
    texts = [cell if type(cell) is str else _remembered(cell, known_texts) for cell in cells]
    dated = {row: texts[row] for row, cell in enumerate(cells) if isinstance(cell, date)} if kinds & _DATED else {}
    return pa.array(texts, pa.string()), dated


def _remembered(cell: Any, known: dict[Any, str]) -> str:
    key = (type(cell), cell)
    if key not in known:
        known[key] = _text(cell)
    return known[key]


def _instant(cell: date) -> datetime:
    """A day as its midnight, an instant without the dust that a day's fraction leaves behind the milliseconds."""
    if not isinstance(cell, datetime):
        return datetime(cell.year, cell.month, cell.day)
    rest = cell.microsecond % 1000
    return cell + timedelta(microseconds=(1000 - rest if rest >= 500 else -rest)) if rest else cell


def _text(cell: Any) -> str:
    """A cell as its sheet shows it, or nearly so: what it holds, not how it is formatted."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        return number_text(float(cell)) if isinstance(cell, float) else str(cell)  # type: ignore[return-value]
    if isinstance(cell, date):
        return _instant(cell).isoformat(" ")
    if isinstance(cell, time):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        seconds = round(cell.total_seconds())
        return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return str(cell)


# Formulas that were never computed: the sheet has no value for them, and the reader says nothing.


def _without_value(data: bytearray, number: int, name: str) -> frozenset[tuple[int, int]]:
    """Rows and columns (from 0) of formulas without a stored value."""
    if data[:2] != b"PK":
        return frozenset()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if "content.xml" in archive.namelist():
            return _bare_in_ods(archive.read("content.xml"), name)
        path = _sheet_path(archive, number)
        text = archive.read(path) if path in archive.namelist() else b""
    if b"<f" not in text:
        return frozenset()
    return frozenset((int(row) - 1, _column_number(letters)) for letters, row in _FORMULA.findall(text))


def _sheet_path(archive: zipfile.ZipFile, number: int) -> str:
    try:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        sheets = [element for element in book.iter() if element.tag.endswith("}sheet")]
        targets = {link.get("Id", ""): link.get("Target", "") for link in links}
        return "xl/" + targets[sheets[number].get(_R, "")].removeprefix("/xl/")
    except (KeyError, IndexError, ElementTree.ParseError):
        return ""


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1


def _bare_in_ods(content: bytes, name: str) -> frozenset[tuple[int, int]]:
    if b"table:formula" not in content:
        return frozenset()
    bare = set()
    for table in ElementTree.fromstring(content).iter():
        if not table.tag.endswith("}table") or name not in (v for k, v in table.attrib.items() if k.endswith("}name")):
            continue
        at = 0
        for row in (element for element in table.iter() if element.tag.endswith("}table-row")):
            place = 0
            for cell in row:
                keys = {key.rpartition("}")[2]: value for key, value in cell.attrib.items()}
                if "formula" in keys and "value-type" not in keys:
                    bare.add((at, place))
                place += int(keys.get("number-columns-repeated", "1"))
            at += int(next((v for k, v in row.attrib.items() if k.endswith("}number-rows-repeated")), "1"))
    return frozenset(bare)
