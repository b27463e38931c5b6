"""The pack ``die``: its examples, planted = found, and what no table of examples shows."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from itertools import product
from pathlib import Path

import pytest
from conftest import Audited, found, planted_and_found
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import escape

from audit.pipeline import Options, audit_logs
from audit.record import all_rules
from rules.die import PACK, notation
from rules.die.judging import BREACH as WRONG
from rules.die.judging import PASS, Known, judge
from rules.die.options import OPTIONS, House
from rules.die.sampling import sample
from rules.die.table import DEFENDER, TABLE, Facts, due
from rules.examples import BREACH, CONFORMS, UNVERIFIABLE, Example, Examples
from rules.sampling import Sample

EXAMPLES = Examples(PACK)
HOUSE = House.of({})
_FALLS = {"path": "F>G", "catch_by": "", "catch_how": ""}


@pytest.mark.parametrize("example", EXAMPLES.all, ids=lambda e: f"{e.rule}: {e.name}")
def test_example(example: Example, audited: Audited) -> None:
    record = audited({"log.csv": EXAMPLES.log(example)}, dict(example.house), PACK)
    expected = sorted((e.rule, e.outcome, e.event_id, e.part) for e in example.findings)
    assert not record.rules_in_error
    assert found(record) == expected


@pytest.mark.parametrize("code", [rule.code for rule in all_rules(PACK) if rule.code != "LOG-6"])
def test_rule_has_a_conforming_and_a_breaching_example(code: str) -> None:
    shown = {example.shows for example in EXAMPLES.of(code)}
    assert CONFORMS in shown
    assert shown & {BREACH, UNVERIFIABLE}


def test_every_option_has_an_example() -> None:
    tried = {name for example in EXAMPLES.all for name in example.house}
    assert tried == {option.name for option in OPTIONS} - {"scope"}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("errors", "gaps"), [(0.0, 0.0), (0.1, 0.0), (0.1, 0.2), (0.0, 1.0), (1.0, 0.0)])
def test_what_is_planted_is_found(seed: int, errors: float, gaps: float, tmp_path: Path) -> None:
    planted, found = planted_and_found(PACK, Sample(2500, seed, errors, gaps), tmp_path)
    assert planted == found
    assert bool(planted) == bool(errors + gaps)


@pytest.mark.parametrize("events", [0, 1, 2, 9, 40])
def test_any_number_of_tosses(events: int, tmp_path: Path) -> None:
    planted, found = planted_and_found(PACK, Sample(events, 5, 0.3), tmp_path)
    assert planted == found


def test_errors_of_every_rule_are_planted() -> None:
    codes = {rule for s in sample(Sample(20_000, 3, 0.5, 0.1)) for _, _, rule, _ in s.answers}
    assert codes == {rule.code for rule in all_rules(PACK)} - {"LOG-6"}  # two rows of one number are LOG-1 or DIE-04


def test_the_order_of_rows_and_the_cut_into_runs_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from audit.reading import intake, lines, logs

    text = "".join(s.text for s in sample(Sample(1500, 8, 0.2, 0.1)))
    head, *rows = text.splitlines(keepends=True)
    (tmp_path / "log.csv").write_text(text, "utf-8")
    options = Options((str(tmp_path / "log.csv"),), formats=())
    whole = [row["finding_id"] for row in audit_logs(options, [PACK]).findings.to_pylist()]
    monkeypatch.setattr(intake, "RUN", 150)
    monkeypatch.setattr(intake, "HELD", 300)
    monkeypatch.setattr(lines, "BLOCK", 20_000)
    monkeypatch.setattr(logs, "STRETCH", 1)
    assert [row["finding_id"] for row in audit_logs(options, [PACK]).findings.to_pylist()] == whole
    plain = "".join(s.text for s in sample(Sample(1500, 8, 0.0)))
    head, *rows = plain.splitlines(keepends=True)
    random.Random(1).shuffle(rows)
    (tmp_path / "log.csv").write_text(head + "".join(rows), "utf-8")
    assert found(audit_logs(options, [PACK])) == []


# The notation

_STEPS = (*notation.CONTACTS, *notation.SINKS, *notation.ENDINGS)


@given(st.lists(st.sampled_from(_STEPS), min_size=1, max_size=6))
def test_a_path_has_one_spelling(steps: list[str]) -> None:
    spelling = notation.path(">".join(steps))
    if spelling is not None:
        assert notation.path(spelling) == spelling
        *contacts, ending = spelling.split(">")
        assert ending in (*notation.ENDINGS, *notation.SINKS)
        assert set(contacts) <= set(notation.CONTACTS)


@pytest.mark.parametrize("text", ["F>M>G", "SF>G", "G", "x>G", "f>SF>SF", "F G", "F>G>C", "sf"])
def test_what_is_no_path(text: str) -> None:
    assert notation.path(text) is None


# The table

_ENDINGS = ("G", "C", "T", "R")


def _facts() -> list[Facts]:
    return [
        Facts((first, *more, ending), low=low, how=how, over_table=over)
        for first in ("F", "f", "O", "o", "L", "M")
        for more in ((), ("f",), ("o",), ("O",))
        for ending in _ENDINGS
        for how in ("1h", "2h", "body", "obj")
        for low, over in product((False, True), repeat=2)
    ]


def test_every_toss_has_a_line_and_no_points_for_both() -> None:
    for t in _facts():
        value = due(t, HOUSE)
        assert not (max(value.attack) and max(value.defence))
        assert max(*value.attack, *value.defence) <= 2


def test_every_line_of_the_table_decides_something() -> None:
    deciding = set()
    more = [Facts((a, b)) for a in ("F", "O", "M", "b", "K") for b in ("SF", "SO")]
    houses = [HOUSE, House.of({"line": "redo", "short_trap": "attack_point"})]
    exchange = [
        Facts(("M", "K", *rest), low=low, how="1h", claimed=True, exchange=full)
        for rest in (("C",), ("G",), ("F", "G"))
        for low in (False, True)
        for full in (_full(),)
    ]
    contested = [Facts(("F", "G"), contested=True), Facts(("F", "C"), catcher="attacker", how="1h")]
    contested.append(Facts(("F", "T"), catcher="attacker", how="obj"))
    for t, house in product([*_facts(), *more, *exchange, *contested, Facts(("b", "G"))], houses):
        deciding.add(next(place for place, line in enumerate(TABLE) if line.condition(t, house)))
    assert deciding == set(range(len(TABLE)))


def _full() -> object:
    from rules.die.table import Exchange

    return Exchange(2, True, True)


@settings(deadline=None, max_examples=200)
@given(
    path=st.sampled_from(["F>G", "F>C", "f>C", "F>f>G", "O>C", "O>o>C", "O>G", "F>T", "F>R", "M>G"]),
    how=st.sampled_from(["1h", "2h", "body", "obj"]),
    over=st.booleans(),
    low=st.booleans(),
    given_points=st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
def test_knowing_less_never_accuses_more(
    path: str, how: str, over: bool, low: bool, given_points: tuple[int, int]
) -> None:
    """What is right by the whole record is not wrong by a record that says less."""
    known = Known(tuple(path.split(">")), False, low, DEFENDER, how, over, "blank", given_points)
    if judge(known, HOUSE).outcome != PASS:
        return
    for less in (
        Known(None, False, low, DEFENDER, how, over, "blank", given_points),
        Known(known.path, False, None, DEFENDER, how, over, "blank", given_points),
        Known(known.path, False, low, "blank", None, over, "blank", given_points),
        Known(known.path, False, low, None, how, None, "blank", given_points),
        Known(known.path, None, low, DEFENDER, how, over, None, given_points),
    ):
        assert judge(less, HOUSE).outcome != WRONG


# Options


@pytest.mark.parametrize(
    ("house", "said"),
    [
        ({"fifa_brink": "half"}, "[house] fifa_brink = 'half': expected cap or void or hold or unset"),
        ({"target": 0}, "[house] target = 0: expected a whole number, 1 or more"),
        ({"fifa": "maybe"}, "[house] fifa = 'maybe': expected on or off"),
        ({"targets": 9}, "unknown option in [house] 'targets'; did you mean target?"),
    ],
)
def test_an_option_that_is_none_is_named(house: dict[str, object], said: str, audited: Audited) -> None:
    from audit.errors import UsageError

    with pytest.raises(UsageError) as raised:
        audited({"log.csv": EXAMPLES.log(EXAMPLES.all[0])}, house, PACK)
    assert said in str(raised.value)


def test_the_league_that_plays_to_13_by_2(audited: Audited) -> None:
    """Of a real league every game would be flagged by the page's own numbers, and none by its own."""
    row = {**_FALLS, "start_a": "12", "start_b": "11", "points_a": "1", "score_a": "13", "score_b": "11", "winner": "A"}
    log = EXAMPLES.log(Example("DIE-12", CONFORMS, "13–11", (row,)))
    assert found(audited({"log.csv": log}, {"target": 13, "win_by": 2}, PACK)) == []


