"""Rows set aside, as far as they say where they stood: they may stand between two others, or bear a missing number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audit.reading.cells import BLANK_EVERYWHERE, whole_number
from audit.reading.declared_times import parse_one
from audit.reading.events import Events
from audit.reading.profile import Profile
from audit.reading.times import localize, offsets_in

ANY, NONE = -1, -2


@dataclass(frozen=True)
class SetAside:
    """A row set aside, as far as it says where it stood.

    ``site`` and ``table`` are codes; ``ANY`` where it does not say, ``NONE`` where it names one that no audited row
    has. ``seq`` is -1, ``time`` and ``day`` are ``None`` where it does not say.
    """

    file: int
    site: int
    table: int
    seq: int
    time: int | None
    day: int | None
    event_id: str


def set_aside(events: Events) -> list[SetAside]:
    roles = events.pack.roles
    if not events.aside:
        return []
    codes = {text: code for code, text in enumerate(events.texts(roles.order))}
    sites = {text: code for code, text in enumerate(events.texts(roles.site))}

    def code(known: dict[str, int], text: str) -> int:
        return known.get(text, NONE) if text not in BLANK_EVERYWHERE else ANY

    rows = []
    for file, aside in events.aside:
        cells = aside.cells
        stamp, day = _instant(cells.get(roles.time, ""), events.profile)
        day = day if roles.day else None
        seq = whole_number(cells.get(roles.seq, ""))
        site = cells.get(roles.site, "")
        if site in BLANK_EVERYWHERE and (events.profile.site or not sites):
            site_code = sites.get(events.profile.site, -1)
        else:
            site_code = code(sites, site)
        rows.append(
            SetAside(
                file,
                site_code,
                code(codes, cells.get(roles.order, "")),
                -1 if seq is None else seq,
                stamp,
                day,
                cells.get(roles.event_id, ""),
            )
        )
    return rows


def _instant(text: str, profile: Profile) -> tuple[int | None, int | None]:
    """Instant and gaming day of a row set aside, from the text of its time."""
    parsed = parse_one(text, profile.habits.datetimes)
    if parsed is None:
        return None, None
    wall, offset = parsed
    minute = 60_000_000
    if offset is not None:
        instant = wall - offset * minute
        if profile.timezone is not None:
            wall = instant + int(offsets_in(profile.timezone, np.array([instant]))[0]) * minute
    else:
        zone = profile.timezone
        instant = wall if zone is None else int(localize(np.array([wall]), zone).instant[0])
    return instant, (wall - profile.gaming_day_starts * minute) // (1440 * minute)
