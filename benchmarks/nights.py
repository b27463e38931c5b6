"""The nightly job, measured: a night of 40 tables with its reports, the night after it, and a run with nothing new.

``make bench-nightly``; NIGHTS=365 builds an archive of a year first (some minutes, some gigabytes under build/), and
measures a month's report, the audit of all of it anew, and a run with nothing new on that.
"""

from __future__ import annotations

import os
import shutil
import sys
from datetime import date, timedelta
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
HEADER = ",".join(column.name for column in PACK.columns) + "\n"
CONFIG = """quiet_minutes = 0
[[inbox]]
files = "inbox/*.csv"
pack = "three-dice-football"
"""


def night_of_logs(inbox: Path, night: int) -> None:
    """A log a table."""
    day = FIRST + timedelta(days=night)
    for site in range(SITES):
        for table in range(TABLES):
            place = Place(f"CAS{site + 1}", f"TDF-{table + 1:02d}", day, THROWS)
            made = table_day(np.random.default_rng((1, night, site, table)), place)
            planter = Planter(made)
            planter.errors(0.01)
            planter.finish()
            (inbox / f"{day}_{place.site}_{place.table}.csv").write_text(HEADER + _lines(made), "utf-8")


def main() -> int:
    house = DATA / "house"
    shutil.rmtree(house, ignore_errors=True)
    (house / "inbox").mkdir(parents=True)
    config = house / "throwaudit.toml"
    config.write_text(CONFIG, "utf-8")
    nightly = [THROWAUDIT, "nightly", "--quiet", "--config", str(config)]
    table: list[tuple[str, Run, float | None, float | None]] = []
    night_of_logs(house / "inbox", 0)
    table.append(("a night of 40 tables × 1,200, with 4 reports", measured(nightly), 30, None))
    night_of_logs(house / "inbox", 1)
    table.append(("the night after it, with what it revises", measured(nightly), 30, None))
    if NIGHTS > 2:
        config.write_text("formats = []\n" + CONFIG, "utf-8")
        for night in range(2, NIGHTS):
            night_of_logs(house / "inbox", night)
            if night % 10 == 0 or night == NIGHTS - 1:
                measured(nightly)
    table.append((f"a run with nothing new, {NIGHTS} nights archived", measured(nightly), 1, None))
    report = [THROWAUDIT, "report", "--site", "CAS1", "--period", "2026-01", "--out", str(house / "month")]
    table.append(("a month's report", measured([*report, "--config", str(config)]), 20, 1500))
    table.append((f"audit of {NIGHTS} nights anew", measured([*nightly, "--again"]), 180, None))
    kept = True
    for what, run, wall, memory in table:
        kept = kept and run.wall <= (wall or 1e9) and run.memory <= (memory or 1e9)
        bound = f"≤ {wall:g} s" + (f", {memory:g} MB" if memory else "")
        print(f"{what:<50} {run.wall:7.2f} s wall  {bound:<16} {run.cpu:.2f} s CPU, {run.memory:.0f} MB")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
