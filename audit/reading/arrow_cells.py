"""Cells that are typed already (Parquet, JSON, spreadsheets): taken as they are where they fit, else as texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.reading import times
from audit.reading.cells import Reader, Typed
from rules.kit import Kind

_WALL = pa.timestamp("us")
#: Whole numbers from here on have lost digits on their way through a floating number.
_EXACT = 10**15


def read_cells(reader: Reader, cells: Any) -> Typed:
    """Type a column of any Arrow type."""
    kind = cells.type
    if pa.types.is_string(kind) or (pa.types.is_dictionary(kind) and pa.types.is_string(kind.value_type)):
        return reader.read(_coded(reader, cells))
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return read_cells(reader, cells.cast(kind.value_type))
    if pa.types.is_null(kind):
        return reader.read(_coded(reader, cells.cast(pa.string())))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _read_instants(reader, cells)
    if pa.types.is_floating(kind):
        cells = _whole_if_all_are(cells)
        kind = cells.type
    if kind == pa.bool_() and reader.column.kind is Kind.BOOL and not reader.fills_blanks:
        return Typed(cells)
    if pa.types.is_integer(kind) and reader.column.kind is Kind.INT and reader.column.least is None:
        return Typed(cells.cast(pa.int64()))
    return reader.read(_coded(reader, as_text_cells(cells)))


def _coded(reader: Reader, texts: Any) -> Any:
    """As the reader takes them: plain where nearly every row has its own text, else dictionary-encoded."""
    if reader.fills_blanks and texts.null_count:
        texts = texts.cast(pa.string()).fill_null("")
    if pa.types.is_dictionary(texts.type):
        wanted = pa.string() if reader.own_texts else pa.dictionary(pa.int32(), pa.string())
        return texts if texts.type == wanted else texts.cast(wanted)
    return texts if reader.own_texts else texts.dictionary_encode()


def _whole_if_all_are(cells: Any) -> Any:
    """Numbers with a point as whole numbers where all are, null where they are no number at all."""
    cells = pc.if_else(pc.is_nan(cells), pa.scalar(None, cells.type), cells)
    if cells.null_count == len(cells):
        return cells
    high = pc.max(pc.abs(cells)).as_py()
    if high < _EXACT and pc.all(pc.equal(pc.floor(cells), cells)).as_py():
        return cells.cast(pa.int64())
    return cells


def as_text_cells(cells: Any) -> Any:
    """What a person would write for each cell: lists with ``|`` between, whole numbers without a point."""
    kind = cells.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        flat = as_text_cells(cells.flatten()).fill_null("")
        sizes = pc.list_value_length(cells)
        joined = pc.binary_join(_relisted(flat, sizes), "|")
        return pc.if_else(cells.is_valid(), joined, pa.scalar(None, pa.string()))
    if pa.types.is_floating(kind):
        return pa.array([number_text(number) for number in cells.to_pylist()], pa.string())
    if pa.types.is_timestamp(kind):
        return pc.strftime(_in_seconds(_wall(cells)), "%Y-%m-%d %H:%M:%S")
    if pa.types.is_struct(kind) or pa.types.is_binary(kind) or pa.types.is_map(kind):
        return pa.array([None if value is None else str(value) for value in cells.to_pylist()], pa.string())
    return cells.cast(pa.string())


def _wall(cells: Any) -> Any:
    """What the clock showed, by our own table of zones: Arrow has another, which may lack some or all."""
    zone = cells.type.tz
    if zone is None:
        return cells
    instants = cells.cast(pa.timestamp("us", "UTC"), safe=False).cast(pa.int64())
    offset = times.offsets_at(zone, instants.fill_null(0).to_numpy(zero_copy_only=False)).astype(np.int64)
    return pc.add(instants, pa.array(offset * 60 * times.MICRO)).cast(_WALL)


def _in_seconds(wall: Any) -> Any:
    """Without the noughts of a finer unit, where no time has parts of a second."""
    try:
        return wall.cast(pa.timestamp("s"))
    except pa.ArrowInvalid:
        return wall


def _relisted(flat: Any, sizes: Any) -> Any:
    ends = np.concatenate([[0], np.cumsum(sizes.fill_null(0).to_numpy(zero_copy_only=False))])
    return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), flat)


def number_text(number: float | None) -> str | None:
    """``3`` for 3.0, ``9.45E+15`` for what a floating number holds no longer to the letter."""
    if number is None or number != number:
        return None
    if abs(number) >= _EXACT:
        return f"{number:.15g}".upper()
    return str(int(number)) if number == int(number) else repr(number).upper()


def _read_instants(reader: Reader, cells: Any) -> Typed:
    """Days and instants, where the column holds them; in any other a spreadsheet made them of something else."""
    column, kind = reader.column, cells.type
    if column.kind is Kind.DATE and not reader.fills_blanks:
        return Typed(cells.cast(_WALL if getattr(kind, "tz", None) else kind).cast(pa.date32(), safe=False))
    if column.kind is Kind.TIME:
        zone = getattr(kind, "tz", None)
        if zone is not None:
            return Typed(cells.cast(pa.timestamp("us", "UTC"), safe=False), zone=zone)
        return Typed(cells.cast(_WALL, safe=False).cast(pa.int64()), [], pa.nulls(len(cells), pa.int32()))
    texts = as_text_cells(cells)
    if column.kind is Kind.TEXT:
        return reader.read(texts)
    typed = reader.read(_coded(reader, pa.nulls(len(cells), pa.string())))
    rows = np.flatnonzero(cells.is_valid().to_numpy(zero_copy_only=False))
    typed.unreadable.extend((int(row), text) for row, text in zip(rows, texts.drop_null().to_pylist(), strict=True))
    return typed
