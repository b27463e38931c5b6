"""Profiles: every key, each error with its nearest match, three houses, and the draft that a new user begins with."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Audited, found
from test_reading import HEAD, row

from audit.drafting.draft import drafted
from audit.drafting.glimpse import glimpse
from audit.drafting.guess import guess
from audit.errors import UsageError
from audit.packs import load_packs
from audit.pipeline import Options, audit_logs
from audit.reading.events import Events
from audit.reading.logs import read_logs
from audit.reading.profile_file import load
from audit.reading.sources import find_sources
from audit.record import RunRecord
from rules.three_dice_football import PACK

HOUSES = Path(__file__).parent.parent / "sample_logs" / "three_dice_football" / "houses"


def audit(log: Path, profile: Path) -> RunRecord:
    return audit_logs(Options((str(log),), profile=profile, formats=()), load_packs())


@pytest.mark.parametrize("log", ["riverside.xlsx", "lumiere.csv", "northstar.jsonl"])
def test_three_houses_tell_the_same_throws(log: str, audited: Audited) -> None:
    """Each house's log gives exactly what the same throws give in our layout, with the columns that it logs."""
    profile = load((HOUSES / log).with_suffix(".toml"))
    events = read_logs(find_sources([str(HOUSES / log)])[0], PACK, [PACK], profile)
    assert isinstance(events, Events)
    logged = events.files[0].meant
    with (HOUSES / "base.csv").open(encoding="utf-8", newline="") as file:
        rows = [[row[name] for name in logged] for row in csv.DictReader(file)]
    ours = io.StringIO()
    csv.writer(ours).writerows([logged, *rows])
    record = audit(HOUSES / log, (HOUSES / log).with_suffix(".toml"))
    assert found(record) == found(audited({"base.csv": ours.getvalue()}))
    assert record.tallies.audited == 120
    assert (record.quarantine, [i.problem for i in record.inputs]) == ([], [""])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('pak = "three-dice-football"', "unknown key 'pak'; did you mean pack?"),
        ('[columns]\n"QB" = "quaterback"', "did you mean quarterback?"),
        ('[values.ruling]\n"NR" = "norol"', "NR = 'norol'"),
        ('[values.rulling]\n"NR" = "no_roll"', "did you mean ruling?"),
        ('[values]\n"oui" = "yse"', "did you mean yes?"),
        ('[constants]\nruling = "perhaps"', "ruling = 'perhaps'"),
        ('datetime = "%H:%M"', "day, month and year"),
        ('datetime = "%d/%m/%Y %I:%M"', "%p"),
        ('datetime = "%d/%m/%Q"', "%Q"),
        ('encoding = "utf-9"', "encoding"),
        ('encoding = "base64"', "encoding"),
        ('delimiter = ";;"', "one character"),
        ("header_row = -1", "header_row"),
        ('[long]\ndice = { a = "off1" }', "[long] die"),
        ('pack = "three-dice-football"\n[long]\ndie = "Die"\ndice = { red = "of1" }', "did you mean off1?"),
        ('timezone = "America/New York"', "time zone"),
        ('[dispositions]\nTDF-E2 = "observation"', "never lower"),
    ],
)
def test_each_wrong_key_is_named_with_what_is_meant(text: str, says: str, tmp_path: Path, audited: Audited) -> None:
    profile = tmp_path / "p.toml"
    profile.write_text(text, "utf-8")
    with pytest.raises(UsageError) as error:
        audited({"log.csv": HEAD + row(1)}, profile=profile)
    assert says in str(error.value)


def of_profile(text: str, log: str | bytes, audited: Audited, tmp_path: Path, name: str = "log.csv") -> RunRecord:
    profile = tmp_path / "p.toml"
    profile.write_text(text, "utf-8")
    return audited({name: log}, profile=profile)


def test_words_blanks_constants_and_joined_cells(tmp_path: Path, audited: Audited) -> None:
    log = (
        "Day;Time;Roll;Said;Disputed;Stick used;Faces\n"
        "03/02/2026;1:05 PM;T1;NR;sim;n/d;3-4-2\n"
        "03/02/2026;1:15 PM;T2;OK;não;s;342\n"
        "03/02/2026;1:25 PM;T3;OK;não;s;3-4\n"
    )
    profile = """
        pack = "three-dice-football"
        datetime = "%m/%d/%Y %I:%M %p"
        timezone = "America/Sao_Paulo"
        blanks = ["n/d"]
        [columns]
        "Roll" = "throw_id"
        "Said" = "ruling"
        "Faces" = ["off1_called", "off2_called", "def_called"]
        [join]
        thrown_at = ["Day", "Time"]
        [constants]
        table = "TDF-9"
        [values]
        sim = "yes"
        "não" = "no"
        s = "yes"
        [values.ruling]
        NR = "no_roll"
        OK = "valid"
    """
    record = of_profile(profile, log, audited, tmp_path)
    assert record.tallies.audited == 3
    told = [(f["rule"], f["event_id"], f["recorded"], f["table"]) for f in record.findings.to_pylist()]
    assert [t for t in told if t[0] == "LOG-5"] == [("LOG-5", "T3", "3-4", "TDF-9")]
    assert record.tallies.period()[0].startswith("2026-03-02T13:05:00-03:00")


