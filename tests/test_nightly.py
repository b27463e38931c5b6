"""The nightly job, night by night: what it takes in, what it reports, what it says about any period later."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from nights import House, as_csv, rows, sums

from rules.three_dice_football import PACK

DAYS = ("2026-03-02", "2026-03-03", "2026-03-04")
TABLES = ("T1", "T2")


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path / "house")


def fill(house: House, *days: str) -> None:
    for day in days:
        for table in TABLES:
            house.put(f"{day}_{table}.csv", rows(table, day))


@pytest.fixture(scope="module")
def one_night(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = House(tmp_path_factory.mktemp("night") / "house")
    fill(house, DAYS[0])
    house.night()
    assert house.run("verify").returncode == 0
    return house


def test_night_after_night_is_as_all_at_once_and_as_check(house: House, tmp_path: Path) -> None:
    """Rules that look at the neighbor see across days, whenever those come; the sum is that of one audit of all."""
    order = (DAYS[0], DAYS[2], DAYS[1])  # a missed night is caught up
    for day in order:
        fill(house, day)
        assert house.night().returncode == 1
    once = House(tmp_path / "once")
    fill(once, *DAYS)
    once.night()
    assert house.findings() == once.findings()
    both = sums(house.standing()), sums(once.standing())
    assert all(both[0][name] == both[1][name] for name in ("accepted", "audited", "total", "violation", "discrepancy"))
    assert len(once.issued) == len(DAYS)
    once.run("check", "inbox", "--out", "all", "--format", "json", "--site", "Harbor", "--timezone", "America/New_York")
    checked = json.loads((once.folder / "all" / "findings.json").read_bytes())
    assert [row["finding_id"] for row in once.findings()] == sorted(row["finding_id"] for row in checked)
    assert sums(once.standing()) == sums({"all": json.loads((once.folder / "all" / "summary.json").read_bytes())})


def test_a_later_day_revises_an_earlier_report(house: House) -> None:
    """A void roll at the end of a day: open until the next day shows that it was not thrown again."""
    first, second = rows("T1", DAYS[0], 12, 0.0), rows("T1", DAYS[1], 12, 0.0)
    first[-1].update(ruling="void", settlement="not_settled", disputed="yes", dispute_about="face")
    first[-1].update(dispute_dice="off1", dispute_ruling="void")
    house.put("one.csv", first)
    house.night()
    one = house.folder / "reports" / "Harbor" / DAYS[0] / "three-dice-football-1"
    before = {path.name: path.read_bytes() for path in one.iterdir()}
    house.put("two.csv", second)
    done = house.night()
    assert "revised" in done.stdout
    assert {path.name: path.read_bytes() for path in one.iterdir()} == before
    two = one.with_name("three-dice-football-2")
    night = json.loads((two / "summary.json").read_bytes())["night"]
    assert night["replaces"] == f"Harbor/{DAYS[0]}/three-dice-football-1"
    assert [r["disposition"] for r in house.findings() if r["rule"] == "TDF-F4"] == ["violation"]
    assert "finding changed,TDF-F4" in (two / "changes.csv").read_text("utf-8")


def test_nothing_new_whatever_the_files_are_called(house: House) -> None:
    fill(house, *DAYS[:2])
    house.night()
    before = house.tree()
    inbox = house.folder / "inbox"
    for number, path in enumerate(sorted(inbox.iterdir(), reverse=True)):
        shutil.copy(path, inbox / f"{number}_again.csv")
        path.unlink()
    done = house.night()
    assert (done.returncode, done.stdout) == (0, "Nothing new.\n")
    assert house.tree() == before
    again = rows("T1", DAYS[0])
    house.put("reworded.csv", [dict(row, note="") for row in reversed(again)])  # the same rows, other bytes
    assert house.night().returncode == 0
    assert house.issued == [(DAYS[0], 1), (DAYS[1], 1)]


def test_shifts_supersets_and_overlaps(house: House) -> None:
    day = rows("T1", DAYS[0], 30, 0.0)
    house.put("a.csv", day[:10])
    house.night()
    house.put("b.csv", day[10:20])  # disjoint: added
    house.night()
    assert house.standing()[f"Harbor {DAYS[0]}"]["rows"]["accepted"] == 20
    corrected = [dict(row) for row in day]
    corrected[3]["stickperson"] = "Somebody else"
    house.put("c.csv", corrected)  # a superset, with one cell corrected: it supersedes
    house.night()
    assert house.standing()[f"Harbor {DAYS[0]}"]["rows"]["accepted"] == 30
    changes = (house.folder / "reports" / "Harbor" / DAYS[0] / "three-dice-football-3" / "changes.csv").read_text()
    assert f"cell changed,,T1,{day[3]['throw_id']},,stickperson,{day[3]['stickperson']},Somebody else," in changes
    assert changes.count("row added") == 10
    parts = [e["path"] for entry in house.ledger if entry["kind"] == "taken" for e in entry["parts"]]
    assert sum(pq.read_metadata(house.folder / "archive" / p).num_rows for p in parts) == 50  # all versions stay

    further = rows("T1", DAYS[0], 40, 0.0)[30:]
    overlap = [dict(row, ruling_by="other") for row in day[25:]] + further
    house.put("d.csv", overlap)  # overlaps in part: held
    done = house.night()
    assert done.returncode == 3
    assert "overlap in part" in done.stderr
    assert house.standing()[f"Harbor {DAYS[0]}"]["rows"]["accepted"] == 30
    assert house.night().returncode == 3  # until somebody decides
    assert house.run("status").returncode == 3
    key = done.stderr.split("throwaudit decide ")[1].split()[0]
    assert house.run("decide", key[:-1] + "x", "--take").returncode == 2
    assert house.run("decide", key, "--take").returncode == 0
    assert house.night().returncode in (0, 1)
    assert house.standing()[f"Harbor {DAYS[0]}"]["rows"]["accepted"] == len(overlap)
    assert house.run("verify").returncode == 0


def test_rows_set_aside_add_up(house: House) -> None:
    text = as_csv(rows("T1", DAYS[0])).splitlines(keepends=True)
    house.put("bad.csv", "".join([*text[:5], "only,three,fields\n", *text[5:]]))
    done = house.night()
    assert done.returncode == 3
    assert "1 set aside" in done.stdout
    summary = house.standing()[f"Harbor {DAYS[0]}"]
    assert summary["rows"] == {"read": 31, "accepted": 30, "quarantined": 1, "audited": 30}
    assert house.night().returncode == 0
    assert house.run("verify").returncode == 0
    house.put("nothing.csv", "".join([text[0], "only,three,fields\n"]))
    done = house.night()
    assert done.returncode == 3
    assert "nothing.csv" in done.stderr
    house.put("broken.csv", "no log at all\n")
    for _ in range(2):  # named until somebody does something about it
        done = house.night()
        assert done.returncode == 3
        assert "broken.csv" in done.stderr


def test_period_numbers_are_those_of_its_nights(house: House) -> None:
    fill(house, *DAYS)
    house.night()
    done = house.run("report", "--from", DAYS[1], "--to", DAYS[2], "--format", "json,html")
    assert done.returncode == 1, done.stderr
    own = {k: v for k, v in house.standing().items() if k != f"Harbor {DAYS[0]}"}
    told = json.loads((house.folder / "period-report" / "summary.json").read_bytes())
    assert sums({"period": told}) == sums(own)
    before = house.standing()[f"Harbor {DAYS[0]}"]
    assert told["night"]["before"]["audited"] == before["rows"]["audited"]
    assert told["night"]["before"]["findings"]["violation"] == before["findings"]["violation"]
    assert DAYS[1] in (house.folder / "period-report" / "report.html").read_text("utf-8")
    for arguments in (["--period", "2026-13"], ["--from", DAYS[2], "--to", DAYS[0]], [], ["--period", "2025"]):
        assert house.run("report", *arguments).returncode == 2
    assert house.run("report", "--period", "2026-Q1", "--site", "Harbour").stderr.endswith("did you mean Harbor?\n")


def test_period_spans() -> None:
    from audit.nightly.period import before, span

    for period, first, last, first_before, last_before in (
        ("2026-03-02", "2026-03-02", "2026-03-02", "2026-03-01", "2026-03-01"),
        ("2026-W10", "2026-03-02", "2026-03-08", "2026-02-23", "2026-03-01"),
        ("2026-03", "2026-03-01", "2026-03-31", "2026-02-01", "2026-02-28"),
        ("2026-Q1", "2026-01-01", "2026-03-31", "2025-10-01", "2025-12-31"),
        ("2026", "2026-01-01", "2026-12-31", "2025-01-01", "2025-12-31"),
    ):
        days = span(period, "", "")
        assert tuple(map(str, (*days, *before(*days)))) == (first, last, first_before, last_before)


def test_status_names_what_usually_comes(house: House) -> None:
    assert house.run("status").returncode == 3  # no run yet
    days = [f"2026-03-{day:02d}" for day in range(2, 9)]
    for day in days:
        for table in TABLES if day != days[5] else TABLES[:1]:
            house.put(f"{day}_{table}.csv", rows(table, day, 12, 0.0))
    house.night()
    assert house.run("status", "--date", days[5]).returncode == 0
    done = house.run("status", "--date", "2026-03-11")
    assert done.returncode == 1
    assert "Harbor, T2: 2026-03-07\n" in done.stdout
    assert "Harbor, no log at all: 2026-03-09 to 2026-03-10\n" in done.stdout
    told = json.loads(house.run("status", "--json", "--date", "2026-03-11").stdout)
    assert {"pack": "three-dice-football", "site": "Harbor", "table": "T2", "day": "2026-03-07"} in told["missing"]


@pytest.mark.parametrize("what", ["original", "part", "report", "results", "ledger", "gone"])
def test_verify_finds_what_was_tampered_with(what: str, one_night: House, tmp_path: Path) -> None:
    house = House(tmp_path / "house")
    shutil.copytree(one_night.folder, house.folder, dirs_exist_ok=True)
    archive = house.folder / "archive"
    path = {
        "original": next((archive / "originals").rglob("*/*")),
        "part": next((archive / "events").rglob("*.parquet")),
        "report": next((house.folder / "reports").rglob("findings.csv")),
        "results": next((archive / "results").rglob("*.json")),
        "ledger": archive / "ledger.jsonl",
        "gone": next((archive / "events").rglob("*.parquet")),
    }[what]
    if what == "gone":
        path.unlink()
    elif what == "ledger":
        path.write_bytes(path.read_bytes().replace(b"Harbor", b"Garbor", 1))
    else:
        path.write_bytes(path.read_bytes()[:-1] + b"!")
    done = house.run("verify", "--json")
    assert done.returncode == 1
    assert path.name in json.loads(done.stdout)["wrong"][0]


def test_originals_and_their_lines(house: House) -> None:
    path = house.put("one.csv", rows("T1", DAYS[0]))
    house.night("--no-originals")
    assert not (house.folder / "archive" / "originals").exists()
    house.put("two.csv", rows("T2", DAYS[0]))
    house.night()
    (kept,) = (p for p in (house.folder / "archive" / "originals").rglob("*") if p.is_file())
    assert kept.read_bytes() == (house.folder / "inbox" / "two.csv").read_bytes()
    part = pq.read_table(next(p for p in (house.folder / "archive" / "events").rglob("*") if p.is_file()))
    lines = (house.folder / "inbox" / part["log_file"][0].as_py().split("/")[-1]).read_text().splitlines()
    assert [t.decode() for t in part["log_text"].to_pylist()] == [lines[n - 1] for n in part["log_line"].to_pylist()]
    assert house.run("verify").returncode == 0
    assert path.exists()


@pytest.mark.parametrize(("month", "day"), [(3, 8), (11, 1)])
def test_clock_changes_lose_and_double_no_day(month: int, day: int, house: House) -> None:
    """Times without offset in the hour that is skipped, and in the one that comes twice."""
    days = [f"2026-{month:02d}-{d:02d}" for d in (day - 1, day, day + 1)] if day > 1 else ["2026-10-31", "2026-11-01"]
    total = 0
    for text in days:
        own = rows("T1", text, 12, 0.0)
        for row in own:
            row["gaming_day"] = ""
            for name in [n for n in row if n.endswith("_at")]:
                row[name] = row[name][:19]
        late = [f"{text[:8]}{int(text[8:]):02d}T{hour:02d}:{m:02d}:00" for hour in (1, 2, 3) for m in (5, 35)]
        for row, stamp in zip(own[:6], late, strict=True):
            row["thrown_at"] = stamp
        total += len(own)
        house.put(f"{text}.csv", own)
    assert house.night().returncode in (0, 1)
    standing = house.standing()
    assert sum(one["rows"]["accepted"] for one in standing.values()) == total
    assert {key.split()[1] for key in standing} >= set(days)
    assert house.night().stdout == "Nothing new.\n"


def test_a_file_still_being_written_is_left_and_named(house: House) -> None:
    config = house.folder / "throwaudit.toml"
    config.write_text(config.read_text("utf-8").replace("quiet_minutes = 0", "quiet_minutes = 5"), "utf-8")
    path = house.put("one.csv", rows("T1", DAYS[0]))
    done = house.night()
    assert (done.returncode, house.ledger) == (0, [])
    assert "one.csv: may still be being written" in done.stdout
    os.utime(path, (time.time() - 400,) * 2)
    house.night()
    assert len(house.issued) == 1
    config.write_text(config.read_text("utf-8").replace("quiet_minutes = 5", 'done_marker = ".done"'), "utf-8")
    path = house.put("two.csv", rows("T2", DAYS[0]))
    os.utime(path, (0, 0))
    assert "two.csv: may still be being written" in house.night().stdout
    house.put("two.csv.done", "")
    house.night()
    assert house.standing()[f"Harbor {DAYS[0]}"]["rows"]["accepted"] == 60


def test_check_against_an_earlier_run(house: House) -> None:
    house.put("one.csv", rows("T1", DAYS[0]))
    check = ("check", "inbox/one.csv", "--format", "json", "--quiet", "--timezone", "America/New_York")
    house.run(*check, "--out", "first")
    done = house.run(*check, "--out", "second", "--against", "first")
    assert (done.returncode, done.stdout) == (0, "identical\n")
    done = house.run(*check, "--out", "second", "--against", "first", "--ignore", "TDF-F", "--pack", PACK.name)
    assert done.returncode == 1
    assert "option ignore" in done.stdout
    house.put("one.csv", rows("T1", DAYS[0])[:-1])
    done = house.run(*check, "--out", "second", "--against", "first")
    assert done.returncode == 1
    assert "is not among these" in done.stdout
    for wrong in ("second", "inbox"):
        assert house.run(*check, "--out", "second", "--against", wrong).returncode == 2


def test_check_against_an_issued_report(house: House) -> None:
    """A regulator has the original and the report of a night."""
    house.put("one.csv", rows("T1", DAYS[0]))
    house.night()
    (original,) = (p for p in (house.folder / "archive" / "originals").rglob("*") if p.is_file())
    report = house.folder / "reports" / "Harbor" / DAYS[0] / "three-dice-football-1"
    check = ("check", str(original), "--format", "json", "--quiet", "--timezone", "America/New_York")
    done = house.run(*check, "--against", str(report))
    assert (done.returncode, done.stdout) == (0, "identical\n")
