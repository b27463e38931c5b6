"""``findings.parquet``: the findings as they are, for further work."""

from __future__ import annotations

from typing import IO

import pyarrow.parquet as pq

from audit.findings import plain
from audit.record import RunRecord


def write_findings(record: RunRecord, out: IO[bytes]) -> None:
    """One row a finding; texts stand as they are."""
    pq.write_table(plain(record.findings), out, compression="zstd")
