"""The tables that carry a result: findings, outcomes, and the order and identity of findings."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_TEXT = pa.string()

#: One row a finding; the order of the columns is that of every output.
FINDINGS = pa.schema(
    [
        ("finding_id", _TEXT),
        ("pack", _TEXT),
        ("rule", _TEXT),
        ("clause", _TEXT),
        ("disposition", _TEXT),
        ("title", _TEXT),
        ("message", _TEXT),
        ("expected", _TEXT),
        ("recorded", _TEXT),
        ("event_id", _TEXT),
        ("part", _TEXT),
        ("site", _TEXT),
        ("table", _TEXT),
        ("day", _TEXT),
        ("group", _TEXT),
        ("seq", pa.int64()),
        ("occurred_at", _TEXT),
        ("responsible", _TEXT),
        ("player", _TEXT),
        ("source_file", _TEXT),
        ("source_line", pa.int64()),
        ("evidence", _TEXT),
    ]
)

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


def _identify(pack: str, rule: str, site: str, event: str, part: str, more: str) -> str:
    key = "\x1f".join((pack, rule, site, event, part, more))
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def with_ids(findings: Any) -> Any:
    """Give each finding an id that is the same in every run, whatever the order of rows or the name of the file."""
    names = ("pack", "rule", "site", "event_id", "part", "identity")
    columns = [findings[name].fill_null("").to_pylist() for name in names]
    ids = pa.array([_identify(*key) for key in zip(*columns, strict=True)], _TEXT)
    return findings.set_column(0, "finding_id", ids)


def ordered(findings: Any) -> Any:
    """By site, table, day, time, event, part and rule."""
    keys = findings.select(_ORDER)
    for name in ("site", "table", "day"):  # few different texts: sort their places in the alphabet
        coded = keys[name].combine_chunks().fill_null("").dictionary_encode()
        ranks = pc.rank(coded.dictionary, sort_keys="ascending", tiebreaker="dense")
        keys = keys.set_column(keys.schema.get_field_index(name), name, ranks.take(coded.indices))
    order = pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in _ORDER])
    return findings.take(order)


#: Findings that a report shows of each rule; the others are counted, said, and left to ``findings.csv``.
SHOWN = 25


def shown_of_each_rule(findings: Any) -> Any:
    """The first findings of each rule, as many as a report shows, in the order of the table."""
    rule = findings["rule"].combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
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