# Results only

RESULTS = "game_id,team_a,team_b,score_a,score_b,winner\n"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("9,5,A", []),
        ("10,8,A", []),
        ("5,9,B", []),
        ("9,5,B", [("DIE-24", BREACH)]),
        ("13,11,A", [("DIE-12", BREACH)]),
        ("7,5,A", [("DIE-12", UNVERIFIABLE)]),  # a sink may have ended it
        ("7,5,", [("DIE-12", UNVERIFIABLE)]),
    ],
)
def test_results(row: str, expected: list[tuple[str, str]], audited: Audited) -> None:
    text = RESULTS + "G0,A1|A2,B1|B2,9,0,A\n" + f"G1,A1|A2,B1|B2,{row}\n"
    record = audited({"log.csv": text}, {"scope": "results"}, PACK)
    assert [(rule, outcome, event) for rule, outcome, event, _ in found(record)] == [(r, o, "G1") for r, o in expected]
    untested = {rule.code for rule in record.rules if rule.counts["not_logged"] and not rule.counts["tested"]}
    assert {f"DIE-{n:02d}" for n in range(1, 25)} - untested == {"DIE-12", "DIE-24"}


def test_results_where_a_sink_is_worth_points(audited: Audited) -> None:
    record = audited({"log.csv": RESULTS + "G1,A1,B1,7,5,A\n"}, {"scope": "results", "sink_value": 3}, PACK)
    assert found(record) == [("DIE-12", BREACH, "G1", "")]


