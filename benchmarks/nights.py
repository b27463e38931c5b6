"""The nightly job, measured: a night of 40 tables with its reports, the night after it, and a run with nothing new.

``make bench-nightly``; NIGHTS=365 first fills an archive with a year, without reports (a quarter of an hour and 20 GB
under build/, kept for the next time), and measures on that a month's report, the audit of all of it anew, a further
night, and a run with nothing new. Exit status 1 if a bound is missed.
"""

from __future__ import annotations

import os
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from bench import DATA, THROWAUDIT, Run, measured

from rules.three_dice_football import PACK
from rules.three_dice_football.sampling import _lines
from rules.three_dice_football.sampling.plant import Planter
from rules.three_dice_football.sampling.world import Place, table_day

NIGHTS = int(os.environ.get("NIGHTS", "2"))
FIRST = date(2026, 1, 1)
SITES, TABLES, THROWS = 4, 10, 1200
#: So many nights are caught up in one run while the year is filled.
AT_ONCE = 10
HEADER = ",".join(column.name for column in PACK.columns) + "\n"
CONFIG = """quiet_minutes = 0
[[inbox]]
files = "inbox/*.csv"
pack = "three-dice-football"
"""


def night_of_logs(folder: Path, night: int) -> None:
    """A log a table."""
    day = FIRST + timedelta(days=night)
    for site in range(SITES):
        for table in range(TABLES):
            place = Place(f"CAS{site + 1}", f"TDF-{table + 1:02d}", day, THROWS)
            made = table_day(np.random.default_rng((1, night, site, table)), place)
            planter = Planter(made)
            planter.errors(0.01)
            planter.finish()
            (folder / f"{day}_{place.site}_{place.table}.csv").write_text(HEADER + _lines(made), "utf-8")


def nights_of_logs(folder: Path, nights: range) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for night in nights:
        night_of_logs(folder, night)


@dataclass(frozen=True)
class House:
    """A folder with a configuration, an inbox, archive and reports."""

    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "throwaudit.toml"

    @property
    def inbox(self) -> Path:
        return self.folder / "inbox"

    def begin(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.inbox.mkdir(parents=True)
        self.config.write_text(CONFIG, "utf-8")

    def run(self, *words: str) -> Run:
        return measured([THROWAUDIT, *words, "--config", str(self.config)])

    def fill(self, nights: int) -> None:
        """Take in so many nights; the next ones are made while those before are taken in."""
        done = self.folder / "filled"
        if done.exists():
            return
        self.begin()
        self.config.write_text("formats = []\n" + CONFIG, "utf-8")
        batches = [range(at, min(at + AT_ONCE, nights)) for at in range(0, nights, AT_ONCE)]
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as maker:
            made = [maker.submit(nights_of_logs, self.folder / str(batch[0]), batch) for batch in batches]
            for batch, logs in zip(batches, made, strict=True):
                logs.result()
                folder = self.folder / str(batch[0])
                for path in folder.iterdir():
                    path.rename(self.inbox / path.name)
                folder.rmdir()
                run = self.run("nightly", "--quiet")
                print(f"  {batch[-1] + 1} nights: {run.wall:.0f} s, {run.memory:.0f} MB", flush=True)
        done.touch()


def main() -> int:
    table: list[tuple[str, Run, float | None, float | None]] = []
    house = House(DATA / "house")
    house.begin()
    nights_of_logs(house.inbox, range(1))
    table.append(("a night of 40 tables × 1,200, with 4 reports", house.run("nightly", "--quiet"), 30, None))
    nights_of_logs(house.inbox, range(1, 2))
    table.append(("the night after it, with what it revises", house.run("nightly", "--quiet"), 30, None))
    if NIGHTS > 2:
        house = House(DATA / f"house-{NIGHTS}")
        house.fill(NIGHTS)
    table.append((f"a run with nothing new, {NIGHTS} nights archived", house.run("nightly", "--quiet"), 1, None))
    month = ["report", "--site", "CAS1", "--period", "2026-01", "--out", str(house.folder / "month")]
    table.append(("a month's report", house.run(*month), 20, 1500))
    table.append((f"audit of {NIGHTS} nights anew", house.run("nightly", "--again", "--quiet"), 180, None))
    table.append(("archive, originals and reports held to the ledger", house.run("verify"), None, None))
    kept = True
    for what, run, wall, memory in table:
        kept = kept and run.wall <= (wall or 1e9) and run.memory <= (memory or 1e9)
        bound = (f"≤ {wall:g} s" if wall else "") + (f", {memory:g} MB" if memory else "")
        print(f"{what:<50} {run.wall:7.2f} s wall  {bound:<16} {run.cpu:.2f} s CPU, {run.memory:.0f} MB")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
