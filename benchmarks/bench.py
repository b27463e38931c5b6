"""Speed and memory, measured: generate logs, run whole processes in turn with their yardstick, print one table.

CPU is user and system time of the finished process, memory its largest resident set, both from the operating system.
Each figure is the median of several runs. Exit status 1 if a bound is missed. ``bench.py reports``: those alone.
"""

from __future__ import annotations

import csv
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import xlsxwriter

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
THROWAUDIT = str(BIN / "throwaudit")
DATA = Path(os.environ.get("BENCH_DATA", HERE.parent / "build" / "bench"))
RUNS = int(os.environ.get("BENCH_RUNS", "5"))


@dataclass(frozen=True)
class Run:
    """One finished process: seconds of CPU and wall time, megabytes at the most."""

    cpu: float
    wall: float
    memory: float


@dataclass(frozen=True)
class Figure:
    """A line of the table. ``bound`` is the most that ``value`` may be; ``None`` where there is none."""

    what: str
    value: float
    unit: str
    bound: float | None
    detail: str

    @property
    def kept(self) -> bool:
        return self.bound is None or self.value <= self.bound


def measured(command: Sequence[str]) -> Run:
    """Run a command to its end. Its exit status is its own business (1: findings)."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: status {process.returncode}: {said.decode()}")
    return Run(usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss / 1024)


def in_turn(*commands: Sequence[str], runs: int = RUNS) -> list[Run]:
    """Medians of commands that are run in turn, after one run each that is not counted."""
    done: list[list[Run]] = [[] for _ in commands]
    for turn in range(runs + 1):
        for place, command in enumerate(commands):
            run = measured(command)
            if turn:
                done[place].append(run)
    return [
        Run(*(statistics.median(getattr(run, name) for run in own) for name in ("cpu", "wall", "memory")))
        for own in done
    ]


def log(name: str, events: int, error_rate: float, ending: str = ".csv", pack: str = "three-dice-football") -> str:
    """A synthetic log, made once."""
    path = DATA / f"{name}{ending}"
    if not path.exists():
        DATA.mkdir(parents=True, exist_ok=True)
        options = ["--events", str(events), "--seed", "1", "--error-rate", str(error_rate), "--out", str(path)]
        subprocess.run([THROWAUDIT, "sample", pack, *options], check=True)
    return str(path)


def workbook(path: str) -> str:
    """The rows of a CSV as an Excel file, made once."""
    book = Path(path).with_suffix(".xlsx")
    if not book.exists():
        out = xlsxwriter.Workbook(str(book), {"constant_memory": True})
        sheet = out.add_worksheet("Throws")
        with open(path, encoding="utf-8", newline="") as rows:
            for at, cells in enumerate(csv.reader(rows)):
                for place, text in enumerate(cells):
                    if text:
                        sheet.write_string(at, place, text)
        out.close()
    return str(book)


def renamed(path: str) -> tuple[str, str]:
    """The log as another house would keep it (column names, words, American times), and the profile that says so."""
    log, profile = Path(path).with_name("house.csv"), Path(path).with_name("house.toml")
    if not log.exists():
        times = duckdb.sql(f"describe from read_csv('{path}', all_varchar=true)").fetchall()
        names = [name for name, *_ in times]

        def cell(name: str) -> str:
            if name.endswith("_at"):
                return f"strftime(left({name}, 19)::timestamp, '%m/%d/%Y %I:%M:%S %p')"
            words = "case ruling when 'no_roll' then 'NR' when 'valid' then 'OK' else ruling end"
            return words if name == "ruling" else f'"{name}"'

        chosen = ", ".join(f'{cell(name)} as "House {name}"' for name in names)
        duckdb.sql(f"copy (select {chosen} from read_csv('{path}', all_varchar=true)) to '{log}' (header)")
        columns = "".join(f'"House {name}" = "{name}"\n' for name in names)
        words = '[values.ruling]\nNR = "no_roll"\nOK = "valid"\n'
        head = 'pack = "three-dice-football"\ntimezone = "America/New_York"\ndatetime = "%m/%d/%Y %I:%M:%S %p"\n'
        profile.write_text(f"{head}[columns]\n{columns}{words}", "utf-8")
    return str(log), str(profile)


def check(path: str, *more: str, formats: str = "csv,json") -> list[str]:
    return [THROWAUDIT, "check", path, "--quiet", "--format", formats, "--out", str(DATA / "out"), *more]


def told(run: Run) -> str:
    return f"{run.cpu:.2f} s CPU, {run.wall:.2f} s wall, {run.memory:.0f} MB"


def figures() -> list[Figure]:
    million = log("million", 1_000_000, 0.01)
    clean = log("clean", 1_000_000, 0.0)
    wrong = log("wrong", 1_000_000, 1.0)
    four = log("four", 4_000_000, 0.01)
    table: list[Figure] = []

    yard, audit = in_turn([sys.executable, str(HERE / "read_strings.py"), million], check(million))
    against = f"{told(audit)}; reading as strings {told(yard)}"
    table.append(Figure("1,000,000 throws, CPU over reading them as strings", audit.cpu / yard.cpu, "×", 2.5, against))
    table.append(Figure("  memory", audit.memory, "MB", 2500, told(audit)))
    table.append(Figure("  wall over CPU on 2 cores", audit.wall / audit.cpu, "×", 0.7, told(audit)))

    (many,) = in_turn(check(four), runs=max(1, RUNS // 2))
    table.append(Figure("4,000,000 throws, CPU over 1,000,000", many.cpu / audit.cpu, "×", 4.2, told(many)))
    table.append(Figure("  memory over 1,000,000", many.memory / audit.memory, "×", 1.5, told(many)))

    none, every = in_turn(check(clean), check(wrong), runs=max(1, RUNS // 2))
    against = f"{told(every)}; clean {told(none)}"
    table.append(Figure("an error in every row, CPU over a clean log", every.cpu / none.cpu, "×", 3.0, against))

    (help_,) = in_turn([THROWAUDIT, "--help"])
    table.append(Figure("throwaudit --help, CPU", help_.cpu, "s", 0.25, told(help_)))
    table += reports()
    table += _formats(million)
    (tosses,) = in_turn(check(log("die", 1_000_000, 0.01, pack="die")), runs=max(1, RUNS // 2))
    table.append(Figure("1,000,000 tosses of Die, CPU", tosses.cpu, "s", 15, told(tosses)))

    (rolls,) = in_turn(check(log("bunco", 1_090_000, 0.01, pack="bunco")), runs=max(1, RUNS // 2))
    table.append(Figure("1,000,000 rolls of Bunco, CPU", rolls.cpu, "s", 15, told(rolls)))

    hand, audit = in_turn([sys.executable, str(HERE / "by_hand.py"), million], check(million), runs=max(1, RUNS // 2))
    against = f"{told(audit)}; by hand {told(hand)}"
    table.append(Figure("CPU over some of it by hand in DuckDB", audit.cpu / hand.cpu, "×", None, against))
    return table


def reports() -> list[Figure]:
    """The reports alone: a day of 2,000 throws with about 60 findings, and 10,000 findings with their annex."""
    day = log("day", 2_000, 0.025)
    with_pdf, audit = in_turn(check(day, formats="pdf,csv,json"), check(day))
    beyond = with_pdf.cpu - audit.cpu
    against = f"{told(with_pdf)}; without {told(audit)}"
    many = check(log("many", 42_500, 0.22), "--annex", "all", formats="pdf,csv,json")
    (annex,) = in_turn(many, runs=max(1, RUNS // 2))
    (floor,) = in_turn(check(day, formats="floor"), runs=max(1, RUNS // 2))
    return [
        Figure("a 2,000-throw day with its PDF, wall", with_pdf.wall, "s", 4.0, against),
        Figure("  its PDF, CPU beyond the audit", beyond, "s", 2.5, against),
        Figure("  its page for the floor, CPU", floor.cpu, "s", None, told(floor)),
        Figure("10,000 findings, --annex all, wall", annex.wall, "s", 15, told(annex)),
        Figure("  memory", annex.memory, "MB", 700, told(annex)),
    ]


def _formats(million: str) -> list[Figure]:
    """Other formats and a profile, against the same log as CSV."""
    few = max(1, RUNS // 2)
    lines, parquet = log("million", 1_000_000, 0.01, ".jsonl"), log("million", 1_000_000, 0.01, ".parquet")
    plain, of_parquet, of_lines = in_turn(check(million), check(parquet), check(lines), runs=few)
    against = f"; as CSV {told(plain)}"
    house, profile = renamed(million)
    with_profile, without = in_turn(check(house, "--profile", profile), check(million), runs=few)
    sheet = workbook(log("sheet", 100_000, 0.01))
    bare, of_sheet = in_turn([sys.executable, str(HERE / "read_sheet.py"), sheet], check(sheet), runs=few)
    return [
        Figure(
            "1,000,000 throws in Parquet, CPU over CSV",
            of_parquet.cpu / plain.cpu,
            "×",
            0.5,
            told(of_parquet) + against,
        ),
        Figure(
            "1,000,000 throws in JSON Lines, CPU over CSV", of_lines.cpu / plain.cpu, "×", 3.0, told(of_lines) + against
        ),
        Figure(
            "a profile of names, words and times, CPU over none",
            with_profile.cpu / without.cpu,
            "×",
            1.2,
            f"{told(with_profile)}; without {told(without)}",
        ),
        Figure(
            "100,000 throws in .xlsx, CPU over a bare read of it",
            of_sheet.cpu / bare.cpu,
            "×",
            2.5,
            f"{told(of_sheet)}; bare {told(bare)}",
        ),
    ]


def main() -> int:
    table = reports() if sys.argv[1:] == ["reports"] else figures()
    for figure in table:
        bound = "" if figure.bound is None else f"≤ {figure.bound:g}"
        verdict = "kept" if figure.kept else "MISSED"
        print(f"{figure.what:<52} {figure.value:8.2f} {figure.unit:<2} {bound:>7} {verdict:<6}  {figure.detail}")
    return 0 if all(figure.kept for figure in table) else 1


if __name__ == "__main__":
    sys.exit(main())
