"""Planted = found: of synthetic logs with known errors and gaps the audit finds what is in them, and nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from conftest import planted_and_found

from audit.pipeline import Options, audit_logs
from audit.record import all_rules
from audit.sample import write_sample
from rules.sampling import Sample
from rules.three_dice_football import PACK
from rules.three_dice_football.sampling import sample


@pytest.mark.parametrize("seed", range(4))
def test_an_honest_log_has_no_finding(seed: int, tmp_path: Path) -> None:
    planted, found = planted_and_found(PACK, Sample(3000, seed), tmp_path)
    assert not planted
    assert not found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("errors", "gaps"), [(0.01, 0.0), (0.2, 0.0), (0.1, 0.2), (0.0, 1.0), (1.0, 0.0)])
def test_what_is_planted_is_found(seed: int, errors: float, gaps: float, tmp_path: Path) -> None:
    planted, found = planted_and_found(PACK, Sample(2000, seed, errors, gaps), tmp_path)
    assert planted == found


def test_errors_of_every_rule_are_planted() -> None:
    codes = {rule for s in sample(Sample(12_000, 3, 0.5)) for _, _, rule, _ in s.answers}
    assert codes == {rule.code for rule in all_rules(PACK)}


def test_several_errors_at_once() -> None:
    events = Counter(event for s in sample(Sample(4000, 3, 0.5)) for event, _, _, _ in s.answers)
    assert max(events.values()) >= 2


@pytest.mark.parametrize("events", [0, 1, 2, 7, 119, 121, 2399])
def test_any_number_of_throws(events: int, tmp_path: Path) -> None:
    planted, found = planted_and_found(PACK, Sample(events, 5, 0.1), tmp_path)
    assert planted == found


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_sample(PACK, Sample(700, 9, 0.1, 0.1), tmp_path / f"{name}.csv", tmp_path / f"{name}.key")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (tmp_path / "a.key").read_bytes() == (tmp_path / "b.key").read_bytes()
    write_sample(PACK, Sample(700, 10, 0.1, 0.1), tmp_path / "c.csv", None)
    assert (tmp_path / "a.csv").read_bytes() != (tmp_path / "c.csv").read_bytes()


@pytest.mark.parametrize("held", [0, 700])
def test_runs_on_disk_give_what_runs_in_memory_give(held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However small the runs and however many of them are spooled, what is found is the same."""
    from audit.reading import intake, lines, logs

    write_sample(PACK, Sample(2000, 4, 0.2, 0.1), tmp_path / "log.csv", None)
    options = Options((str(tmp_path / "log.csv"),), formats=())
    whole = audit_logs(options, [PACK])
    monkeypatch.setattr(intake, "RUN", 150)
    monkeypatch.setattr(intake, "HELD", held)
    monkeypatch.setattr(lines, "BLOCK", 40_000)
    monkeypatch.setattr(logs, "STRETCH", 1)
    pieces = audit_logs(options, [PACK])
    assert pieces.findings.to_pylist() == whole.findings.to_pylist()
    assert pieces.outcomes.to_pylist() == whole.outcomes.to_pylist()
    assert pieces.tallies.matrix == whole.tallies.matrix
