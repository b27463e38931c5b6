"""Outputs: as the contract lays them down, safe to open, whole or not at all, and the same bytes every time."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import Audited
from test_reading import HEAD, PLAIN, row

from audit import output
from audit.errors import OutputError
from audit.findings import FINDINGS
from audit.record import RunRecord

GOLDEN = Path(__file__).parent / "golden"
SAMPLES = Path(__file__).parent.parent / "sample_logs" / "three_dice_football"
DATA = ("csv", "json", "parquet")

NASTY = HEAD + row(
    1,
    throw_id='"=HYPERLINK(""http://x"")"',
    stickperson="+1",
    site="@evil",
    stick_used="no",
    off1_called='"{{7*7}} \\ ""q"" <b>é"',
)


def written(record: RunRecord, folder: Path, *formats: str) -> Path:
    output.prepare(folder)
    output.write(record, folder, formats or DATA, "2026-03-04")
    return folder


@pytest.mark.parametrize("name", ["findings.csv", "findings.json", "summary.json", "quarantine.csv"])
@pytest.mark.parametrize("log", ["errors", "dirty"])
def test_golden(name: str, log: str, tmp_path: Path, audited: Audited, monkeypatch: pytest.MonkeyPatch) -> None:
    """To renew after a wanted change: GOLDEN=renew pytest, then read the diff."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(SAMPLES / f"{log}.csv", tmp_path)
    from audit.pipeline import Options, audit_logs
    from rules.three_dice_football import PACK

    record = audit_logs(Options((f"{log}.csv",), formats=DATA), [PACK])
    made = (written(record, tmp_path / "out") / name).read_bytes()
    golden = GOLDEN / f"{log}.{name}"
    if os.environ.get("GOLDEN") == "renew":
        golden.write_bytes(made)
    assert made == golden.read_bytes()


def test_every_format_holds_the_same_findings(tmp_path: Path, audited: Audited) -> None:
    folder = written(audited({"log.csv": NASTY}), tmp_path / "out")
    table = pq.read_table(folder / "findings.parquet")
    rows = table.to_pylist()
    assert json.loads((folder / "findings.json").read_text("utf-8")) == rows
    assert table.schema.names == FINDINGS.names
    assert rows[0]["event_id"] == '=HYPERLINK("http://x")'
    with (folder / "findings.csv").open(encoding="utf-8", newline="") as text:
        cells = list(csv.DictReader(text))
    for cell, plain in zip(cells, rows, strict=True):
        for name, value in plain.items():
            shown = "" if value is None else str(value)
            assert cell[name] == (f"'{shown}" if shown[:1] in ("=", "+", "-", "@", "\t", "\r") else shown)
    assert cells[0]["event_id"] == '\'=HYPERLINK("http://x")'
    assert cells[0]["responsible"] == "'+1"


def test_json_of_every_control_character(tmp_path: Path, audited: Audited) -> None:
    text = "".join(chr(c) for c in range(1, 32) if c not in (9, 10, 13)) + '\u2028\\"'
    record = audited({"log.csv": HEAD + row(1, off1_called='"' + text.replace('"', '""') + '"')})
    (finding,) = json.loads((written(record, tmp_path / "out") / "findings.json").read_text("utf-8"))
    assert finding["recorded"] == text.strip()


def test_findings_are_ordered(tmp_path: Path, audited: Audited) -> None:
    record = audited({"log.csv": (SAMPLES / "errors.csv").read_bytes()})
    rows = record.findings.to_pylist()
    keys = [
        (r["site"], r["table"], r["day"], r["occurred_at"], r["event_id"], r["part"] or "", r["rule"]) for r in rows
    ]
    assert keys == sorted(keys)
    assert len({r["finding_id"] for r in rows}) == len(rows)


def test_summary_agrees_with_the_findings(tmp_path: Path, audited: Audited) -> None:
    record = audited({"log.csv": (SAMPLES / "errors.csv").read_bytes()})
    folder = written(record, tmp_path / "out")
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    findings = json.loads((folder / "findings.json").read_text("utf-8"))
    assert summary["findings"]["total"] == len(findings)
    for disposition in ("violation", "discrepancy", "indeterminate", "observation"):
        assert summary["findings"][disposition] == sum(f["disposition"] == disposition for f in findings)
    assert summary["rows"]["read"] == summary["rows"]["accepted"] + summary["rows"]["quarantined"]
    for counts in summary["rules"].values():
        assert counts["applicable"] == counts["tested"] + counts["unverifiable"] + counts["not_logged"]


def test_sums_are_of_the_files(tmp_path: Path, audited: Audited) -> None:
    folder = written(audited({"log.csv": PLAIN}), tmp_path / "out")
    lines = (folder / "SHA256SUMS").read_text("utf-8").splitlines()
    assert {line.split("  ")[1] for line in lines} == {p.name for p in folder.iterdir()} - {"SHA256SUMS"}
    for line in lines:
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_outputs_of_an_earlier_run_go_and_other_files_stay(tmp_path: Path, audited: Audited) -> None:
    record = audited({"log.csv": PLAIN})
    folder = written(record, tmp_path / "out")
    (folder / "mine.csv").write_text("mine", "utf-8")
    with (folder / "SHA256SUMS").open("a", encoding="utf-8") as sums:
        sums.write("0" * 64 + "  mine.csv\n" + "0" * 64 + "  ../log.csv\n")
    written(record, folder, "json")
    assert {p.name for p in folder.iterdir()} == {
        "SHA256SUMS",
        "summary.json",
        "quarantine.csv",
        "findings.json",
        "mine.csv",
    }
    assert (tmp_path / "log.csv").exists()


def test_nothing_half_written(tmp_path: Path, audited: Audited, monkeypatch: pytest.MonkeyPatch) -> None:
    import reports.json

    record = audited({"log.csv": PLAIN})
    folder = written(record, tmp_path / "out")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(reports.json, "write_findings", full)
    with pytest.raises(OutputError, match="No space left on device"):
        written(audited({"log.csv": NASTY}), folder)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def test_quarantine_holds_the_exact_bytes(tmp_path: Path, audited: Audited) -> None:
    import base64

    text = (HEAD + row(1) + row(2, throw_id="", note="’caf")).encode("utf-16")
    folder = written(audited({"log.csv": text}), tmp_path / "out")
    with (folder / "quarantine.csv").open(encoding="utf-8", newline="") as lines:
        (set_aside,) = csv.DictReader(lines)
    assert base64.b64decode(set_aside["raw_base64"]).decode("utf-16-le") == row(2, throw_id="", note="’caf")
    assert set_aside["reason"] == "no throw_id"
    assert "’caf" in set_aside["raw"]
