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

from audit.findings import PLAIN
from audit.record import RunRecord
from audit.text_bytes import bytes_of, first_bytes

#: A text that begins with one of these would be a formula, or hide one, in a spreadsheet.
_DANGEROUS = "=+-@\t\r"
_BATCH = 16_384  # what is made for so many findings stays in the processor's cache
QUARANTINE_COLUMNS = ("source_file", "source_line", "reason", "raw", "raw_base64")


#: What a terminal would obey or turn around rather than show: control characters but tab and line breaks, and those
#: that set the direction of writing.
_CONTROLS = (*range(9), 11, 12, *range(14, 32), *range(127, 160))
_TURNING = (0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_OBEYED = {code: f"[U+{code:04X}]" for code in (*_CONTROLS, *_TURNING)}
#: The last bytes of the turning ones in UTF-8, after E2 80 and after E2 81.
_TURN_80, _TURN_81 = ([chr(code).encode()[2] for code in part] for part in (_TURNING[:7], _TURNING[7:]))


def _has_obeyed(texts: Any) -> bool:
    """Some text may hold such a character, by its bytes."""
    data = bytes_of(texts)
    if not len(data) or (data.min() >= 32 and data.max() < 127):
        return False
    low = data < 32 if data.min() < 32 else None
    if low is not None and bool((low & (data != 9) & (data != 10) & (data != 13)).any()):
        return True
    whole = data.tobytes()
    if b"\x7f" in whole:
        return True
    after = np.append(data, np.zeros(2, dtype=np.uint8))
    if b"\xc2" in whole and bool((after[np.flatnonzero(data == 0xC2) + 1] < 0xA0).any()):
        return True
    if b"\xe2" not in whole:
        return False
    at = np.flatnonzero(data == 0xE2)
    second, third = after[at + 1], after[at + 2]
    turns = ((second == 0x80) & np.isin(third, _TURN_80)) | ((second == 0x81) & np.isin(third, _TURN_81))
    return bool(turns.any())


def neutralized(texts: Any) -> Any:
    """Texts with ``'`` before those that a spreadsheet would take for a formula, and what a terminal would obey named
    (``[U+001B]``); blank where null."""
    texts = texts.fill_null("")
    if _has_obeyed(texts):
        texts = pa.array([text.translate(_OBEYED) for text in texts.to_pylist()], pa.string())
    if not np.isin(first_bytes(texts), list(_DANGEROUS.encode())).any():
        return texts
    return pc.replace_substring_regex(texts, f"^[{re.escape(_DANGEROUS)}]", r"'\0")


def neutral(text: str) -> str:
    """One text, as ``neutralized`` has them."""
    text = text.translate(_OBEYED)
    return f"'{text}" if text.startswith(tuple(_DANGEROUS)) else text


def write_findings(record: RunRecord, out: IO[bytes]) -> None:
    """One row a finding, in the columns of the contract."""
    with pacsv.CSVWriter(out, PLAIN) as writer:
        for start in range(0, record.findings.num_rows, _BATCH):
            part = record.findings.slice(start, _BATCH)
            writer.write_table(pa.table([_cells(part[name].combine_chunks()) for name in PLAIN.names], schema=PLAIN))


def _cells(column: Any) -> Any:
    """A column as a spreadsheet may have it; texts that many findings share are looked at once."""
    if pa.types.is_dictionary(column.type):
        blank = pa.scalar("")
        return neutralized(column.dictionary).take(column.indices).fill_null(blank)
    return neutralized(column) if pa.types.is_string(column.type) else column


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
                neutral(row.source_file),
                row.source_line,
                neutral(row.reason),
                neutral(readable(row.raw, row.encoding)),
                base64.b64encode(row.raw).decode("ascii"),
            )
        )
    text.detach()