@pytest.mark.parametrize("word", ["néant", "なし", "—"])
def test_words_for_nothing_may_have_any_letters(word: str, tmp_path: Path, audited: Audited) -> None:
    """No shorter word for nothing has as many bytes."""
    profile = tmp_path / "house.toml"
    profile.write_text(f'pack = "three-dice-football"\nblanks = ["{word}"]\n', "utf-8")
    record = audited({"log.csv": HEAD + row(1, stickperson=word) + row(2)}, profile=profile)
    assert sorted(name for _, name in record.tallies.by_responsible) == ["", "S1"]


def test_a_log_with_one_row_a_die(tmp_path: Path, audited: Audited) -> None:
    log = (
        "table,throw_id,thrown_at,ruling,Die,rest,called,observed\n"
        "T1,A,2026-03-03T12:00:00Z,valid,green one,layout,3,3\n"
        "T1,A,2026-03-03T12:00:00Z,valid,green two,layout,4,5\n"
        "T1,A,2026-03-03T12:00:00Z,void,red,layout,2,2\n"
        "T1,B,2026-03-03T12:05:00Z,valid,green one,layout,3,3\n"
        "T1,B,2026-03-03T12:05:00Z,valid,green one,layout,3,3\n"
        "T1,B,2026-03-03T12:05:00Z,valid,blue,layout,3,3\n"
    )
    profile = """
        [long]
        die = "Die"
        dice = { "green one" = "off1", "green two" = "off2", red = "def" }
    """
    record = of_profile(profile, log, audited, tmp_path)
    assert (record.tallies.audited, record.rows_read, record.accepted, len(record.quarantine)) == (2, 6, 4, 2)
    told = {(f["rule"], f["event_id"], f["part"], f["source_line"]) for f in record.findings.to_pylist()}
    assert ("TDF-E2", "A", "off2", 2) in told
    assert ("LOG-5", "A", "", 2) in told  # a later row says that the throw was void


@pytest.mark.parametrize("encoding", ["cp850", "utf-16", "latin-1", "cp1252"])
def test_a_declared_encoding_is_read_as_such(encoding: str, tmp_path: Path, audited: Audited) -> None:
    log = (HEAD + row(1, stickperson="Ágnes é")).encode(encoding)
    record = of_profile(f'encoding = "{encoding}"', log, audited, tmp_path)
    assert record.tallies.audited == 1
    assert [p for _, p in record.tallies.by_responsible] == ["Ágnes é"]


@pytest.mark.parametrize("log", ["riverside.xlsx", "lumiere.csv", "northstar.jsonl", "base.csv"])
def test_a_draft_is_a_profile_that_reads_the_log(log: str, tmp_path: Path) -> None:
    packs = load_packs()
    (source,) = find_sources([str(HOUSES / log)])[0]
    seen = glimpse(source, packs)
    text = drafted(log, seen, guess(seen, packs))
    profile = tmp_path / "draft.toml"
    # where the order of day and month is open, the user keeps the right line
    right = "%m" if log == "riverside.xlsx" else "%d"
    lines = [line.removeprefix("# ") if f'= "{right}/' in line else line for line in text.splitlines()]
    profile.write_text("\n".join(lines), "utf-8")
    assert load(profile).pack == "three-dice-football"
    record = audit(HOUSES / log, profile)
    assert record.tallies.audited == 120, text
    assert PACK.name == (record.pack and record.pack.name)


def test_a_draft_of_hostile_names_is_still_a_profile(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text('table,throw id,thrown_at,"x""]\n[house]","\\","é\x07"\nT,1,2026-03-03T12:00:00Z,a,b,c\n', "utf-8")
    packs = load_packs()
    (source,) = find_sources([str(log)])[0]
    seen = glimpse(source, packs)
    profile = tmp_path / "p.toml"
    profile.write_text(drafted("x\n[house]", seen, guess(seen, packs)), "utf-8")
    assert load(profile).house == {}


def test_the_command_from_spreadsheet_to_audit(tmp_path: Path) -> None:
    command = str(Path(sys.executable).parent / "throwaudit")
    house = str(HOUSES / "riverside.xlsx")
    draft = tmp_path / "p.toml"
    done = subprocess.run(
        [command, "profile", house, "--out", str(draft)], capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stdout.strip()) == (0, str(draft)), done.stderr
    text = draft.read_text("utf-8")
    draft.write_text(text.replace('# datetime = "%m', 'datetime = "%m'), "utf-8")
    done = subprocess.run(
        [command, "profile", house, "--check", str(draft)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "LANG": "C"},
    )
    assert done.returncode == 0, done.stderr
    assert "throw_id ← Roll ID" in done.stdout
    assert "120 rows read: 120 accepted, 0 set aside" in done.stdout
