"""A small house for tests of the nightly job: sample logs cut by table and day, and the installed command."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import zlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from rules.three_dice_football import PACK
from rules.three_dice_football.sampling import plant, world

COMMAND = Path(sys.executable).parent / "throwaudit"
CONFIG = """quiet_minutes = 0
formats = ["csv", "json"]
[[site]]
name = "Harbor"
timezone = "America/New_York"
[[inbox]]
files = "inbox/*"
pack = "three-dice-football"
site = "Harbor"
"""
Rows = list[dict[str, str]]


@cache
def table_day(table: str, day: str, throws: int = 30, errors: float = 0.1) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Rows of one table and gaming day."""
    import numpy as np

    from rules.three_dice_football.sampling import _lines

    seed = zlib.crc32(f"{table}{day}".encode())
    place = world.Place("Harbor", table, date.fromisoformat(day), throws)
    made = world.table_day(np.random.default_rng(seed), place)
    planter = plant.Planter(made)
    planter.errors(errors)
    planter.finish()
    names = [column.name for column in PACK.columns if not column.derived]
    rows = csv.DictReader(io.StringIO(",".join(names) + "\n" + _lines(made)))
    return tuple(tuple(row.items()) for row in rows)


def rows(table: str, day: str, throws: int = 30, errors: float = 0.1) -> Rows:
    return [dict(row) for row in table_day(table, day, throws, errors)]


def as_csv(of: Rows) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(of[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(of)
    return out.getvalue()


@dataclass
class House:
    """A folder with a configuration and an inbox."""

    folder: Path

    def __post_init__(self) -> None:
        (self.folder / "inbox").mkdir(parents=True)
        (self.folder / "throwaudit.toml").write_text(CONFIG, "utf-8")

    def put(self, name: str, of: Rows | str) -> Path:
        path = self.folder / "inbox" / name
        path.write_text(of if isinstance(of, str) else as_csv(of), "utf-8")
        return path

    def run(self, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(COMMAND), *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "SOURCE_DATE_EPOCH": "1772700000", **(env or {})},
            timeout=120,
        )

    def night(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = self.run("nightly", *arguments)
        assert "internal error" not in done.stderr, Path(done.stderr.split()[-1]).read_text("utf-8")
        return done

    @property
    def ledger(self) -> list[dict[str, Any]]:
        path = self.folder / "archive" / "ledger.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    @property
    def issued(self) -> list[tuple[str, int]]:
        """Day and number of each report, in their order, leaving out what was only confirmed."""
        return list(dict.fromkeys((e["day"], e["issue"]) for e in self.ledger if e["kind"] == "issued"))

    def standing(self) -> dict[str, dict[str, Any]]:
        """The summaries of the reports that stand, by site and day."""
        found: dict[str, dict[str, Any]] = {}
        for entry in self.ledger:
            if entry["kind"] == "issued":
                path = self.folder / "reports" / entry["folder"] / "summary.json"
                found[f"{entry['site']} {entry['day']}"] = json.loads(path.read_bytes())
        return found

    def findings(self) -> list[dict[str, Any]]:
        """The findings of the reports that stand."""
        folders = {(e["site"], e["day"]): e["folder"] for e in self.ledger if e["kind"] == "issued"}
        found: list[dict[str, Any]] = []
        for folder in folders.values():
            found += json.loads((self.folder / "reports" / folder / "findings.json").read_bytes())
        return sorted(found, key=lambda row: str(row["finding_id"]))

    def tree(self) -> dict[str, bytes]:
        """Archive and reports to the byte, but for what only helps a run."""
        helps = {"lock", "running", "runs.json", "seen.json"}
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for top in ("archive", "reports")
            for path in sorted((self.folder / top).rglob("*"))
            if path.is_file() and path.name not in helps
        }


def sums(summaries: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """The counts of all rules, and the findings, of some reports together."""
    total: dict[str, int] = defaultdict(int)
    for one in summaries.values():
        for code, counts in one["rules"].items():
            for name in ("applicable", "tested", "breached", "unverifiable", "not_logged"):
                total[f"{code} {name}"] += counts[name]
        for name, count in {**one["findings"], **one["rows"]}.items():
            total[name] += count
    return dict(total)