# The report


def test_the_report_tells_each_game(tmp_path: Path) -> None:
    from reports.html import write_report

    log = tmp_path / "log.csv"
    log.write_text("".join(s.text for s in sample(Sample(300, 6, 0.3))), "utf-8")
    record = audit_logs(Options((str(log),), formats=("html",)), [PACK])
    out = io.BytesIO()
    write_report(record, out, "2026-05-02")
    html = out.getvalue().decode("utf-8")
    sheets = [panel.figure for section in record.sections for panel in section.panels if panel.figure]
    assert len(sheets) == 12
    titles = re.findall(r"<title>([^<]*)</title>", html)
    assert [titles.count(str(escape(sheet.shows))) for sheet in sheets] == [1] * 12
    evenings = {(each.site, each.day) for each in record.days if each.course}
    assert html.count("<svg") == 12 + len(evenings) + 1  # and the findings by table and hour
    assert "Corrected score:" in html
    for word in ("stickperson", "gaming day", "Gaming day", "Quarterback", "casino", "wager"):
        assert word not in html


def test_the_corrected_line(audited: Audited) -> None:
    rows = (
        {**_FALLS, "start_a": "8", "points_a": "0", "score_a": "8"},
        {**_FALLS, "start_a": "8", "points_a": "1", "score_a": "9", "winner": "A"},
    )
    log = EXAMPLES.log(Example("DIE-05", BREACH, "late", rows))
    (section,) = audited({"log.csv": log}, None, PACK, formats=("html",)).sections
    table = section.panels[0].grid
    assert table is not None
    assert table.rows == (("G", "A1, A2", "B1, B2", "2", "9–0", "A", "9–0", "A at toss 1"),)


