"""Parquet logs: columns as they are stored, a run of rows at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading.nested import flattened
from audit.reading.rowwise import RowLog, Rows
from audit.reading.times import is_zone

#: Rows that are read at a time.
_TOGETHER = 1 << 17


@dataclass(frozen=True)
class Meant:
    """What a file's columns are to us: of which nearly every row has its own text, so that of the others codes are
    read; and which one's zone tells what the clock showed, none where a profile does."""

    all_differ: frozenset[str]
    clock: str = ""


def read_parquet(data: bytearray, meant: Callable[[Sequence[str]], Meant]) -> Iterator[RowLog]:
    """The log in a Parquet file. A row's line is its number, from 1. Raises UnreadableInputError."""
    buffer = pa.py_buffer(data)
    try:
        file = pq.ParquetFile(pa.BufferReader(buffer))
        schema = file.schema_arrow
        flat = flattened(schema.empty_table()).schema
        texts = {name for name, kind in zip(schema.names, schema.types, strict=True) if pa.types.is_string(kind)}
        names = list(flat.names)
        ours = meant(names)
        coded = sorted(texts - ours.all_differ)
        groups = _sizes(file.metadata)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UnreadableInputError(errors.DAMAGED_FILE) from error
    if ours.clock and (kind := flat.field(ours.clock).type) != _in_known_zones(kind):
        raise UnreadableInputError(errors.no_zone(ours.clock, kind.tz))
    runs = _by_group if max(groups, default=0) <= _TOGETHER else _by_batch
    yield RowLog(names, runs(buffer, coded, file.metadata, len(data)))


def _sizes(metadata: Any) -> list[int]:
    """How many rows each row group has."""
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


def _by_group(buffer: Any, coded: list[str], metadata: Any, size: int) -> Iterator[Callable[[], Rows]]:
    """Row groups of a handy size are read each for itself, on whatever processor is free."""

    def read(number: int, before: int) -> Rows:
        try:
            file = pq.ParquetFile(pa.BufferReader(buffer), metadata=metadata, read_dictionary=coded)
            table = file.read_row_group(number, use_threads=False)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise UnreadableInputError(errors.DAMAGED_FILE, before + 1) from error
        return _run(table, before, size // len(groups))

    before, groups = 0, _sizes(metadata)
    for number, rows in enumerate(groups):
        yield partial(read, number, before)
        before += rows
    if not groups:
        table = pq.ParquetFile(pa.BufferReader(buffer)).schema_arrow.empty_table()
        yield partial(_run, table, 0, size)


def _by_batch(buffer: Any, coded: list[str], metadata: Any, size: int) -> Iterator[Callable[[], Rows]]:
    before, total = 0, sum(_sizes(metadata))
    try:
        file = pq.ParquetFile(pa.BufferReader(buffer), read_dictionary=coded)
        for batch in file.iter_batches(batch_size=_TOGETHER, use_threads=False):
            yield partial(_run, pa.Table.from_batches([batch]), before, size * len(batch) // total)
            before += len(batch)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UnreadableInputError(errors.DAMAGED_FILE, before + 1) from error


def _in_known_zones(kind: Any) -> Any:
    """The type with UTC for zones that are not known: an instant is the same in any zone."""
    if pa.types.is_timestamp(kind) and kind.tz and not is_zone(kind.tz):
        return pa.timestamp(kind.unit, "UTC")
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_in_known_zones(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_in_known_zones(kind.value_type)))
    return kind


def _run(table: Any, before: int, size: int) -> Rows:
    schema = pa.schema([field.with_type(_in_known_zones(field.type)) for field in table.schema])
    if schema != table.schema:
        table = table.cast(schema)
    flat = flattened(table)
    columns = {name: one_array(flat.column(name)) for name in flat.column_names}
    if not all(map(_sound, columns.values())):
        raise UnreadableInputError(errors.DAMAGED_FILE, before + 1)
    lines = np.arange(before + 1, before + 1 + len(table), dtype=np.int64)
    return Rows(columns, lines, _raw(table), size=size)


def _sound(array: Any) -> bool:
    """Every code stands for a text: Arrow does not look when it reads them."""
    if not pa.types.is_dictionary(array.type):
        return True
    codes, texts = array.indices, len(array.dictionary)
    if codes.type == pa.int32() and len(codes):
        bits = np.frombuffer(codes.buffers()[1], dtype=np.uint32, count=len(codes), offset=4 * codes.offset)
        if bits.max() < texts:  # as most columns are: also where null, and no negative number is small as bits
            return True
    least, most = pc.min_max(codes).as_py().values()
    return least is None or (least >= 0 and most < texts)


def one_array(column: Any) -> Any:
    """A column of a table as one array."""
    if column.num_chunks == 1:
        return column.chunk(0)
    column = column.combine_chunks()
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column


def _raw(table: Any) -> Any:
    def raw(row: int) -> bytes:
        (cells,) = table.slice(row, 1).to_pylist()
        shown = {name: value for name, value in cells.items() if value is not None}
        return json.dumps(shown, default=str, ensure_ascii=False).encode("utf-8", "surrogatepass") if shown else b""

    return raw
