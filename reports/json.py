"""``findings.json`` and ``summary.json``; the former is made column by column, not row by row."""

from __future__ import annotations

import json as std_json
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc

from audit.findings import FINDINGS
from audit.record import RuleRecord, RunRecord
from audit.text_bytes import bytes_of
from reports import night

_BATCH = 16_384  # what is made for so many findings stays in the processor's cache


def _quoted(texts: Any) -> Any:
    """JSON strings of a column of texts, ``null`` where blank."""
    if pa.types.is_dictionary(texts.type):
        each = [std_json.dumps(text, ensure_ascii=False) for text in texts.dictionary.to_pylist()]
        return pa.array(each, pa.string()).take(texts.indices).fill_null("null")
    quote = pa.scalar('"')
    if not _needs_escape(texts):
        return pc.binary_join_element_wise(quote, texts, quote, pa.scalar("")).fill_null("null")
    escaped = pc.replace_substring(pc.replace_substring(texts, "\\", "\\\\"), '"', '\\"')
    control = pc.match_substring_regex(texts, r"[\x00-\x1f]").fill_null(False)
    if control.true_count:
        plain: list[str | None] = [
            None if text is None else std_json.dumps(text, ensure_ascii=False)[1:-1] for text in texts.to_pylist()
        ]
        escaped = pc.if_else(control, pa.array(plain, pa.string()), escaped)
    return pc.binary_join_element_wise(quote, escaped, quote, pa.scalar("")).fill_null("null")


def _needs_escape(texts: Any) -> bool:
    """Some text holds a quote, a backslash or a control character."""
    data = bytes_of(texts)
    if not len(data) or data.min() < 0x20:
        return bool(len(data))
    whole = data.tobytes()
    return b'"' in whole or b"\\" in whole


def _objects(part: Any) -> Any:
    """JSON objects of a stretch of findings, all but the brackets around them, as one buffer."""
    pieces: list[Any] = []
    for place, name in enumerate(FINDINGS.names):
        column = part[name].combine_chunks()
        value = column.cast(pa.string()).fill_null("null") if pa.types.is_integer(column.type) else _quoted(column)
        pieces += [pa.scalar(("{" if place == 0 else ", ") + f'"{name}": '), value]
    lines = pc.binary_join_element_wise(*pieces, pa.scalar("}"), pa.scalar(""))
    together = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
    return pc.binary_join(together, ",\n")[0].as_buffer()


def write_findings(record: RunRecord, out: IO[bytes]) -> None:
    """One array, one object a line, in the order and with the names of the columns."""
    out.write(b"[")
    for start in range(0, record.findings.num_rows, _BATCH):
        out.write(b",\n" if start else b"\n")
        out.write(_objects(record.findings.slice(start, _BATCH)))
    out.write(b"\n]\n")


def summary(record: RunRecord) -> dict[str, Any]:
    """What ``summary.json`` holds; the report holds the same totals."""
    tallies = record.tallies
    pack = record.pack
    return {
        "tool": {"name": "throwaudit", "version": record.tool_version},
        "pack": {"name": pack.name, "edition": pack.edition} if pack else None,
        "options": dict(record.options),
        "house": dict(record.house),
        "blank": dict(record.blank),
        "gaming_day_starts": clock(record.gaming_day_starts),
        "dispositions_raised": {rule.code: rule.disposition.value for rule in record.rules if rule.raised},
        "timezone": record.timezone or None,
        "times": dict(record.times),
        "exit_status": int(record.status),
        "complete": not (record.unreadable_inputs or record.quarantine or record.rules_in_error),
        "inputs": [
            {
                "name": i.name,
                "sha256": i.sha256 or None,
                "content_sha256": i.content_sha256 or None,
                "size": i.size,
                "rows_read": i.rows_read,
                "accepted": i.accepted,
                "quarantined": i.quarantined,
                "problem": i.problem or None,
                "encoding": i.encoding or None,
                "delimiter": i.delimiter or None,
                "columns_ignored": list(i.ignored_columns),
                "columns_without_values": list(i.columns_without_values),
                "notes": list(i.notes),
            }
            for i in record.inputs
        ],
        "notes": list(record.notes),
        "rows": {
            "read": record.rows_read,
            "accepted": record.accepted,
            "quarantined": len(record.quarantine),
            "audited": tallies.audited,
        },
        "period": period(record),
        "findings": {"total": record.findings.num_rows, **record.by_disposition},
        "rules": {rule.code: _rule(rule) for rule in record.rules},
        "switched_off": [rule.code for rule in record.rules if not rule.on],
        **({"night": night.summary(record.night)} if record.night else {}),
    }


def clock(minutes: int) -> str:
    """Minutes after midnight as hours and minutes."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def period(record: RunRecord) -> dict[str, Any]:
    """From the first to the last event, and the days."""
    first, last = record.tallies.period()
    days = sorted(record.tallies.days)
    return {
        "first": first or None,
        "last": last or None,
        "first_day": days[0] if days else None,
        "last_day": days[-1] if days else None,
        "days": len(days),
    }


def _rule(rule: RuleRecord) -> dict[str, Any]:
    return {
        "clause": rule.clause,
        "disposition": rule.disposition.value,
        "unit": rule.unit,
        **({} if rule.on else {"off": "switched off by option"}),
        **rule.counts,
        **({"error_message": rule.error} if rule.error else {}),
    }


def write_summary(record: RunRecord, out: IO[bytes]) -> None:
    out.write(std_json.dumps(summary(record), ensure_ascii=False, indent=2).encode("utf-8") + b"\n")
