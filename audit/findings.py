"""The tables that carry a result: findings, outcomes, and the order and identity of findings."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_TEXT = pa.string()
_FEW = pa.dictionary(pa.int32(), pa.string())  # of texts that many findings share

#: One row a finding; the order of the columns is that of every output.
FINDINGS = pa.schema(
    [
        ("finding_id", _TEXT),
        ("pack", _FEW),
        ("rule", _FEW),
        ("clause", _FEW),
        ("disposition", _FEW),
        ("title", _FEW),
        ("message", _TEXT),
        ("expected", _TEXT),
        ("recorded", _TEXT),
        ("event_id", _TEXT),
        ("part", _FEW),
        ("site", _FEW),
        ("table", _FEW),
        ("day", _FEW),
        ("group", _TEXT),
        ("seq", pa.int64()),
        ("occurred_at", _TEXT),
        ("responsible", _FEW),
        ("player", _TEXT),
        ("source_file", _FEW),
        ("source_line", pa.int64()),
        ("evidence", _TEXT),
    ]
)

#: The same with every text in full, as outputs have it.
PLAIN = pa.schema([(field.name, _TEXT if field.type == _FEW else field.type) for field in FINDINGS])

#: What the findings table carries while it is made, and no output shows.
WORKING = pa.schema([*FINDINGS, ("row", pa.int64()), ("instant", pa.int64()), ("identity", _TEXT)])

#: One row a rule and part.
OUTCOMES = pa.schema(
    [
        ("rule", _TEXT),
        ("part", _TEXT),
        ("applicable", pa.int64()),
        ("tested", pa.int64()),
        ("breached", pa.int64()),
        ("unverifiable", pa.int64()),
        ("not_logged", pa.int64()),
        ("error", pa.int64()),
    ]
)

COUNTS = ("applicable", "tested", "breached", "unverifiable", "not_logged", "error")

_ORDER = ("site", "table", "day", "instant", "event_id", "part", "rule", "identity")


def plain(findings: Any) -> Any:
    """The columns of the contract, every text in full."""
    return findings.select(PLAIN.names).cast(PLAIN)


def with_ids(findings: Any) -> Any:
    """Give each finding an id that is the same in every run, whatever the order of rows or the name of the file.

    The key is pack, rule, site, event and part; for LOG-5 also the column, for LOG-1 content and ordinal.
    """
    names = ("pack", "rule", "site", "event_id", "part", "identity")
    columns = [_filled(findings[name]) for name in names]
    keys = pc.binary_join_element_wise(*columns, pa.scalar("\x1f")).cast(pa.binary())
    ids = [sha256(key).hexdigest()[:20] for key in keys.to_pylist()]
    return findings.set_column(0, "finding_id", pa.array(ids, _TEXT))


def _filled(texts: Any) -> Any:
    return texts.cast(_TEXT).fill_null("")


def ordered(findings: Any) -> Any:
    """By site, table, day, time, event, part and rule."""
    keys = findings.select(_ORDER)
    for name in _ORDER:
        column = keys[name].combine_chunks()
        if column.type == _FEW:  # sort the places of the few texts in the alphabet
            coded = _filled(column).dictionary_encode() if column.null_count else column
            ranks = pc.rank(coded.dictionary, sort_keys="ascending", tiebreaker="dense")
            keys = keys.set_column(keys.schema.get_field_index(name), name, ranks.take(coded.indices))
    order = pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in _ORDER])
    return findings.take(order)


#: Findings that a report shows of each rule; the others are counted, said, and left to ``findings.csv``.
SHOWN = 25


def shown_of_each_rule(findings: Any) -> Any:
    """The first findings of each rule, as many as a report shows, in the order of the table."""
    rule = findings["rule"].combine_chunks().indices.to_numpy(zero_copy_only=False)
    order = np.argsort(rule, kind="stable")
    codes = rule[order]
    starts = np.maximum.accumulate(np.where(np.diff(codes, prepend=-1) != 0, np.arange(len(codes)), 0))
    rank = np.arange(len(codes)) - starts
    return findings.take(pa.array(np.sort(order[rank < SHOWN])))


def rows_shown(findings: Any) -> set[int]:
    """The events, by their place in the audit, whose findings a report shows."""
    return set(shown_of_each_rule(findings)["row"].to_pylist())


def joined(tables: Iterable[Any]) -> Any:
    """One findings table of many, ordered and identified."""
    tables = list(tables)
    if not tables:
        return WORKING.empty_table()
    table = pa.concat_tables(tables).combine_chunks()
    return with_ids(ordered(table))
