"""Properties of the whole over random logs: nobody is accused across a gap, and nothing is held twice for one cause."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter, defaultdict
from typing import Any

import pytest
from conftest import Audited, found

from audit.record import RunRecord
from rules.examples import Examples
from rules.kit import Kind
from rules.sampling import Sample
from rules.three_dice_football import PACK
from rules.three_dice_football.sampling import sample

Rows = list[dict[str, str]]

#: Findings that say how a roll was to be read: at most one a die can be the cause.
READING = {"TDF-B1", "TDF-B2", "TDF-F2", "TDF-E2", "TDF-E3", "TDF-E7", "TDF-F1"}
#: What may be said of a roll only while (b) and (f) let it stand.
ONLY_LIVE = {"TDF-C8", "TDF-E1", "TDF-E2", "TDF-E3", "TDF-E5", "TDF-E6", "TDF-E7", "TDF-F1", "TDF-G3"}


def rows_of(request: Sample) -> Rows:
    return list(csv.DictReader(io.StringIO("".join(s.text for s in sample(request)))))


def as_csv(rows: Rows) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [column.name for column in PACK.columns], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def wild(rng: random.Random, size: int) -> Rows:
    """Throws whose cells have nothing to do with one another."""
    base = Examples(PACK).base
    rows: Rows = []
    for number in range(size):
        row = dict.fromkeys((column.name for column in PACK.columns), "")
        row.update(base)
        row.update(
            throw_id=f"W{number}",
            seq=str(number + 1),
            thrown_at=f"2026-03-03T{12 + number // 60:02d}:{number % 60:02d}:00Z",
        )
        for column in PACK.columns:
            if column.kind in (Kind.TIME, Kind.ID, Kind.TEXT, Kind.INT, Kind.DATE) or rng.random() < 0.5:
                continue
            row[column.name] = rng.choice(
                {
                    Kind.BOOL: ["yes", "no", ""],
                    Kind.CHOICE: [*column.words, ""],
                    Kind.CHOICES: [*column.words, "|".join(column.words[:2]), ""],
                    Kind.FACE: [*"123456", ""],
                    Kind.FACES: [*"123456", "1|2", "3/6", "none", ""],
                }[column.kind]
            )
        if number and rng.random() < 0.15:
            row["rethrow_of"] = f"W{rng.randrange(number)}"
        rows.append(row)
    return rows


@pytest.mark.parametrize("seed", range(8))
def test_one_root_cause_one_finding(seed: int, audited: Audited) -> None:
    """A die has one reading at fault; a roll that (b) or (f) voids has no finding about how it was called."""
    record = audited({"wild.csv": as_csv(wild(random.Random(seed), 300))})
    by_event: dict[str, set[str]] = defaultdict(set)
    by_die: Counter[tuple[str, str]] = Counter()
    for rule, outcome, event, part in found(record):
        if outcome == "breach":
            by_event[event].add(rule)
            if rule in READING and part:
                by_die[event, part] += 1
    assert max(by_die.values()) == 1
    decided = {event: rules for event, rules in by_event.items() if rules & {"TDF-B1", "TDF-B2", "TDF-F2"}}
    assert decided
    for event, rules in decided.items():
        assert not rules & ONLY_LIVE, (event, rules)
        assert not {"TDF-B1", "TDF-F2"} <= rules, (event, rules)
        assert not {"TDF-B2", "TDF-F2"} <= rules, (event, rules)
    assert not record.rules_in_error


@pytest.mark.parametrize("seed", range(4))
def test_blank_cells_accuse_nobody(seed: int, audited: Audited) -> None:
    """Blanking what is unknown when blank adds no violation, and takes some away.

    Left out are cells whose blank the pack reads (a round, a dispute, a lost die) and the observed face, which may
    clear a call by contradicting the resting sides (F9).
    """
    rng = random.Random(seed)
    rows = wild(rng, 200)
    columns = ["ruling", "settlement", "stick_used", "dice_centered", "dice_set", "called_at", "settled_at"]
    columns += [f"{die}_{field}" for die in PACK.parts for field in ("called", "color", "die")]
    before = violations(audited({"before.csv": as_csv(rows)}))
    for row in rows:
        for column in rng.sample(columns, 3):
            row[column] = ""
    after = violations(audited({"after.csv": as_csv(rows)}))
    assert after <= before
    assert after < before


def violations(record: RunRecord) -> set[tuple[str, str, str]]:
    return {
        (row["rule"], row["event_id"], row["part"] or "")
        for row in record.findings.to_pylist()
        if row["disposition"] == "violation"
    }


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("how", ["left out", "set aside", "entered twice"])
def test_nobody_is_accused_across_a_gap(seed: int, how: str, audited: Audited) -> None:
    """Rows that vanish, are set aside, or may stand elsewhere create no finding on those beside them."""
    rng = random.Random(seed)
    rows = rows_of(Sample(1500, seed, 0.1))
    sequence = {"TDF-F4", "TDF-S3"}

    def accused(record: RunRecord) -> set[str]:
        return {event for rule, outcome, event, _ in found(record) if rule in sequence and outcome == "breach"}

    before = accused(audited({"whole.csv": as_csv(rows)}))
    touched = set(rng.sample(range(len(rows)), 400))
    if how == "left out":
        changed = [row for number, row in enumerate(rows) if number not in touched]
    elif how == "set aside":
        changed = [{**row, "throw_id": ""} if number in touched else row for number, row in enumerate(rows)]
    else:
        changed = [copy for number, row in enumerate(rows) for copy in [row] * (2 if number in touched else 1)]
    after = accused(audited({"gaps.csv": as_csv(changed)}))
    assert after <= before
    assert before


@pytest.mark.parametrize("column", [column.name for column in PACK.columns if not column.required])
def test_one_gap_one_finding(column: str, audited: Audited) -> None:
    """One cell left blank in an honest log yields at most one finding, whatever the throw was."""
    rows = rows_of(Sample(900, 21))
    unusual = [n for n, row in enumerate(rows) if row["ruling"] != "valid" or row["disputed"] == "yes"]
    leaning = [n for n, row in enumerate(rows) if "cocked" in (row["off1_rest"], row["off2_rest"], row["def_rest"])]
    after = [n + 1 for n in unusual if n + 1 < len(rows)]
    rng = random.Random(column)
    for number in [*rng.sample(unusual, 6), *rng.sample(leaning, 3), *rng.sample(after, 3), 450]:
        changed = [dict(row) for row in rows]
        if column == PACK.roles.site:
            continue
        changed[number][column] = ""
        record = audited({"log.csv": as_csv(changed)})
        listed = found(record)
        assert len(listed) <= 1, (rows[number]["throw_id"], listed)


@pytest.mark.parametrize(
    "column", [column.name for column in PACK.columns if column.kind in (Kind.BOOL, Kind.CHOICE, Kind.FACE, Kind.FACES)]
)
def test_one_unreadable_cell_one_finding(column: str, audited: Audited) -> None:
    """A cell that cannot be read is LOG-5's, and nothing else is listed for it."""
    rows = rows_of(Sample(900, 22))
    unusual = [n for n, row in enumerate(rows) if row["ruling"] != "valid" or row["disputed"] == "yes"]
    for number in [*random.Random(column).sample(unusual, 5), 300]:
        changed = [dict(row) for row in rows]
        changed[number][column] = "%%"
        listed = found(audited({"log.csv": as_csv(changed)}))
        assert [rule for rule, *_ in listed] == ["LOG-5"], (rows[number]["throw_id"], listed)


