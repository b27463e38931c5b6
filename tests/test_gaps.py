"""Gaps told apart: what a row set aside, a blank cell and an unreadable one leave open, and what they do not."""

from __future__ import annotations

import csv
import io

import pytest
from conftest import Audited, Finding, found

from rules.examples import Example, Examples
from rules.three_dice_football import PACK

EXAMPLES = Examples(PACK)

FELL = {"settlement": "none_decided", "off1_called": "", "off2_called": "", "def_called": ""}
VOID = {**FELL, "ruling": "void", "off1_rest": "cocked", "off1_resting_sides": "1|2", "off1_observed": ""}
LATE = {
    f"{name}_at": f"2026-03-03T12:20:0{n}-05:00" for n, name in enumerate(("thrown", "at_rest", "called", "collected"))
}
LATE |= {"settled_at": "2026-03-03T12:20:06-05:00", "passed_at": "2026-03-03T12:20:07-05:00"}
BETWEEN = "2026-03-03T12:10:00-05:00"


def log(*rows: dict[str, str], without: tuple[str, ...] = ()) -> str:
    return EXAMPLES.log(Example("", "", "", rows, without=without))


def listed(audited: Audited, *rows: dict[str, str]) -> list[Finding]:
    return found(audited({"log.csv": log(*rows)}))


@pytest.mark.parametrize(
    ("aside", "finding"),
    [
        ({}, ("TDF-F4", "unverifiable", "T1", "")),
        ({"site": "CAS02"}, ("TDF-F4", "breach", "T1", "")),
        ({"table": "TDF-77"}, ("TDF-F4", "breach", "T1", "")),
        ({"table": ""}, ("TDF-F4", "unverifiable", "T1", "")),
        ({"thrown_at": "2026-03-03T12:30:00-05:00"}, ("TDF-F4", "breach", "T1", "")),
    ],
)
def test_a_row_set_aside_opens_a_gap_only_where_it_may_stand(
    aside: dict[str, str], finding: Finding, audited: Audited
) -> None:
    row = {"throw_id": "", "seq": "9", "thrown_at": BETWEEN, **aside}
    assert listed(audited, VOID, {**LATE, "round": "R2", "seq": "2"}, row) == [finding]


@pytest.mark.parametrize(
    ("aside", "missing"),
    [
        ({"seq": "2"}, False),
        ({"seq": "2.0"}, False),
        ({"seq": "+2"}, False),
        ({"seq": "2", "site": "CAS02"}, True),
        ({"seq": "2", "thrown_at": "2026-03-09T12:10:00-05:00"}, True),
        ({"seq": "5"}, True),
    ],
)
def test_a_number_in_quarantine_is_not_missing(aside: dict[str, str], missing: bool, audited: Audited) -> None:
    rows = ({}, {"seq": "3"}, {"throw_id": "", "thrown_at": "2026-03-03T12:01:30-05:00", **aside})
    assert listed(audited, *rows) == ([("LOG-2", "breach", "T2", "")] if missing else [])


@pytest.mark.parametrize(
    ("rows", "findings"),
    [
        ([{"disputed": "maybe", "dispute_ruling": "void"}], [("LOG-5", "breach", "T1", "")]),
        ([{}, {"rethrow_of": "1.2E+10"}], [("LOG-5", "breach", "T2", "")]),
        ([VOID, {"rethrow_of": "1.2E+10"}], [("LOG-5", "breach", "T2", "")]),
        (
            [{"off1_rest": "rail", "off1_resting_sides": "zz"}, {"rethrow_of": "T1"}],
            [("LOG-5", "breach", "T1", "off1")],
        ),
    ],
    ids=["disputed", "rethrow", "rethrow of a void roll", "resting sides"],
)
def test_an_unreadable_cell_accuses_nobody(
    rows: list[dict[str, str]], findings: list[Finding], audited: Audited
) -> None:
    assert listed(audited, *rows) == findings


def test_an_unreadable_cell_does_not_hide_what_another_leaves_open(audited: Audited) -> None:
    rows = ({**FELL, "ruling": "void", "off1_left_table": "", "dispute_about": "zz"}, {"rethrow_of": "T1"})
    assert listed(audited, *rows) == [("LOG-5", "breach", "T1", ""), ("TDF-F3", "unverifiable", "T1", "")]


def test_what_is_missing_is_named_and_nothing_else(audited: Audited) -> None:
    record = audited({"log.csv": log({"off1_color": "", "off1_left_table": ""}, {})})
    (finding,) = record.findings.to_pylist()
    assert finding["message"].endswith("Not recorded: off1_color.")


def test_ids_that_look_like_numbers_stay_ids(audited: Audited) -> None:
    assert listed(audited, {"stickperson": "1E5"}, {"throw_id": "2e7"}) == []


def test_a_house_that_raises_a_rule_sees_what_it_leaves_open(tmp_path: object, audited: Audited) -> None:
    from pathlib import Path

    profile = Path(str(tmp_path)) / "p.toml"
    profile.write_text('[dispositions]\nTDF-A2 = "violation"\n', "utf-8")
    record = audited({"log.csv": log({"off1_hit_far_end": ""}, {})}, profile=profile)
    assert found(record) == [("TDF-A2", "unverifiable", "T1", "off1")]


def test_impossible_years_are_no_crash(audited: Audited) -> None:
    row = next(csv.DictReader(io.StringIO(log({}))))
    row["set_opened_at"] = "0001-01-01T00:00:00+05:00"
    record = audited({"log.csv": log(row)}, timezone="America/New_York")
    assert found(record) == [("TDF-S2", "breach", "T1", "")]


def test_numbers_that_are_none_open_no_gap(audited: Audited) -> None:
    """Running numbers below zero, and at the edge of what 32 bits hold, are not further apart than they are."""
    first = {**VOID, "seq": "2147483647"}
    assert ("TDF-F4", "breach", "T1", "") in listed(audited, first, {**LATE, "round": "R2", "seq": "-2"})
