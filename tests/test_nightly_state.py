"""What waits for its audit, found by looking only around what moved, is what waits of all that is archived."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from audit.nightly import state as states
from audit.nightly.state import ADDED, NEW, SUPERSEDES, SiteDay, State

DAYS = [f"2026-03-{day:02d}" for day in range(1, 13)]
PACK, SITE = "three-dice-football", "Harbor"


@pytest.fixture(scope="module", autouse=True)
def look_back_three_days() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(states, "LOOK_BACK", 3)
        yield


def taken(state: State, number: int, day: str, tables: set[str], fate: str) -> dict[str, Any]:
    """A log of some tables for a day: new where nothing is there, else as ``fate`` says; with none, only rows aside."""
    there = state.current.get(SiteDay(PACK, SITE, day), {})
    part = {
        "path": f"{number}",
        "sha256": "",
        "pack": PACK,
        "site": SITE,
        "day": day,
        "log": 0,
        "units": dict.fromkeys(tables, 1),
        "fates": {table: fate if table in there else NEW for table in tables},
        "changes": "",
        "quarantined": 0,
        "first": False,
    }
    return {"kind": "taken", "input": {"sha256": f"{number}", "logs": []}, "parts": [part]}


def issued(state: State, where: SiteDay, links: set[str], unresolved: bool) -> dict[str, Any]:
    before = state.issue(where)
    found = tuple(sorted(day for day in state.before(where) if day in links))
    return {
        "kind": "issued",
        **where._asdict(),
        "issue": before.number if before else 1,
        "folder": "",
        "sums": "",
        "results": "",
        "results_sha256": "",
        "basis": state.basis(where, found, unresolved),
        "links": found,
        "unresolved": unresolved,
        "status": 0,
        "summary": {},
        "replaces": 0,
        "changes": 0,
    }


@pytest.mark.parametrize("seed", range(60))
def test_what_waits_is_what_does_not_rest_on_what_is_archived(seed: int) -> None:
    """Logs of random days and tables, and audits of random days that find random links, each way round."""
    chance = random.Random(seed)
    state = State()
    for number in range(80):
        if chance.random() < 0.35 or not state.current:
            day = chance.choice(DAYS)
            tables = set(chance.sample(["T1", "T2", "T3"], chance.choice([0, 1, 1, 2])))
            if tables or SiteDay(PACK, SITE, day) in state.current:
                state.add(taken(state, number, day, tables, chance.choice([ADDED, SUPERSEDES])))
        else:
            where = chance.choice(sorted(state.current))
            links = set(chance.sample(DAYS, chance.choice([0, 0, 4, 8])))
            state.add(issued(state, where, links, chance.random() < 0.3))
        assert state.unaudited() == [where for where in sorted(state.current) if not state.rests(where)]