@pytest.mark.parametrize("seed", range(3))
def test_counts_add_up(seed: int, audited: Audited) -> None:
    record = audited({"wild.csv": as_csv(wild(random.Random(seed), 150))})
    for row in record.outcomes.to_pylist():
        assert row["applicable"] == row["tested"] + row["unverifiable"] + row["not_logged"], row
        assert 0 <= row["breached"] <= row["tested"], row
    breached = sum(rule.counts["breached"] for rule in record.rules)
    listed = Counter(outcome for _, outcome, _, _ in found(record))
    named = sum(r.counts["breached"] for r in record.rules if r.disposition.value == "indeterminate")
    assert breached == listed["breach"] + named


@pytest.mark.parametrize("seed", range(3))
def test_ids_hang_neither_on_order_nor_on_file_names(seed: int, audited: Audited) -> None:
    rows = rows_of(Sample(600, seed, 0.2, 0.1))
    shuffled = rows[:]
    random.Random(seed).shuffle(shuffled)
    half = len(rows) // 2

    def ids(record: RunRecord) -> list[Any]:
        return sorted(record.findings["finding_id"].to_pylist())

    one = audited({"a.csv": as_csv(rows)})
    other = audited({"x.csv": as_csv(shuffled[:half]), "y.csv": as_csv(shuffled[half:])})
    assert ids(one) == ids(other)
    assert len(set(ids(one))) == one.findings.num_rows
