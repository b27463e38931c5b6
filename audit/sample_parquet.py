"""A sample log as a database would export it: Parquet, with numbers, days, instants and yes or no as such."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rules.kit import Column, Kind, Pack
from rules.sampling import ZONE

#: Rows of one row group.
_ROW_GROUP = 100_000
_WORDS = {"yes": True, "no": False}


class _Kinds:
    """For each column the Arrow types, best first, that all its cells so far can have; texts always can."""

    def __init__(self, columns: Sequence[Column]) -> None:
        import pyarrow as pa

        self._text = pa.string()
        instants = [pa.timestamp("us", zone) for zone in ("UTC", ZONE)]
        of_kind = {Kind.BOOL: [pa.bool_()], Kind.INT: [pa.int64()], Kind.DATE: [pa.date32()], Kind.TIME: instants}
        self._possible = {column.name: list(of_kind.get(column.kind, ())) for column in columns}

    def look_at(self, name: str, texts: Any) -> None:
        """Leave out the types that these cells do not fit."""
        self._possible[name] = [kind for kind in self._possible[name] if _as(texts, kind) is not None]

    def __getitem__(self, name: str) -> Any:
        return next(iter(self._possible[name]), self._text)


def _as(texts: Any, kind: Any) -> Any:
    """The cells as another type; ``None`` where that would not be the same to the letter."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(kind):
        return texts
    if pa.types.is_timestamp(kind):
        return _instants(texts, kind)
    if pa.types.is_boolean(kind):
        different = texts.dictionary_encode()
        values = [_WORDS.get(word) for word in different.dictionary.to_pylist()]
        return None if None in values else pa.array(values, pa.bool_()).take(different.indices)
    try:
        cells = texts.cast(kind)
    except pa.ArrowInvalid:
        return None
    return cells if pc.all(pc.equal(cells.cast(pa.string()), texts)).as_py() is not False else None


def _instants(texts: Any, kind: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    from audit.reading import times

    parsed = times.parse(texts)
    if parsed.unreadable.any() or parsed.offset.null_count > texts.null_count:
        return None
    ago = pc.multiply(parsed.offset.cast(pa.int64()), 60 * times.MICRO)
    instants = pc.subtract(parsed.wall, ago).cast(kind)
    wall = pc.local_timestamp(instants).cast(pa.int64())
    return instants if pc.all(pc.equal(wall, parsed.wall)).as_py() is not False else None


@contextmanager
def typed_parquet(path: Path, pack: Pack) -> Iterator[Callable[[str], None]]:
    """Takes stretches of CSV; at the end the log stands at ``path``.

    What a column can hold shows at its last cell, so texts are kept beside the file until then.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = [column for column in pack.columns if not column.derived]
    names = [column.name for column in columns]
    kinds = _Kinds(columns)
    header: list[str] = []
    held: list[list[str]] = []
    texts = pa.schema([(name, pa.string()) for name in names])
    beside = path.with_name(f"{path.name}.texts")

    def write(text: str) -> None:
        rows = csv.reader(io.StringIO(text))
        if not header:
            header.extend(next(rows))
        held.extend(rows)
        if len(held) >= _ROW_GROUP:
            flush()

    def flush() -> None:
        cells = dict(zip(header, zip(*held, strict=True), strict=True)) if held else {}
        arrays = [pa.array([cell or None for cell in cells.get(name, ())], pa.string()) for name in names]
        for name, array in zip(names, arrays, strict=True):
            kinds.look_at(name, array)
        out.write_table(pa.table(arrays, texts))
        held.clear()

    try:
        with pq.ParquetWriter(beside, texts) as out:
            yield write
            flush()
        schema = pa.schema([(name, kinds[name]) for name in names])
        stored = pq.ParquetFile(beside)
        with pq.ParquetWriter(path, schema) as out:
            for number in range(stored.num_row_groups):
                group = stored.read_row_group(number).combine_chunks()
                arrays = [_as(group[name].combine_chunks(), schema.field(name).type) for name in names]
                out.write_table(pa.table(arrays, schema))
    finally:
        beside.unlink(missing_ok=True)
