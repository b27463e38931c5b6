"""Write the chosen outputs to a folder: whole or not at all, and nothing left of an earlier run."""

from __future__ import annotations

import hashlib
import io
import os
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from audit.errors import OutputError, UsageError
from audit.record import Night, RunRecord

SUMS = "SHA256SUMS"

_OURS = (
    "summary.json",
    "quarantine.csv",
    "findings.csv",
    "findings.json",
    "findings.parquet",
    "report.pdf",
    "report.html",
    "floor.pdf",
    "changes.csv",
)

Writer = Callable[[RunRecord, Any], None]

_SUM_LINE = re.compile(r"([0-9a-f]{64}) [ *]([A-Za-z0-9._-]+)")


def _writers(record: RunRecord, formats: Sequence[str], report_date: str, paper: str, annex: bool) -> dict[str, Writer]:
    """File names and their writers; each format's libraries are loaded only if it is wanted.

    ``report_date`` (ISO) is printed on reports and stands in no other output. ``annex``: reports tell every finding.
    """
    import reports.csv
    import reports.json

    writers: dict[str, Writer] = {
        "summary.json": reports.json.write_summary,
        "quarantine.csv": reports.csv.write_quarantine,
    }
    if isinstance(record.night, Night) and record.night.replaces:
        import reports.night

        writers["changes.csv"] = reports.night.write_changes
    if "csv" in formats:
        writers["findings.csv"] = reports.csv.write_findings
    if "json" in formats:
        writers["findings.json"] = reports.json.write_findings
    if "parquet" in formats:
        import reports.parquet

        writers["findings.parquet"] = reports.parquet.write_findings
    if "html" in formats:
        import reports.html

        writers["report.html"] = partial(reports.html.write_report, date=report_date, annex=annex)
    if "pdf" in formats:
        import reports.pdf

        writers["report.pdf"] = partial(reports.pdf.write_report, date=report_date, paper=paper, annex=annex)
    if "floor" in formats:
        import reports.floor

        writers["floor.pdf"] = partial(reports.floor.write_floor, date=report_date, paper=paper)
    return writers


def prepare(folder: Path) -> None:
    """Make sure, before anything is read, that the folder can be written to. Raises UsageError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".throwaudit-{uuid.uuid4().hex}"
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror or error}") from error


def write(
    record: RunRecord,
    folder: Path,
    formats: Sequence[str],
    report_date: str,
    paper: str = "letter",
    annex: bool = False,
) -> list[Path]:
    """Write all outputs under temporary names, then put each in its place; the list of sums goes last.

    Raises OutputError, and leaves what was there before, if any of them cannot be written.
    """
    earlier = _listed(folder)
    in_the_way = [name for name in (*_OURS, SUMS) if (folder / name).is_dir()]
    if in_the_way:
        raise OutputError(f"cannot write {folder / in_the_way[0]}: it is a folder")
    temporary: dict[str, Path] = {}
    sums: dict[str, str] = {}
    try:
        for name, writer in _writers(record, formats, report_date, paper, annex).items():
            temporary[name] = folder / f".{name}.{uuid.uuid4().hex}.part"
            sums[name] = _written(writer, record, temporary[name])
        temporary[SUMS] = folder / f".{SUMS}.{uuid.uuid4().hex}.part"
        _write_sums(sums, temporary[SUMS])
        for name, path in temporary.items():
            os.replace(path, folder / name)
    except OSError as error:
        raise OutputError(f"cannot write {folder}: {error.strerror or error}") from error
    finally:
        for path in temporary.values():
            path.unlink(missing_ok=True)
    for name in earlier - set(temporary):
        (folder / name).unlink(missing_ok=True)
    return [folder / name for name in sums]


class _Summed(io.RawIOBase):
    """A file that is hashed as it is written, from front to back."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.digest.update(data)
        return self._out.write(data)

    def tell(self) -> int:
        return self._out.tell()


def _written(writer: Writer, record: RunRecord, path: Path) -> str:
    with path.open("wb") as out:
        summed = _Summed(out)
        writer(record, summed)
        out.flush()
        os.fsync(out.fileno())
        return summed.digest.hexdigest()


def _write_sums(sums: Mapping[str, str], path: Path) -> None:
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))
    path.write_text(lines, "utf-8", newline="\n")


def sum_of_sums(folder: Path) -> str:
    """SHA-256 of the list of sums, which stands for all that was written."""
    return hashlib.sha256((folder / SUMS).read_bytes()).hexdigest()


def _listed(folder: Path) -> set[str]:
    """Our outputs of an earlier run: what its list of sums names."""
    try:
        lines = (folder / SUMS).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return set()
    matches = (_SUM_LINE.fullmatch(line) for line in lines)
    return {match[2] for match in matches if match} & set(_OURS)
