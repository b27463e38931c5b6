"""Parquet logs: columns as they are stored, a run of rows at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading.nested import flattened
from audit.reading.rowwise import RowLog, Rows

#: Rows that are read at a time.
_TOGETHER = 1 << 17


def read_parquet(data: bytes) -> Iterator[RowLog]:
    """The log in a Parquet file. A row's line is its number, from 1. Raises UnreadableInputError."""
    buffer = pa.py_buffer(data)
    try:
        schema = pq.read_schema(pa.BufferReader(buffer))
        coded = [name for name, kind in zip(schema.names, schema.types, strict=True) if pa.types.is_string(kind)]
        file = pq.ParquetFile(pa.BufferReader(buffer), read_dictionary=coded)
        names = list(flattened(file.schema_arrow.empty_table()).column_names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UnreadableInputError(errors.DAMAGED_FILE) from error
    yield RowLog(names, _rows(file, len(data)))


def _rows(file: Any, size: int) -> Iterator[Callable[[], Rows]]:
    at = 0
    total = max(file.metadata.num_rows, 1)
    try:
        for batch in file.iter_batches(batch_size=_TOGETHER, use_threads=False):
            yield partial(_run, pa.Table.from_batches([batch]), at, size * len(batch) // total)
            at += len(batch)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UnreadableInputError(errors.DAMAGED_FILE, at + 1) from error


def _run(table: Any, before: int, size: int) -> Rows:
    flat = flattened(table)
    columns = {name: one_array(flat.column(name)) for name in flat.column_names}
    lines = np.arange(before + 1, before + 1 + len(table), dtype=np.int64)
    return Rows(columns, lines, _raw(table), size=size)


def one_array(column: Any) -> Any:
    """A column of a table as one array."""
    column = column.combine_chunks()
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column


def _raw(table: Any) -> Any:
    def raw(row: int) -> bytes:
        (cells,) = table.slice(row, 1).to_pylist()
        shown = {name: value for name, value in cells.items() if value is not None}
        return json.dumps(shown, default=str, ensure_ascii=False).encode("utf-8", "surrogatepass") if shown else b""

    return raw
