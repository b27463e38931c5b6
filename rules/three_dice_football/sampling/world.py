"""A table's gaming day, made up but honest: what dice, people and clocks do, and rulings that the section allows.

Everything is drawn from one random generator a table and day, so that the same seed gives the same bytes, and any
number of throws can be made one table and day at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from rules import sampling
from rules.three_dice_football.columns import COLUMNS, DICE

ZONE = ZoneInfo(sampling.ZONE)
OPENS = time(10, 0)
OPEN_SECONDS = 18 * 3600
#: Throws that a busy table makes in one gaming day.
FULL_DAY = 1200

Column = np.ndarray[Any, Any]

#: What may happen to a throw, with its share. Each is ruled as the section allows, powers used.
HAPPENINGS: dict[str, float] = {
    "apart": 0.003,
    "short": 0.012,
    "bank": 0.005,
    "rail": 0.006,
    "cup": 0.002,
    "improper": 0.002,
    "off": 0.005,
    "lost": 0.0006,
    "stacked": 0.001,
    "leaning": 0.010,
    "propped": 0.002,
    "dispute": 0.002,
    "dispute_void": 0.0008,
    "dispute_other": 0.0005,
}
PLAIN = "plain"
#: Happenings after which the dice of the same roll are thrown again.
VOIDED = ("propped", "dispute_void")

_NO_ROLL = {"apart": "c1", "short": "c2", "bank": "c3", "rail": "c4", "cup": "c4", "improper": "c6"}
_INVALID = ("off", "lost", "stacked")
_NOTES = ("", "", "", "", "shift change", "guest asked for a new set", 'said "one more", sat down', "video pulled, ok")


@dataclass(frozen=True)
class Place:
    """A table of a site on one gaming day, and how many throws it makes."""

    site: str
    table: str
    day: date
    throws: int


@dataclass
class TableDay:
    """The columns of one table's gaming day as texts, with what happened; ``seconds`` are times since the epoch."""

    place: Place
    random: np.random.Generator
    happened: Column
    cells: dict[str, Column]
    seconds: dict[str, Column]

    def __len__(self) -> int:
        return len(self.happened)


def stamps(seconds: Column) -> Column:
    """ISO 8601 with the zone's offset; blank where negative."""
    texts = np.full(len(seconds), "", dtype=object)
    known = np.flatnonzero(seconds >= 0)
    if len(known):
        hours = seconds[known] // 3600
        offsets = {
            int(h): int((datetime.fromtimestamp(int(h) * 3600, ZONE).utcoffset() or timedelta()).total_seconds())
            for h in np.unique(hours)
        }
        shift = np.array([offsets[int(h)] for h in hours])
        local = np.datetime_as_string((seconds[known] + shift).astype("datetime64[s]")).astype(object)
        suffix = {s: f"{'-' if s < 0 else '+'}{abs(s) // 3600:02d}:{abs(s) % 3600 // 60:02d}" for s in offsets.values()}
        texts[known] = local + np.array([suffix[s] for s in shift.tolist()], dtype=object)
    return texts


def _happenings(random: np.random.Generator, place: Place) -> Column:
    """What happens to each throw: mostly nothing; after a void roll comes a plain rethrow; a log never ends on one."""
    kinds = np.array([PLAIN, *HAPPENINGS], dtype=object)
    rest = 1 - sum(HAPPENINGS.values())
    happened = random.choice(kinds, size=place.throws, p=[rest, *HAPPENINGS.values()])
    if place.throws > 8:
        happened[2], happened[4] = "propped", "dispute"  # so that no column stays blank in a short log
    restless = np.flatnonzero(np.isin(happened, (*VOIDED, "lost")))
    happened[np.minimum(restless + 1, place.throws - 1)] = PLAIN
    happened[-1:] = PLAIN
    return happened


def table_day(random: np.random.Generator, place: Place) -> TableDay:
    """One honest table and gaming day: an audit of it finds nothing."""
    size = place.throws
    happened = _happenings(random, place)
    cells = {column.name: np.full(size, "", dtype=object) for column in COLUMNS}
    day = TableDay(place, random, happened, cells, {})
    _clock(day)
    _who(day)
    _dice(day)
    _rulings(day)
    _rethrows(day)
    return day


def _is(day: TableDay, *kinds: str) -> Column:
    return np.isin(day.happened, kinds)


