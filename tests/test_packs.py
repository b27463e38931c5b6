"""Packs and engine: a third party's pack, codes given twice, a rule that raises, dispositions, selected rules."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import Audited, found
from test_reading import HEAD, PLAIN, row

from audit import output
from audit.errors import UsageError
from audit.packs import check, choose_rules, find_pack, load_packs
from audit.pipeline import Options, audit_logs
from rules.kit import VIOLATION, Verdict, rule
from rules.three_dice_football import PACK


def test_the_pack_is_found_by_its_entry_point() -> None:
    assert [pack.name for pack in load_packs()] == ["bunco", "die", "three-dice-football"]


def test_a_third_party_can_ship_a_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "their_pack"
    (package / "words").mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import dataclasses\nfrom rules.catalogue import Catalogue\n"
        "from rules.three_dice_football import PACK as OURS\n"
        "PACK = dataclasses.replace(OURS, name='their-game', rules=(), catalogue=Catalogue(__name__))\n",
        "utf-8",
    )
    info = tmp_path / "their_pack-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-pack\nVersion: 1\n", "utf-8")
    (info / "entry_points.txt").write_text("[throwaudit.packs]\ntheir-game = their_pack:PACK\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert [pack.name for pack in load_packs()] == ["bunco", "die", "their-game", "three-dice-football"]


def test_codes_and_names_are_given_once() -> None:
    with pytest.raises(UsageError, match="two packs are named three-dice-football"):
        check([PACK, PACK])
    with pytest.raises(UsageError, match=r"the code TDF-A1 stands in pack three-dice-football and in pack other"):
        check([PACK, dataclasses.replace(PACK, name="other")])


def test_unknown_names_get_the_nearest_match() -> None:
    with pytest.raises(UsageError, match=r"unknown pack 'three-dice-footbal'; did you mean three-dice-football\?"):
        find_pack("three-dice-footbal", [PACK])
    with pytest.raises(UsageError, match=r"unknown rule in --select 'TDF-G9'; did you mean TDF-\w+\?"):
        choose_rules(PACK, ["TDF-G9"], [])


def test_a_rule_that_raises_is_an_error_and_never_a_pass(tmp_path: Path) -> None:
    @rule("TDF-H1", "661a.5(h)", VIOLATION)
    def broken(throw: object) -> Verdict:
        """It breaks."""
        raise ZeroDivisionError("no such die")

    rules = tuple(broken if r.code == "TDF-H1" else r for r in PACK.rules)
    log = tmp_path / "log.csv"
    log.write_text(PLAIN.replace("yes", "no"), "utf-8")
    record = audit_logs(Options((str(log),), formats=("json",)), [dataclasses.replace(PACK, rules=rules)])
    (failed,) = record.rules_in_error
    assert failed.code == "TDF-H1"
    assert failed.counts["error"] == 3
    assert failed.counts["tested"] == 0
    assert int(record.status) == 3
    output.prepare(tmp_path / "out")
    output.write(record, tmp_path / "out", ("json", "pdf"), "2026-03-04")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert summary["rules"]["TDF-H1"]["error_message"] == "ZeroDivisionError: no such die"
    assert not summary["complete"]


def test_a_message_that_is_not_of_its_findings_is_an_error_of_its_rule_alone(tmp_path: Path) -> None:
    @rule("TDF-H4", "661a.5(h)", VIOLATION)
    def longer(throw: Any) -> Verdict:
        """It says more than there is to say."""
        said = {name: lambda rows: pa.array(["x"] * (len(rows) + 1)) for name in ("earlier_step", "later_step")}
        return Verdict(throw.any_throw, throw.flag("stick_used").no, details=said)

    rules = tuple(longer if r.code == "TDF-H4" else r for r in PACK.rules)
    log = tmp_path / "log.csv"
    log.write_text(PLAIN.replace("yes", "no"), "utf-8")
    record = audit_logs(Options((str(log),), formats=("json",)), [dataclasses.replace(PACK, rules=rules)])
    assert [failed.code for failed in record.rules_in_error] == ["TDF-H4"]
    assert {f["rule"] for f in record.findings.to_pylist()} >= {"TDF-H1"}


def test_selected_and_ignored_rules(audited: Audited) -> None:
    log = {"log.csv": HEAD + row(1, stick_used="no", off1_called="9")}
    assert [f[0] for f in found(audited(log))] == ["LOG-5", "TDF-H1"]
    assert [f[0] for f in found(audited(log, select=("TDF",)))] == ["TDF-H1"]
    assert [f[0] for f in found(audited(log, ignore=("TDF-H",)))] == ["LOG-5"]
    record = audited(log, select=("TDF-H1",))
    assert [rule.code for rule in record.rules if rule.on] == ["TDF-H1"]


def test_a_profile_may_raise_a_disposition_and_never_lower_it(tmp_path: Path, audited: Audited) -> None:
    profile = tmp_path / "p.toml"
    profile.write_text('[dispositions]\nLOG-4 = "violation"\n', "utf-8")
    log = {"log.csv": HEAD + row(1, stickperson="") + row(2)}
    assert audited(log, profile=profile).by_disposition["violation"] == 1
    profile.write_text('[dispositions]\nTDF-H1 = "observation"\n', "utf-8")
    with pytest.raises(UsageError, match="may raise a disposition, never lower it"):
        audited(log, profile=profile)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[house]\ncall_within_second = 3\n", "unknown option in [house] 'call_within_second'; did you mean"),
        ("[house]\ncall_within_seconds = -1\n", "expected a whole number, 0 or more"),
        ("[blank]\nleft_tabel = 'no'\n", "unknown column in [blank] 'left_tabel'; did you mean left_table?"),
        ("[blank]\nleft_table = 'perhaps'\n", "is no value of that column"),
        ("houses = 1\n", "unknown key 'houses'; did you mean house?"),
        ("pack = 3\n", "pack = 3: expected a text"),
        ("x = [\n", "profile"),
        ('gaming_day_starts = "25:00"\n', "expected a time such as 06:00"),
    ],
)
def test_what_can_be_wrong_with_a_profile(text: str, says: str, tmp_path: Path, audited: Audited) -> None:
    profile = tmp_path / "p.toml"
    profile.write_text(text, "utf-8")
    with pytest.raises(UsageError) as error:
        audited({"log.csv": PLAIN}, profile=profile)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_what_a_blank_cell_means(tmp_path: Path, audited: Audited) -> None:
    """A house that marks only the exceptions: without [blank] it cannot be told, with it nothing is found."""
    head = HEAD.replace("off1_called", "off1_color")
    log = {"log.csv": head + row(1, stick_used="", off1_called="") + row(2, off1_called="green")}
    assert ("TDF-H1", "unverifiable", "T1", "") in found(audited(log))
    profile = tmp_path / "p.toml"
    profile.write_text("[blank]\nstick_used = true\ncolor = 'green'\n", "utf-8")
    assert found(audited(log, profile=profile)) == []


def test_further_rows_are_looked_at_by_no_other_rule(audited: Audited) -> None:
    """The cells of a row that LOG-1 names are not among those that LOG-5 counts."""
    counts = [
        {rule.code: rule.counts for rule in audited({"log.csv": HEAD + rows}).rules}
        for rows in (row(1, off1_called="9"), row(1, off1_called="9") + row(1, off1_called="9", stick_used="no"))
    ]
    assert counts[0]["LOG-5"]["tested"] == 9
    assert counts[0]["LOG-5"] == counts[1]["LOG-5"]
    assert counts[1]["LOG-1"]["breached"] == 1
