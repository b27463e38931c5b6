"""Pseudonyms: stable, keyed, and in every output; nothing of a name is left anywhere."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from test_reading import HEAD, row
from test_report import text_of

from audit import output
from audit.errors import UsageError
from audit.packs import load_packs
from audit.pipeline import Options, audit_logs
from audit.pseudonyms import Pseudonyms, load
from audit.record import RunRecord

LOGS = Path(__file__).parent.parent / "sample_logs"
PEOPLE = {
    "three_dice_football": ("stickperson", "quarterback"),
    "die": ("referee", "thrower", "catch_by", "team_a", "team_b"),
    "bunco": ("player", "opponents"),
}
ALL = ("pdf", "floor", "html", "csv", "json", "parquet")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text("a key that is long enough\n", "utf-8")
    return path


def run(log: Path, key: Path | None, formats: tuple[str, ...] = ()) -> RunRecord:
    return audit_logs(Options((str(log),), pseudonyms=key, formats=formats), load_packs())


def ids(record: RunRecord) -> list[str]:
    """Ids of the findings, but of LOG-1: there the content, names and all, is part of the key."""
    return sorted(r["finding_id"] for r in record.findings.to_pylist() if r["rule"] != "LOG-1")


def said_in(path: Path) -> str:
    if path.suffix == ".pdf":
        return text_of(path)
    if path.suffix == ".parquet":
        return str(pq.read_table(path).to_pylist())
    return path.read_text("utf-8")


@pytest.mark.parametrize("pack", PEOPLE)
def test_no_output_names_anybody(pack: str, key: Path, tmp_path: Path) -> None:
    log = LOGS / pack / "errors.csv"
    with log.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    names = {name.strip() for r in rows for c in PEOPLE[pack] for name in re.split(r"[|;,]", r[c] or "")}
    names = {name for name in names if len(name) > 2}
    record = run(log, key, ALL)
    output.prepare(tmp_path / "out")
    output.write(record, tmp_path / "out", ALL, "2026-03-04")
    for path in (tmp_path / "out").iterdir():
        said = said_in(path)
        assert not [n for n in names if re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", said)], path.name
    assert ids(record) == ids(run(log, None))


def test_a_pseudonym_is_of_the_name_and_the_key_alone(key: Path) -> None:
    one = load(key)
    assert one.of("S-1") == load(key).of("S-1") != one.of("S-2")
    assert re.fullmatch(r"P-[A-Z2-7]{10}", one.of("S-1"))
    assert Pseudonyms(b"another key, long enough").of("S-1") != one.of("S-1")
    assert one.of("") == ""


def test_names_in_wrong_columns_and_rows_set_aside_are_withheld(key: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(
        HEAD
        + row(1, stickperson="Ann Smith", note="Ann Smith was late", stick_used="no")
        + row(2, stickperson="Bo Ray", off1_called="Ann Smith", stick_used="Jo Hidden")
        + row(3, throw_id="", stickperson="Cy Young")
        + "CAS01,T,broken,Dee Low\n",
        "utf-8",
    )
    out = tmp_path / "out"
    out.mkdir()
    record = run(log, key, ALL)
    output.write(record, out, ALL, "2026-03-04")
    for path in out.iterdir():
        assert not re.search("Ann|Smith|Bo Ray|Hidden|Young|Dee|Low", said_in(path)), path.name
    quarantine = (out / "quarantine.csv").read_text("utf-8")
    assert len(re.findall(r"\[withheld\] HMAC-SHA-256 [0-9a-f]{64}", quarantine)) == 2
    assert json.loads((out / "summary.json").read_text("utf-8"))["options"]["pseudonyms"] == load(key).fingerprint
    assert load(key).of("Ann Smith") in text_of(out / "report.pdf")


def test_what_the_house_says_of_blanks_and_an_agreed_height_name_nobody(key: Path, tmp_path: Path) -> None:
    log, profile, out = tmp_path / "log.csv", tmp_path / "house.toml", tmp_path / "out"
    log.write_text(HEAD + row(1, stickperson="", stick_used="no"), "utf-8")
    profile.write_text('pack = "three-dice-football"\n[blank]\nstickperson = "Smith"\nhit_far_end = "no"\n', "utf-8")
    die = (LOGS / "die" / "errors.csv").read_text("utf-8").replace(",lamp,", ",by Smith,").replace(",2.5 m,", ",,")
    (tmp_path / "die.csv").write_text(die, "utf-8")
    for logs, house, renamed in ((log, profile, "Smith"), (tmp_path / "die.csv", None, "by Smith")):
        record = audit_logs(Options((str(logs),), profile=house, pseudonyms=key, formats=ALL), load_packs())
        output.prepare(out)
        output.write(record, out, ALL, "2026-03-04")
        said = {path.name: said_in(path) for path in out.iterdir()}
        assert not [name for name, text in said.items() if "Smith" in text]
        assert any(load(key).of(renamed) in text for text in said.values())


def test_a_key_that_will_not_do(tmp_path: Path) -> None:
    short = tmp_path / "short"
    short.write_bytes(b"too short\n")
    with pytest.raises(UsageError, match="the key has 9 bytes; at least 16 are needed"):
        load(short)
    with pytest.raises(UsageError, match="No such file"):
        load(tmp_path / "none")
    command = [str(Path(sys.executable).parent / "throwaudit"), "check", str(LOGS / "die" / "clean.csv")]
    command += ["--pseudonyms", str(short), "--out", str(tmp_path / "out")]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert "at least 16 are needed" in told.stderr