def _clock(day: TableDay) -> None:
    """Times with human spread: a throw every minute or so, called within seconds, dice passed well before the next."""
    random, size = day.random, len(day)
    opening = int(datetime.combine(day.place.day, OPENS, ZONE).timestamp())
    spacing = OPEN_SECONDS / size
    least = min(spacing, 45.0)
    gaps = least + random.exponential(max(spacing - least, 0.001), size)
    thrown = opening + np.floor(np.cumsum(gaps * (OPEN_SECONDS / max(gaps.sum(), 1.0)))).astype(np.int64)
    rest = thrown + random.integers(2, 5, size)
    called = rest + np.minimum(np.floor(random.lognormal(0.4, 0.5, size)), 6).astype(np.int64)
    collected = called + random.integers(1, 4, size)
    settled = collected + random.integers(2, 7, size)
    passed = settled + random.integers(1, 4, size)
    day.seconds = {
        "thrown_at": thrown,
        "at_rest_at": rest,
        "called_at": called,
        "collected_at": collected,
        "settled_at": settled,
        "passed_at": passed,
        "set_opened_at": np.full(size, opening - 1800),
    }


def _who(day: TableDay) -> None:
    """Site, table, ids, rounds of three to eight throws, a Quarterback a round, a stickperson for twenty throws."""
    random, size, cells, place = day.random, len(day), day.cells, day.place
    number = np.arange(1, size + 1)
    cells["site"][:] = place.site
    cells["table"][:] = place.table
    cells["gaming_day"][:] = place.day.isoformat()
    prefix = f"{place.site[-2:]}{place.table[-2:]}-{place.day:%y%m%d}-"
    cells["throw_id"] = np.array([f"{prefix}{n:04d}" for n in number], dtype=object)
    cells["seq"] = number.astype(str).astype(object)
    lengths = random.integers(3, 9, size // 3 + 2)
    rounds = np.repeat(np.arange(1, len(lengths) + 1), lengths)[:size]
    for row in np.flatnonzero(_is(day, *VOIDED)):  # a roll and its rethrow belong to one round
        rounds[row + 1 :] -= rounds[row + 1] - rounds[row]
    cells["round"] = np.array([f"{prefix}R{r:03d}" for r in rounds], dtype=object)
    guests = random.integers(1, 60, rounds.max() + 1)
    cells["quarterback"] = np.array([f"P{guests[r]:02d}" for r in rounds], dtype=object)
    staff = np.array([f"S-{n:03d}" for n in random.choice(np.arange(1, 31), 4, replace=False)], dtype=object)
    cells["stickperson"] = staff[(number // 20) % 4]
    cells["camera_ref"] = np.array(
        [f"C{place.table[-2:]}/{place.day:%m%d}/{t % 86400:05d}" for t in day.seconds["thrown_at"]], dtype=object
    )
    cells["note"] = random.choice(np.array(_NOTES, dtype=object), size, p=[0.24, 0.24, 0.24, 0.24, *[0.01] * 4])


def _dice(day: TableDay) -> None:
    """Sets of six dice, of which each round takes three; where the dice come to rest and what they show."""
    random, size, cells = day.random, len(day), day.cells
    sets = np.cumsum(np.concatenate([[0], _is(day, "lost")[:-1]]))
    opened = day.seconds["set_opened_at"]
    for row in np.flatnonzero(_is(day, "lost")):
        opened[row + 1 :] = day.seconds["passed_at"][row] + 5
    stem = f"{day.place.day:%y%m%d}{day.place.table[-2:]}"
    cells["dice_set"] = np.array([f"SET-{stem}-{s + 1}" for s in sets], dtype=object)
    _, round_of = np.unique(cells["round"], return_inverse=True)
    rounds = round_of.max() + 1
    first = random.integers(0, 4, rounds)
    second = (first + random.integers(1, 4, rounds)) % 4
    red = random.integers(0, 2, rounds)
    for name, pick in (("off1", first), ("off2", second), ("def", red + 4)):
        cells[f"{name}_die"] = np.array(
            [f"{stem}{s % 10}{p}" for s, p in zip(sets, pick[round_of], strict=True)], dtype=object
        )
        cells[f"{name}_color"][:] = "red" if name == "def" else "green"
        cells[f"{name}_hit_far_end"][:] = "yes"
        cells[f"{name}_left_table"][:] = "no"
        cells[f"{name}_rest"][:] = "layout"
        cells[f"{name}_resting_sides"][:] = "none"
        faces = random.integers(1, 7, size).astype(str).astype(object)
        cells[f"{name}_observed"] = faces
        cells[f"{name}_called"] = faces.copy()
    which = random.integers(0, 3, size)
    for place, name in enumerate(DICE):
        mine = which == place
        _set(day, f"{name}_hit_far_end", mine & _is(day, "short"), "no")
        for rest, kinds in (("bank", ("bank",)), ("rail", ("rail",)), ("cup", ("cup",)), ("on_die", ("stacked",))):
            _set(day, f"{name}_rest", mine & _is(day, *kinds), rest)
        gone = mine & _is(day, "off", "lost")
        _set(day, f"{name}_left_table", gone, "yes")
        _set(day, f"{name}_rest", gone, "off_table")
        _set(day, f"{name}_observed", gone, "")
        for leaning in np.flatnonzero(mine & _is(day, "leaning", "propped")).tolist():
            _lean(day, name, leaning)
    _set(day, "die_lost", np.full(size, True), "no")
    _set(day, "die_lost", _is(day, "lost"), "yes")


def _lean(day: TableDay, name: str, row: int) -> None:
    """Let a die lean on chips by one side, or be propped by two; what is called follows from geometry."""
    random, cells = day.random, day.cells
    side = int(random.integers(1, 7))
    cells[f"{name}_rest"][row] = str(random.choice(["cocked", "chips"]))
    if day.happened[row] == "leaning":
        cells[f"{name}_resting_sides"][row] = str(side)
        cells[f"{name}_observed"][row] = cells[f"{name}_called"][row] = str(7 - side)
    else:
        beside = int(random.choice([face for face in range(1, 7) if face not in (side, 7 - side)]))
        cells[f"{name}_resting_sides"][row] = f"{side}|{beside}"
        cells[f"{name}_observed"][row] = ""


def _set(day: TableDay, column: str, rows: Column, text: str) -> None:
    day.cells[column][rows] = text


def _rulings(day: TableDay) -> None:
    """Rulings that the section allows, with the powers of (c) used wherever they are given."""
    random, size, cells = day.random, len(day), day.cells
    every = np.full(size, True)
    defaults = {
        "released_together": "yes",
        "touched_chips": "no",
        "device_suspected": "no",
        "ruling": "valid",
        "ruling_by": "stickperson",
        "disputed": "no",
        "settlement": "settled",
        "dice_centered": "yes",
        "stick_used": "yes",
    }
    for column, text in defaults.items():
        _set(day, column, every, text)
    _set(day, "touched_chips", random.random(size) < 0.08, "yes")
    _set(day, "settlement", random.random(size) < 0.3, "none_decided")
    _set(day, "released_together", _is(day, "apart"), "no")
    for kind, ground in _NO_ROLL.items():
        _set(day, "ruling", _is(day, kind), "no_roll")
        _set(day, "no_roll_grounds", _is(day, kind), ground)
    _set(day, "ruling", _is(day, *_INVALID), "invalid")
    _set(day, "ruling", _is(day, *VOIDED), "void")
    _set(day, "disputed", _is(day, "dispute", "dispute_void", "dispute_other"), "yes")
    _set(day, "dispute_about", _is(day, "dispute", "dispute_void"), "face")
    _set(day, "dispute_about", _is(day, "dispute_other"), "other")
    _set(day, "dispute_ruling", _is(day, "dispute", "dispute_other"), "face")
    _set(day, "dispute_ruling", _is(day, "dispute_void"), "void")
    uncall(day, cells["ruling"] != "valid")


def uncall(day: TableDay, rows: Any) -> None:
    """A roll that did not stand decides no wager, and nothing is called."""
    day.cells["settlement"][rows] = "none_decided"
    for name in DICE:
        day.cells[f"{name}_called"][rows] = ""


def _rethrows(day: TableDay) -> None:
    """The throw after a void roll says which one it replaces, and takes the same dice."""
    for row in np.flatnonzero(_is(day, *VOIDED)).tolist():
        name_as_rethrow(day, row + 1, row)


def name_as_rethrow(day: TableDay, row: int, of: int) -> None:
    """Let a throw say that it replaces another, thrown with the same dice."""
    day.cells["rethrow_of"][row] = day.cells["throw_id"][of]
    for column in ("round", "quarterback", "dice_set", *(f"{name}_die" for name in DICE)):
        day.cells[column][row] = day.cells[column][of]
