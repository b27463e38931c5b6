"""A gaming day, table by table: events as ticks, rulings and findings marked over them, on one line of hours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from audit.days import Course, TableDay
from reports.figures.dice import Say
from rules import drawing as d
from rules.kit import Disposition
from rules.sections import Figure

_NAMES, _COUNTS = 58.0, 46.0
_PITCH, _TICK, _TOP, _FOOT = 29.0, 8.0, 7.0, 26.0
#: Marks of one kind that would lie closer than this are drawn once.
_NEAR = 2.4
#: Ticks stand at least so far apart.
_APART = 1.2


class _Axis:
    """Minutes across the page, on whole hours."""

    def __init__(self, courses: Sequence[Course], width: float) -> None:
        minutes = [minute for course in courses for minute, *_ in (*course.events, *course.found)]
        first, last = min(minutes, default=0), max(minutes, default=59)
        self.first, self.last = first // 60 * 60, (last // 60 + 1) * 60
        self.left, self.width = _NAMES, width - _NAMES - _COUNTS

    def x(self, minute: float) -> float:
        return self.left + (minute - self.first) / (self.last - self.first) * self.width

    @property
    def hours(self) -> range:
        hours = (self.last - self.first) // 60
        every = next(n for n in (1, 2, 3, 4, 6, 8, 12) if hours / n * 16 <= self.width or n == 12)
        return range(self.first // 60, self.last // 60 + 1, every)


def _ticks(course: Course, axis: _Axis, base: float) -> str:
    """A tick wherever there was an event, higher where there were more."""
    counts: Counter[int] = Counter()
    for minute, count in course.events:
        counts[int((axis.x(minute + 0.5) - axis.left) / _APART)] += count
    most = max(2, *counts.values()) if counts else 2
    way = "".join(
        f"M{d.number(axis.left + (place + 0.5) * _APART)} {d.number(base)}v{-_TICK * (0.4 + 0.6 * count / most):.1f}"
        for place, count in sorted(counts.items())
    )
    return d.path(way, "none", d.SOFT, _APART * 0.55)


def _spread(minutes: Sequence[int], axis: _Axis) -> list[float]:
    """Places of marks, those that would lie on each other drawn once."""
    places: list[float] = []
    for minute in sorted(minutes):
        x = axis.x(minute + 0.5)
        if not places or x - places[-1] >= _NEAR:
            places.append(x)
    return places


def _rulings(kind: int, places: Sequence[float], y: float) -> str:
    """The signs of rulings other than the usual one: a ring, a cross, a slash, a bar."""
    r, n = 1.9, d.number
    if not places:
        return ""
    if kind == 0:
        return d.path("".join(d.disc_way(x, y, r) for x in places), d.PAPER, d.INK, 0.8)
    if kind == 1:
        ways = [f"M{n(x - r)} {n(y - r)}l{2 * r:g} {2 * r:g}m0 {-2 * r:g}l{-2 * r:g} {2 * r:g}" for x in places]
    elif kind == 2:
        ways = [f"M{n(x - r)} {n(y + r)}l{2 * r:g} {-2 * r:g}" for x in places]
    else:
        ways = [f"M{n(x)} {n(y - r)}v{2 * r:g}" for x in places]
    return d.path("".join(ways), "none", d.INK, 1.0)


def day(
    days: Sequence[TableDay],
    counts: Sequence[tuple[str, str]],
    rulings: Sequence[tuple[str, str]],
    say: Say,
    shows: str,
    width: float,
) -> Figure:
    """The tables of one day. ``counts``: events and findings of each, in words; ``rulings``: each ruling that is
    marked, with its name."""
    drawn = [(each, each.course, said) for each, said in zip(days, counts, strict=True) if each.course is not None]
    axis = _Axis([course for _, course, _ in drawn], width)
    bottom = _TOP + _PITCH * len(drawn)
    at = [(hour, axis.x(hour * 60)) for hour in axis.hours]
    body = [d.path("".join(f"M{d.number(x)} {_TOP:g}V{d.number(bottom + 2)}" for _, x in at), "none", d.LINE, 0.4)]
    for hour, x in at:
        body.append(d.text(x, bottom + 9, f"{hour % 24:02d}:00", 6.4, "middle", fill=d.SOFT))
    marked = [ruling for ruling, _ in rulings]
    for place, (each, course, (events, findings)) in enumerate(drawn):
        base = _TOP + _PITCH * place + 23
        body.append(d.text(0, base - 3, d.fitted(each.table, _NAMES - 4, 8), 8, bold=True))
        body.append(d.line(axis.left, base, axis.left + axis.width, base, d.LINE, 0.6))
        body.append(_ticks(course, axis, base))
        for kind, ruling in enumerate(marked):
            places = _spread([minute for minute, ruled in course.ruled if ruled == ruling], axis)
            body.append(_rulings(kind, places, base - 11.5))
        for disposition in reversed(Disposition):
            places = _spread([minute for minute, found in course.found if found == disposition.value], axis)
            body.append(d.marks(disposition.value, [(x, base - 18.5) for x in places]))
        found = sum(each.findings.values())
        body.append(d.text(width, base - 8, events, 6.6, "end", fill=d.SOFT))
        body.append(d.text(width, base, findings, 6.6, "end", found > 0, d.INK if found else d.SOFT))
    body.append(_legend(rulings, say, bottom + 20))
    return d.figure(width, bottom + _FOOT, body, shows)


def _legend(rulings: Sequence[tuple[str, str]], say: Say, y: float) -> str:
    x = _NAMES
    parts = [d.path(f"M{x} {y}v-6m2.4 6v-4m2.4 4v-6", "none", d.SOFT, 0.7)]
    x += 8

    def said(name: str) -> None:
        nonlocal x
        parts.append(d.text(x, y, name, 6.6, fill=d.SOFT))
        x += d.width_of(name, 6.6) + 9

    said(say("figures", "tick"))
    for kind, (_, name) in enumerate(rulings):
        parts.append(_rulings(kind, [x + 2], y - 2.3))
        x += 7
        said(name)
    for disposition in Disposition:
        parts.append(d.mark(disposition.value, x + 3, y - 2.3, 6))
        x += 9
        said(say("dispositions", disposition.value))
    return "".join(parts)
