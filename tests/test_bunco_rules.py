"""Bunco: decision tables against the specification, examples beside the rules, sentences, and hostile inputs."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest
from conftest import Audited, found
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.record import all_rules
from audit.telling import Words
from rules import log_integrity
from rules.bunco import PACK
from rules.bunco.columns import CATALOGUE, player_list, table_number
from rules.bunco.games import house_of
from rules.bunco.options import House
from rules.bunco.tables import destination, scored
from rules.examples import BREACH, CONFORMS, UNVERIFIABLE, Example, Examples

EXAMPLES = Examples(PACK)
DICE = list(product(range(1, 7), repeat=3))
#: The clauses that no log can breach: equipment, and the numbers of the wipeout variation (found as BUN-03).
NEVER = ("BUN-01", "BUN-19")


@pytest.mark.parametrize("example", EXAMPLES.all, ids=lambda e: f"{e.rule}: {e.name}")
def test_example(example: Example, audited: Audited) -> None:
    record = audited({"log.csv": EXAMPLES.log(example)}, dict(example.house), of=PACK)
    assert not record.rules_in_error
    assert found(record) == sorted((e.rule, e.outcome, e.event_id, e.part) for e in example.findings)


@pytest.mark.parametrize("code", [rule.code for rule in PACK.rules if rule.code not in NEVER])
def test_rule_has_a_conforming_and_a_breaching_example(code: str) -> None:
    shown = {example.shows for example in EXAMPLES.of(code)}
    assert CONFORMS in shown
    assert shown & {BREACH, UNVERIFIABLE}


def test_every_option_has_an_example() -> None:
    assert {name for example in EXAMPLES.all for name in example.house} == {option.name for option in PACK.options}


def test_every_rule_and_finding_has_its_sentences() -> None:
    words = Words(PACK, log_integrity.CATALOGUE)
    for code in (rule.code for rule in PACK.rules):
        for key in ("title", "question", "message", "expected", "recorded", "effect", "reading"):
            assert words.rule(code, key), (code, key)
    for column in PACK.columns:
        assert CATALOGUE.find("columns", column.name), column.name
    for option in PACK.options:
        assert CATALOGUE.find("options", option.name), option.name
    for rule in PACK.rules:
        assert rule.clause in CATALOGUE.table("clauses")


def test_bun_05_to_09_outcomes_of_216() -> None:
    """The scoring table counts as the specification has it, and so do its chances."""
    rows = Counter(scored(House(), 3, dice).row for dice in DICE)
    assert rows == {"bunco": 1, "three": 5, "two_targets": 15, "one_target": 75, "nothing": 120}
    standard = [scored(House(), 3, dice) for dice in DICE]
    assert sum(one.points for one in standard) == 151
    assert sum(one.next_player == "same" for one in standard) == 96
    wipeout = [scored(House(wipeout=True), 3, dice) for dice in DICE]
    assert sum(one.points for one in wipeout) == 146
    assert sum(one.next_player == "same" for one in wipeout) == 95
    assert scored(House(), 1, (1, 1, 1)).points == 21
    assert scored(House(), 2, (1, 1, 1)).points == 5


def test_bun_03_targets() -> None:
    assert [House().target(n) for n in range(1, 7)] == [1, 2, 3, 4, 5, 6]
    assert [House(wipeout=True).target(n) for n in range(1, 6)] == [2, 3, 4, 5, 6]
    assert (House().last_round, House(wipeout=True).last_round, House(rounds=4).last_round) == (6, 5, 4)


@pytest.mark.parametrize("movement", ["text", "wba", "losers_move"])
@pytest.mark.parametrize("tables", range(1, 8))
def test_bun_16_movement_is_conservative(movement: str, tables: int) -> None:
    """Two teams at every table after the move, whatever the scheme."""
    house = House(movement=movement)
    arrivals = Counter(
        destination(house, tables, table, won) for table in range(1, tables + 1) for won in (True, False)
    )
    assert arrivals == dict.fromkeys(range(1, tables + 1), 2)


def test_bun_16_is_the_only_completion_by_single_steps() -> None:
    """With head losers to the lowest and winners one up, losers of every other table must stay."""
    for tables in range(2, 8):
        fitting = []
        for down in product((False, True), repeat=tables - 2):
            arrivals = Counter({1: 2 if tables > 1 else 1, tables: 1})
            arrivals.update(k - 1 for k in range(3, tables + 1))
            arrivals.update(k + step for k, step in zip(range(2, tables), down, strict=True))
            arrivals[tables] += 1  # its losers cannot go lower
            if all(arrivals[k] == 2 for k in range(1, tables + 1)):
                fitting.append(down)
        assert fitting == [(False,) * (tables - 2)]


@pytest.mark.parametrize(
    ("text", "number"),
    [("head", "1"), ("Head", "1"), ("Table 3", "3"), ("2", "2"), ("head table", "1"), ("kitchen", None), ("1.5", None)],
)
def test_tables_as_people_write_them(text: str, number: str | None) -> None:
    assert table_number(text) == number


def test_lists_of_players_are_split_at_their_signs_only() -> None:
    assert player_list(" Ann  Lee | Bob;Cyd,Dee ") == "Ann Lee|Bob|Cyd|Dee"
    assert player_list("Ann/Bob") == "Ann/Bob"
    assert player_list(" | ") is None


def test_options_unset_are_the_page(audited: Audited) -> None:
    assert house_of(PACK.for_house({}).house) == House()


HEAD = "game_id,seq,kind,round,table,player,d1,d2,d3,points,team_total,opponents,score,opponent_score\n"


def test_a_kind_that_does_not_exist_is_named_and_the_rest_audited(audited: Audited) -> None:
    log = HEAD + "E,1,roll,1,1,Ann,1,1,2,3,,,,\nE,2,dance,1,1,Ann,,,,,,,,\nE,3,roll,1,1,Ann,1,1,2,2,,,,\n"
    record = audited({"log.csv": log}, of=PACK)
    (aside,) = record.quarantine
    assert "dance" in aside.reason
    assert "draw, seat, roll, bell, result, rolloff, move, marker, prize" in aside.reason
    assert found(record) == [("BUN-05", "breach", "E#1", "")]


def test_what_the_file_does_not_log_is_counted_and_not_listed(audited: Audited) -> None:
    log = HEAD + "E,1,roll,1,2,Ann,1,1,2,2,2,,,\nE,2,roll,1,2,Ann,2,3,4,0,2,,,\nE,3,roll,1,2,Bob,2,3,4,0,0,,,\n"
    record = audited({"log.csv": log}, of=PACK)
    assert found(record) == []
    counts = {rule.code: rule.counts for rule in record.rules}
    assert counts["BUN-09"]["not_logged"] == 1
    assert counts["BUN-23"]["not_logged"] == 3
    assert counts["BUN-24"]["not_logged"] == 3
    assert counts["BUN-01"]["applicable"] == 0


def test_games_of_two_files_and_an_evening_in_two_files(audited: Audited) -> None:
    """An evening is one, whatever files its rows stand in."""
    first = HEAD + "E,1,seat,3,1,Ann|Bob|Cyd|Dee,,,,,,,,\nE,2,roll,3,1,Ann,4,4,5,0,,,,\n"
    second = HEAD + "E,3,roll,3,1,Cyd,4,4,5,0,,,,\nF,1,roll,3,1,Cyd,3,4,5,3,,,,\n"
    assert found(audited({"a.csv": first, "b.csv": second}, of=PACK)) == [
        ("BUN-05", "breach", "F#1", ""),
        ("BUN-09", "breach", "E#3", ""),
    ]


@pytest.mark.parametrize(
    ("house", "says"),
    [
        ({"movment": "wba"}, "did you mean movement?"),
        ({"movement": "sideways"}, "text"),
        ({"tables": 0}, "1 or more"),
        ({"prize_tie": "share"}, "unknown option"),
    ],
)
def test_what_can_be_wrong_with_options(house: dict[str, object], says: str, audited: Audited) -> None:
    from audit.errors import UsageError

    with pytest.raises(UsageError) as error:
        audited({"log.csv": HEAD}, house, of=PACK)
    assert says in str(error.value)


_CELLS = st.sampled_from(
    ["", "1", "2", "3", "7", "head", "Ann", "Bob", "Ann|Cyd", "Bob|Dee", "?", "x", "99999999999", "-4"]
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["draw", "seat", "roll", "bell", "result", "rolloff", "move", "marker", "prize"]))
        .flatmap(lambda kind: st.lists(_CELLS, min_size=11, max_size=11).map(lambda cells: (*kind, *cells))),
        max_size=25,
    ),
    st.booleans(),
    st.booleans(),
)  # fmt: skip
def test_whatever_stands_in_the_rows_every_rule_answers(
    rows: list[tuple[str, ...]], by_table: bool, wipeout: bool
) -> None:
    """No rule raises; rows in are events and rows set aside; a shuffled file gives the same findings."""
    import tempfile
    from pathlib import Path

    from audit.pipeline import Options, audit_logs

    head = "game_id,seq,kind,round,table,player,d1,d2,d3,points,team_total,opponents,score,to_table\n"
    lines = [f"E,{seq},{','.join(row)}\n" for seq, row in enumerate(rows, start=1)]
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "p.toml"
        switches = f"wipeout = {str(wipeout).lower()}\nseq_by_table = {str(by_table).lower()}\ntravelling = true\n"
        profile.write_text('pack = "bunco"\n[house]\n' + switches, "utf-8")
        results = []
        for number, order in enumerate((lines, random.Random(1).sample(lines, len(lines)))):
            log = Path(folder) / f"{number}.csv"
            log.write_text(head + "".join(order), "utf-8")
            record = audit_logs(Options((str(log),), profile=profile, formats=("html",)), [PACK])
            assert not record.rules_in_error, [rule.error for rule in record.rules_in_error]
            assert record.accepted + len(record.quarantine) == len(lines)
            results.append(found(record))
        assert results[0] == results[1]


def test_all_codes_are_there() -> None:
    codes = [rule.code for rule in all_rules(PACK) if rule.code.startswith("BUN")]
    assert codes == [f"BUN-{number:02d}" for number in range(1, 25)]
