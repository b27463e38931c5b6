"""The nightly job when things go wrong: killed anywhere, run twice, out of disk, out of rights."""

from __future__ import annotations

import ctypes
import fcntl
import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from nights import COMMAND, House, rows

DAYS = ("2026-03-02", "2026-03-03")
KILLS, AT_ONCE = 50, 2
#: So many runs on end are killed before one is left to its work.
PATIENCE = 5


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path / "house")


def fill(house: House) -> None:
    for day in DAYS:
        for table in ("T1", "T2"):
            house.put(f"{day}_{table}.csv", rows(table, day, 12))


def killed(folder: Path, expected: dict[str, bytes], lasts: float, seed: int) -> int:
    """Kill runs at random moments until one comes through, and begin anew; how many met a run at its work."""
    chance = random.Random(seed)
    kills = middle = rounds = 0
    while kills < KILLS // AT_ONCE:
        rounds += 1
        house = House(folder / str(rounds))
        fill(house)
        for turn in range(PATIENCE + 1):
            process = subprocess.Popen(
                [str(COMMAND), "nightly", "--quiet"],
                cwd=house.folder,
                env={**os.environ, "SOURCE_DATE_EPOCH": "1772700000"},
                stdout=subprocess.DEVNULL,
            )
            try:
                process.wait(chance.uniform(0.2, 1.3) * lasts if turn < PATIENCE else 60)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
                middle += (house.folder / "archive" / "running").exists()
        assert house.tree() == expected
    done = house.run("verify")
    assert done.returncode == 0, done.stdout
    return middle


def test_killed_anywhere_it_is_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """SIGKILL at random moments spread over a run, until a run comes through; then again from the start."""
    calm = House(tmp_path / "calm")
    fill(calm)
    began = time.monotonic()
    calm.night()
    lasts = time.monotonic() - began
    expected = calm.tree()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done = [pool.submit(killed, tmp_path / str(seed), expected, lasts, seed) for seed in range(AT_ONCE)]
    assert sum(one.result() for one in done) > KILLS // 4


def test_killed_at_every_step(tmp_path: Path) -> None:
    """What random moments seldom hit: between a file's name and the line of the ledger that tells of it."""
    steps = Path(__file__).with_name("steps.py")
    shares = [
        subprocess.Popen([sys.executable, str(steps), str(share), str(AT_ONCE), str(tmp_path / str(share))])
        for share in range(AT_ONCE)
    ]
    assert [share.wait(240) for share in shares] == [0] * AT_ONCE


def test_a_line_that_was_half_written_does_not_count(house: House) -> None:
    fill(house)
    house.night()
    ledger = house.folder / "archive" / "ledger.jsonl"
    whole = house.tree()
    ledger.write_bytes(ledger.read_bytes()[:-25])  # as a killed process or a full disk leaves it
    (house.folder / "archive" / "running").touch()
    assert house.night().returncode in (0, 1)
    assert house.tree() == whole


def test_one_run_at_a_time_and_no_dead_lock(house: House) -> None:
    fill(house)
    archive = house.folder / "archive"
    archive.mkdir()
    (archive / "lock").touch()  # a dead run's file blocks nobody
    with (archive / "lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        began = time.monotonic()
        done = house.run("nightly")
        assert (done.returncode, len(done.stderr.splitlines())) == (4, 1)
        assert time.monotonic() - began < 5
        assert house.ledger == []
    assert house.night().returncode == 1


def test_a_full_disk_is_said_and_made_good(tmp_path: Path) -> None:
    """On a small tmpfs that another file fills."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        calm = House(tmp_path / "calm")
        fill(calm)
        calm.night()
        house = House(disk / "house")
        fill(house)
        ballast = disk / "ballast"
        left = shutil.disk_usage(disk).free
        for kilobytes in (0, 8, 24, 60, 120):  # it fills at another place each time
            ballast.write_bytes(b"x" * max(0, left - kilobytes * 1024))
            done = house.run("nightly")
            assert done.returncode == 3, done
            assert "cannot write" in done.stderr
            assert "Traceback" not in done.stderr
            ballast.unlink()
            assert not house.tree() or house.run("verify").returncode in (0, 3)
            left = shutil.disk_usage(disk).free
        assert house.night().returncode == 1
        assert house.tree() == calm.tree()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def held_to_modes() -> None:
    """Give up what lets root write where modes forbid it (PR_CAPBSET_DROP of CAP_DAC_OVERRIDE and DAC_READ_SEARCH)."""
    if os.getuid() == 0:
        for capability in (1, 2):
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)


@pytest.mark.parametrize("folder", ["archive", "reports"])
def test_a_read_only_folder_is_said_and_tried_again(folder: str, house: House) -> None:
    fill(house)
    (house.folder / folder).mkdir()
    (house.folder / folder).chmod(0o555)

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(COMMAND), "nightly"], cwd=house.folder, preexec_fn=held_to_modes, capture_output=True, text=True
        )

    done = run()
    assert done.returncode == 3, done
    assert [line for line in done.stderr.splitlines() if "cannot write" in line and "Permission denied" in line]
    assert "Traceback" not in done.stderr
    (house.folder / folder).chmod(0o755)
    assert run().returncode == 1
    assert len(house.issued) == len(DAYS)