def test_the_findings_of_the_sample_log_are_its_answers() -> None:
    folder = Path(__file__).parent.parent / "sample_logs" / "die"
    record = audit_logs(Options((str(folder / "errors.csv"),), formats=()), [PACK])
    answers = list(csv.DictReader(io.StringIO((folder / "errors.answers.csv").read_text("utf-8"))))
    assert found(record) == sorted((a["rule"], a["outcome"], a["event_id"], a["part"]) for a in answers)
    assert json.dumps(found(audit_logs(Options((str(folder / "clean.csv"),), formats=()), [PACK]))) == "[]"


_JUNK = {
    "path": ("", "F>?", "M>K>F>G", "b>G", "K>C", "L>G", "O>SF", "F>SO", "M>SF", "x"),
    "catch_by": ("", "Zed"),
    "catch_how": ("", "2h", "zz"),
    "over_table": ("yes", "zz"),
    "height": ("low", "zz", ""),
    "challenge": ("A", "B", "zz"),
    "fifa": ("Zed.foot", "x", "Zed.tail>Ben.arm"),
    "points_a": ("", "-1", "7"),
    "score_a": ("", "x", "99"),
    "winner": ("A", "B", "zz"),
    "thrower": ("", "Zed"),
    "team_b": ("", "Ben|Kim"),
    "toss": ("", "0", "5", "-1"),
    "start_a": ("4", "x"),
    "roll_a": ("", "4|4", "9"),
    "tossed_at": ("", "zz"),
}
_HOUSES: tuple[dict[str, object], ...] = (
    {},
    {"turn_order": "pairs", "line": "redo", "low_toss": "redo"},
    {"turn_order": "alternate", "sink_value": 3, "max_score": True, "win_by": 2},
    {"challenge_scope": "per_game", "challenge_effect": "redo_if_low", "fifa_brink": "cap", "fifa_points": 4},
)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_stands_in_the_cells_the_games_are_audited(seed: int, audited: Audited) -> None:
    """No rule fails, counts add up, no two findings share an id, and the report can be made."""
    chance = random.Random(seed)
    head, *rows = ("".join(s.text for s in sample(Sample(250, seed, 0.2, 0.1)))).splitlines()
    names, cells = head.split(","), [row.split(",") for row in rows]
    for row in cells:
        for column in chance.sample(sorted(_JUNK), chance.choice((0, 0, 1, 2, 4))):
            row[names.index(column)] = chance.choice(_JUNK[column])
    dropped = set(chance.sample([n for n in names if n not in ("game_id", "toss")], chance.choice((0, 0, 6))))
    kept = [place for place, name in enumerate(names) if name not in dropped]
    text = "".join(",".join(row[place] for place in kept) + "\n" for row in (names, *cells))
    record = audited({"log.csv": text}, _HOUSES[seed % len(_HOUSES)], PACK, formats=("html",))
    assert not record.rules_in_error
    ids = record.findings["finding_id"].to_pylist()
    assert len(ids) == len(set(ids))
    for rule in record.rules:
        counts = rule.counts
        assert counts["applicable"] == counts["tested"] + counts["unverifiable"] + counts["not_logged"]
        assert min(counts.values()) >= 0
    assert record.rows_read == record.accepted + len(record.quarantine)
