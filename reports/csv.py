"""``findings.csv`` and ``quarantine.csv``: UTF-8, and no cell that a spreadsheet would run."""

from __future__ import annotations

import base64
import csv as std_csv
import io
import re
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from audit.findings import PLAIN, plain
from audit.record import RunRecord
from audit.text_bytes import first_bytes

#: A text that begins with one of these would be a formula, or hide one, in a spreadsheet.
_DANGEROUS = "=+-@\t\r"
_BATCH = 16_384  # what is made for so many findings stays in the processor's cache
QUARANTINE_COLUMNS = ("source_file", "source_line", "reason", "raw", "raw_base64")


def neutralized(texts: Any) -> Any:
    """Texts with ``'`` before those that a spreadsheet would take for a formula; blank where null."""
    texts = texts.combine_chunks().fill_null("")
    if not np.isin(first_bytes(texts), list(_DANGEROUS.encode())).any():
        return texts
    return pc.replace_substring_regex(texts, f"^[{re.escape(_DANGEROUS)}]", r"'\0")


def _neutral(text: str) -> str:
    return f"'{text}" if text.startswith(tuple(_DANGEROUS)) else text


def write_findings(record: RunRecord, out: IO[bytes]) -> None:
    """One row a finding, in the columns of the contract."""
    with pacsv.CSVWriter(out, PLAIN) as writer:
        for start in range(0, record.findings.num_rows, _BATCH):
            part = plain(record.findings.slice(start, _BATCH))
            for place, column in enumerate(PLAIN):
                if pa.types.is_string(column.type):
                    part = part.set_column(place, column, neutralized(part[column.name]))
            writer.write_table(part)


def readable(raw: bytes, encoding: str) -> str:
    """Bytes as one line of text: line breaks and what cannot be shown are written as escapes."""
    text = raw.decode(encoding or "utf-8", "backslashreplace").rstrip("\r\n")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def write_quarantine(record: RunRecord, out: IO[bytes]) -> None:
    """One row for each that was set aside: where, why, how it reads, and its exact bytes."""
    text = io.TextIOWrapper(out, "utf-8", newline="", write_through=True)
    writer = std_csv.writer(text, lineterminator="\n")
    writer.writerow(QUARANTINE_COLUMNS)
    for row in record.quarantine:
        writer.writerow(
            (
                _neutral(row.source_file),
                row.source_line,
                _neutral(row.reason),
                _neutral(readable(row.raw, row.encoding)),
                base64.b64encode(row.raw).decode("ascii"),
            )
        )
    text.detach()
