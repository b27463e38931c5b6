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

#: So many findings get their ids at a time: what is made for them is small enough to be used again.
_TOGETHER = 1 << 16

COUNTS = ("applicable", "tested", "breached", "unverifiable", "not_logged", "error")


def plain(findings: Any) -> Any:
    """The columns of the contract, every text in full."""
    return findings.select(PLAIN.names).cast(PLAIN)


def with_ids(findings: Any) -> Any:
    """Give each finding an id that is the same in every run, whatever the order of rows or the name of the file.

    The key is pack, rule, site, event and part; for LOG-5 also the column, for LOG-1 content and ordinal.
    """
    names = ("pack", "rule", "site", "event_id", "part", "identity")
    parts = []
    for start in range(0, findings.num_rows, _TOGETHER):
        columns = [_filled(findings[name].slice(start, _TOGETHER)) for name in names]
        keys = pc.binary_join_element_wise(*columns, pa.scalar("\x1f")).cast(pa.binary())
        parts.append(pa.array([sha256(key).hexdigest()[:20] for key in keys.to_pylist()], _TEXT))
    return findings.set_column(0, "finding_id", pa.chunked_array(parts, _TEXT).combine_chunks())


def _filled(texts: Any) -> Any:
    return texts.cast(_TEXT).fill_null("")


def _ranks(texts: Any) -> np.ndarray[Any, Any]:
    """The place of each text of a column of few in the alphabet; blank comes first."""
    coded = _filled(texts).combine_chunks().dictionary_encode()
    ranks = pc.rank(coded.dictionary, sort_keys="ascending", tiebreaker="dense")
    places: np.ndarray[Any, Any] = ranks.take(coded.indices).to_numpy(zero_copy_only=False).astype(np.int64)
    return places


def ordered(findings: Any) -> Any:
    """By site, table, day, time, event, part and rule.

    Whole numbers decide all but findings of one moment at one table; only those are sorted by their texts.
    """
    if not findings.num_rows:
        return findings
    place = np.zeros(findings.num_rows, dtype=np.int64)
    for name in ("site", "table", "day"):
        ranks = _ranks(findings[name])
        place = place * (int(ranks.max()) + 1) + ranks
    instant = findings["instant"].to_numpy()
    order = np.lexsort((instant, place))
    place, instant = place[order], instant[order]
    same = np.zeros(len(order) + 1, dtype=bool)
    same[1:-1] = (place[1:] == place[:-1]) & (instant[1:] == instant[:-1])
    tied = np.flatnonzero(same[1:] | same[:-1])  # with the one before or the one after
    moment = pa.array(np.cumsum(~same[:-1])[tied])
    texts = findings.select(["event_id", "part", "rule", "identity"]).combine_chunks().take(pa.array(order[tied]))
    keys = pa.table({"moment": moment, **{name: _filled(texts[name]) for name in texts.schema.names}})
    inside = pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in keys.schema.names]).to_numpy()
    order[tied] = order[tied][inside]
    rows = pa.array(order)
    # column by column, so that no second copy of all texts stands beside the sorted one
    return pa.table(
        [pa.table([column], ["it"]).combine_chunks()["it"].take(rows) for column in findings.columns],
        schema=findings.schema,
    )


#: Findings that a report shows of each rule; the others are counted, said, and left to ``findings.csv``.
SHOWN = 25


def shown_of_each_rule(findings: Any, most: int = SHOWN) -> Any:
    """The first findings of each rule, as many as a report shows, in the order of the table."""
    rule = findings["rule"].combine_chunks().indices.to_numpy(zero_copy_only=False)
    order = np.argsort(rule, kind="stable")
    codes = rule[order]
    starts = np.maximum.accumulate(np.where(np.diff(codes, prepend=-1) != 0, np.arange(len(codes)), 0))
    rank = np.arange(len(codes)) - starts
    return findings.take(pa.array(np.sort(order[rank < most])))


def rows_shown(findings: Any) -> set[int]:
    """The events, by their place in the audit, whose findings a report shows."""
    return set(shown_of_each_rule(findings)["row"].to_pylist())


def joined(tables: Iterable[Any]) -> Any:
    """One findings table of many, ordered and identified."""
    tables = list(tables)
    if not tables:
        return WORKING.empty_table()
    return with_ids(ordered(pa.concat_tables(tables).unify_dictionaries()))
