"""Bunco: planted = found over seeds and variations; the report; the installed command."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import Audited, found

from rules.bunco import PACK
from rules.bunco.sampling import sample
from rules.sampling import Sample

VARIATIONS: list[dict[str, Any]] = [
    {},
    {"wipeout": True, "travelling": True},
    {"travelling": True, "tables": 2, "direction": "right"},
    {"tables": 1, "wipeout": True, "wipeout_scope": "team"},
    {"tables": 5, "movement": "wba", "finish_turn": True},
    {"movement": "losers_move", "head_scope": "player", "three_ends_turn": True},
    {"scope": "results", "tables": 4},
    {"players_per_table": 6, "three_of_a_kind": 0, "head_target": 15},
]


def planted_and_found(audited: Audited, request: Sample, house: dict[str, Any]) -> tuple[Counter[Any], Counter[Any]]:
    stretches = list(sample(request))
    record = audited({"log.csv": "".join(s.text for s in stretches)}, house, of=PACK)
    assert not record.rules_in_error
    assert record.accepted == request.events
    planted = Counter((rule, outcome, event, part) for s in stretches for event, part, rule, outcome in s.answers)
    return planted, Counter(found(record))


@pytest.mark.parametrize(("errors", "gaps"), [(0.0, 0.0), (0.01, 0.0), (0.2, 0.1), (0.0, 0.6)])
@pytest.mark.parametrize(
    "house", VARIATIONS, ids=lambda house: ", ".join(f"{k}={v}" for k, v in house.items()) or "page"
)
def test_what_is_planted_is_found(house: dict[str, Any], errors: float, gaps: float, audited: Audited) -> None:
    request = Sample(1500, 7, errors, gaps, PACK.for_house(house).house)
    planted, met = planted_and_found(audited, request, house)
    assert planted == met
    assert bool(planted) == bool(errors or (gaps and house.get("scope") != "results"))


@pytest.mark.parametrize("events", [0, 1, 2, 13, 14, 150, 151, 152, 153, 154, 155, 999])
def test_a_log_that_stops_anywhere_is_no_finding(events: int, audited: Audited) -> None:
    planted, met = planted_and_found(audited, Sample(events, 3), {})
    assert not planted
    assert not met


def test_errors_of_every_rule_are_planted() -> None:
    codes = set()
    for seed, house in enumerate(VARIATIONS * 2):
        for errors, gaps in ((0.1, 0.0), (0.0, 0.05)):
            for s in sample(Sample(5000, seed, errors, gaps, PACK.for_house(house).house)):
                codes |= {rule for _, _, rule, _ in s.answers}
    bunco = {rule.code for rule in PACK.rules} - {"BUN-01", "BUN-19"}
    assert codes == bunco | {"LOG-1", "LOG-2", "LOG-3", "LOG-4", "LOG-5", "LOG-7"}


def test_the_same_seed_gives_the_same_bytes() -> None:
    one, same, other = (list(sample(Sample(700, seed, 0.1, 0.1))) for seed in (9, 9, 10))
    assert one == same
    assert one != other


def throwaudit(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("throwaudit")), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)


def test_an_evening_from_sample_to_report(tmp_path: Path) -> None:
    """As a new user does it: the pack is told from the header, the report is in the words of an evening."""
    (tmp_path / "house.toml").write_text('pack = "bunco"\n[house]\ntravelling = true\ntables = 4\n', "utf-8")
    made = throwaudit(
        "sample", "bunco", "--events", "1200", "--seed", "2", "--error-rate", "0.02", "--profile", "house.toml",
        "--out", "log.csv", "--answers", "key.csv", cwd=tmp_path,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    run = throwaudit("check", "log.csv", "--profile", "house.toml", "--format", "html,json", cwd=tmp_path)
    assert run.returncode == 1, run.stderr
    html = (tmp_path / "audit-out" / "report.html").read_text("utf-8")
    for text in ("Bunco evening report", "The evenings, round by round", "Round 1", "<svg", "by the dice"):
        assert text in html, text
    for word in ("stickperson", "Quarterback", "gaming day", "Facility"):
        assert word not in html, word
