"""The nightly job's configuration: what it may say, and what comes of it in archive and reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nights import CONFIG, House, rows

DAY, NEXT = "2026-03-02", "2026-03-03"


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path / "house")


def configure(house: House, text: str) -> None:
    (house.folder / "throwaudit.toml").write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("archiv = 'x'\n[[inbox]]\nfiles='inbox/*'", "did you mean archive?"),
        ("fail_on = 'violations'\n[[inbox]]\nfiles='inbox/*'", "did you mean violation?"),
        ("[[site]]\nname='Harbor'", "no [[inbox]]"),
        ("[[inbox]]\nfiles='inbox/*'\nsite='Habor'\n[[site]]\nname='Harbor'", "did you mean Harbor?"),
        ("[[inbox]]\nfiles='nowhere/*.csv'", "there is no folder"),
        ("[[inbox]]\nfiles='inbox/*'\npack='craps'", "unknown value"),
        ("paper = 'a5'\n[[inbox]]\nfiles='inbox/*'", "unknown value of paper"),
        ("annex = 'all'\n[[inbox]]\nfiles='inbox/*'", "annex = 'all': expected true or false"),
        ("quiet_minutes = 0\npseudonyms = 'none.key'\n[[inbox]]\nfiles='inbox/*'", "none.key: No such file"),
        ("quiet_minutes = -1\n[[inbox]]\nfiles='inbox/*'", "quiet_minutes"),
        ("quiet_minutes = 0\n[[inbox]]\nfiles='inbox/*'\nprofile='none.toml'", "none.toml"),
    ],
)
def test_a_wrong_configuration_is_one_plain_line(text: str, says: str, house: House) -> None:
    (house.folder / "throwaudit.toml").write_text(text, "utf-8")
    house.put("one.csv", rows("T1", DAY))
    done = house.run("nightly")
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert house.ledger == []


def test_init_writes_a_configuration_that_works(tmp_path: Path) -> None:
    house = House(tmp_path / "house")
    (house.folder / "throwaudit.toml").unlink()
    done = house.run("init")
    assert done.returncode == 0
    assert "crontab" in done.stdout
    assert "OnCalendar" in done.stdout
    assert house.run("init").returncode == 2
    (house.folder / "inbox" / "harbor").mkdir()
    done = house.run("nightly")
    assert (done.returncode, done.stdout) == (0, "Nothing new.\n")


TWO_HOUSES = """quiet_minutes = 0
formats = ["json"]
[[site]]
name = "Harbor"
[[site]]
name = "Bayside"
[[inbox]]
files = "inbox/a*"
pack = "three-dice-football"
site = "Harbor"
profile = "a.toml"
[[inbox]]
files = "inbox/b*"
pack = "three-dice-football"
site = "{site}"
profile = "b.toml"
"""


def test_one_site_has_one_house(house: House) -> None:
    """A site's day is audited once: inboxes that differ in the house's figures are of two sites, or wrong."""
    for name, seconds in (("a", 3), ("b", 90)):
        (house.folder / f"{name}.toml").write_text(f"[house]\ncall_within_seconds = {seconds}\n", "utf-8")
        house.put(f"{name}.csv", [dict(row, site="") for row in rows(f"T-{name}", DAY, 12, 0.0)])
    configure(house, TWO_HOUSES.format(site="Harbor"))
    done = house.run("nightly")
    assert (done.returncode, house.ledger) == (2, [])
    assert "both of site Harbor, and differ in [house]" in done.stderr
    configure(house, TWO_HOUSES.format(site="Bayside"))
    house.night()
    told = {site: one["house"] for site, one in house.standing().items()}
    assert told == {f"Harbor {DAY}": {"call_within_seconds": 3}, f"Bayside {DAY}": {"call_within_seconds": 90}}
    (house.folder / "a.toml").write_text("[house]\ncall_within_seconds = 4\n", "utf-8")
    assert house.night().stdout == "Nothing new.\n"  # what is reported stands until somebody asks
    done = house.night("--again")  # two sites: a process each
    assert "as they were reported: 1; reports issued: 1" in done.stdout
    assert [(e["site"], e["issue"]) for e in house.ledger if e["kind"] == "issued"][2:] == [("Harbor", 2)]


def test_nobody_is_named_under_pseudonyms(house: House) -> None:
    """Not in a report, a revision or the report of a period; whoever was named before is not by the next ones."""
    formats = 'formats = ["csv", "json", "html", "parquet", "floor"]'
    named = CONFIG.replace('formats = ["csv", "json"]', formats)
    configure(house, named)
    (house.folder / "names.key").write_text("sixteen bytes or more\n", "utf-8")
    own = rows("T1", DAY, 30, 0.3)
    people = {row[name] for row in own for name in ("stickperson", "quarterback") if row[name]}
    house.put("one.csv", [dict(row, note=f"asked {row['stickperson']}") for row in own[:20]])
    house.night()
    configure(house, f'pseudonyms = "names.key"\n{named}')
    corrected = [dict(row) for row in own]
    corrected[3]["stickperson"] = corrected[5]["off1_called"] = "Somebody Else"
    house.put("two.csv", corrected)
    house.put("next.csv", rows("T1", NEXT, 30, 0.3))
    period = ("report", "--from", DAY, "--to", NEXT, "--format", "csv,json,html")
    house.night()
    done = house.run(*period)
    assert done.returncode == 1, done.stderr
    reports = house.folder / "reports" / "Harbor"
    written = [reports / DAY / "three-dice-football-2", reports / NEXT / "three-dice-football-1"]
    texts = {
        str(path): path.read_bytes()
        for folder in (*written, house.folder / "period-report")
        for path in folder.iterdir()
        if path.suffix != ".pdf"
    }
    for name in (*people, "Somebody Else"):
        assert not [path for path, text in texts.items() if name.encode() in text]
    changes = (written[0] / "changes.csv").read_text("utf-8")
    assert "stickperson,P-" in changes
    assert ",cells_unreadable,,[withheld]," in changes
    assert house.run("verify").returncode == 0


def test_a_period_names_nobody_whom_an_earlier_report_named(house: House) -> None:
    house.put("one.csv", rows("T1", DAY, 30, 0.3))
    house.night()
    (house.folder / "names.key").write_text("sixteen bytes or more\n", "utf-8")
    configure(house, f'pseudonyms = "names.key"\n{CONFIG}')
    assert "Nothing new" in house.night().stdout
    done = house.run("report", "--period", DAY, "--format", "json")
    assert done.returncode == 2
    assert f"throwaudit nightly --again --from {DAY} --to {DAY}" in done.stderr
    done = house.night("--again", "--from", DAY, "--to", DAY)
    assert "revised" in done.stdout
    assert "as they were reported: 0; reports issued: 1" in done.stdout
    assert house.run("report", "--period", DAY, "--format", "json").returncode == 1
    done = house.night("--again")
    assert "as they were reported: 1; reports issued: 0" in done.stdout


def test_the_log_of_runs_for_people_and_machines(house: House) -> None:
    """One line each for what was taken and issued; it is begun anew past its size, and the older one kept."""
    house.put("one.csv", rows("T1", DAY, 12))
    assert "names no log_file" in house.run("nightly", "--log-json").stderr
    configure(house, f'log_file = "runs.log"\n{CONFIG}')
    house.night()
    log = house.folder / "runs.log"
    assert [line.split()[1] for line in log.read_text("utf-8").splitlines()] == ["taken", "part", "issued", "run"]
    log.write_text("x" * (5 << 20), "utf-8")
    house.put("next\u202e.csv", rows("T1", NEXT, 12))
    house.night("--log-json")
    told = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert {"taken", "issued", "run"} < {line["what"] for line in told}
    assert told[-1]["status"] in (0, 1)
    assert all(line.isascii() for line in log.read_text("utf-8").splitlines())
    assert (house.folder / "runs.log.1").stat().st_size == 5 << 20


def test_paper_and_annex(house: House) -> None:
    import pikepdf

    house.put("one.csv", rows("T1", DAY, 30, 0.9))
    sizes = []
    for head in ("", 'paper = "a4"\nannex = true\n'):
        configure(house, head + CONFIG.replace('"csv", "json"', '"pdf"'))
        house.night()
        with pikepdf.open(next((house.folder / "reports").rglob("report.pdf"))) as pdf:
            sizes.append((int(pdf.pages[0].mediabox[3]), len(pdf.pages)))
        for top in ("archive", "reports"):
            (house.folder / top).rename(house.folder / f"{top}-{len(sizes)}")
    (letter, pages), (a4, with_annex) = sizes
    assert (letter, a4) == (792, 841)
    assert with_annex > pages
