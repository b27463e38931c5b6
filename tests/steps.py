"""End a nightly run by SIGKILL at each of its steps in turn, let the next one finish the work, and compare.

``python steps.py SHARE OF FOLDER``: takes each OF-th step, beginning with SHARE. A step is a rename, just before and
just after it, or half a line of the ledger. Exit status 0: archive and reports are as if nothing had happened.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nights import House, rows

import audit.cli
import audit.nightly.issuing
import audit.nightly.taking  # what a run needs is imported once, and each run is a fork of this process

DAYS = ("2026-03-02", "2026-03-03")


def die_at(step: int) -> Callable[[], int]:
    """Make this process end at a step; gives how many were taken."""
    taken = [0]

    def next_step() -> bool:
        taken[0] += 1
        return taken[0] == step + 1

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    rename, write = os.replace, os.write

    def replace(*arguments: Any, **named: Any) -> None:
        if next_step():
            die()
        rename(*arguments, **named)
        if next_step():
            die()

    def write_half(handle: int, data: Any) -> int:
        if len(data) > 100 and next_step():
            write(handle, bytes(data)[: len(data) // 2])
            die()
        return write(handle, data)

    os.replace, os.write = replace, write_half  # type: ignore[assignment]
    return lambda: taken[0]


def night(house: House, step: int = -1) -> int:
    """A run in a process of its own that ends at a step; its status, 256 and more: how many steps it took."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.chdir(house.folder)
        taken = die_at(step)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        audit.cli.run(["nightly", "--quiet"])
        os.write(writing, str(taken()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        steps = told.read()
    _, status = os.waitpid(child, 0)
    return int(steps) if steps else -os.waitstatus_to_exitcode(status)


def main(share: int, of: int, folder: Path) -> None:
    os.environ["SOURCE_DATE_EPOCH"] = "1772700000"
    calm = House(folder / "calm")
    for day in DAYS:
        calm.put(f"{day}.csv", rows("T1", day, 12))
    begun = folder / "begun"
    shutil.copytree(calm.folder, begun)
    steps = night(calm)
    expected = calm.tree()
    for step in range(share, steps, of):
        house = House(folder / f"{step}")
        shutil.copytree(begun, house.folder, dirs_exist_ok=True)
        assert night(house, step) == signal.SIGKILL, step
        night(house)
        assert house.tree() == expected, step
        assert not list(house.folder.rglob(".unfinished-*")), step
    assert steps > len(DAYS) * 10


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
