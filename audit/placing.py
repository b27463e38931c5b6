"""Put every event in its place: first rows of an id, the order of each table, gaps, and the events that are named."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.numbered import gaps_by_number
from audit.reading.events import Events
from audit.reading.fingerprints import Fingerprints, fingerprints
from audit.set_aside import ANY, SetAside, set_aside
from rules.placing import Bools, Ints, Placing

#: Stands for a time that is not known, where a pack does not require one: later than all that are.
NO_TIME = 1 << 62

#: Says which further rows of an id, given with the rows audited instead, are events of their own.
Apart = Callable[[Ints, Ints], Bools]


@dataclass
class _Keys:
    """What places an event, as whole numbers over the whole audit; ``seq`` is -1 where there is none.

    ``table``: code of site and table (or whatever the order stands in, such as a game); ``table_name``: code of the
    table's name alone.
    """

    site: Ints
    table_name: Ints
    table: Ints
    day: Ints
    seq: Ints
    time: Ints

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def group(self) -> Ints:
        """Code of table and day, in the order of both."""
        return _mixed(self.table, self.day - self.day.min()) if len(self) else self.table


def place(events: Events, apart: Apart | None = None) -> Placing:
    """The placing of all events."""
    keys = _keys(events)
    duplicate, instead = _duplicates(events, keys)
    shares_id = np.zeros(len(keys), dtype=bool)
    further = np.flatnonzero(duplicate)
    if apart and len(further):
        own = apart(further, instead)
        shares_id[further[own]] = True
        duplicate[further[own]] = False
        instead = instead[~own]
    numbered = events.pack.numbered
    by_number = _by_number(keys, duplicate)
    order = _order_by_number(keys, duplicate) if numbered else _table_order(keys, by_number)
    position = np.full(len(keys), -1, dtype=np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    last, following = _neighbours(order, keys.table, len(keys))
    aside = set_aside(events)
    target, named_aside = _named(events, keys, duplicate, aside)
    nameless, nameless_first = _nameless(events, keys, duplicate)
    gap_before = (
        gaps_by_number(keys.seq, keys.site, keys.table_name, events.file_of, last, aside)
        if numbered
        else _gaps(events, keys, last, duplicate, aside)
    )
    events.forget_fingerprints()
    by_seq = _ByNumber(keys, by_number)
    return Placing(
        table=keys.table,
        position=position,
        time=keys.time,
        last=last,
        next=following,
        gap_before=gap_before,
        duplicate=duplicate,
        audited_instead=instead,
        target=target,
        target_set_aside=named_aside,
        follows_by_seq=by_seq.mask(by_seq.follows),
        missing_before=_missing(keys, by_seq, duplicate, aside),
        backward=by_seq.mask(by_seq.timed & (by_seq.time[1:] < by_seq.time[:-1])),
        seq_twice=by_seq.mask(by_seq.follows & (by_seq.seq[1:] == by_seq.seq[:-1])) & ~shares_id,
        timed=by_seq.mask(by_seq.timed),
        shares_id=shares_id,
        nameless=nameless,
        nameless_first=nameless_first,
    )


def _keys(events: Events) -> _Keys:
    roles = events.pack.roles
    site = events.numbers(roles.site)
    table = events.numbers(roles.order)
    code = _mixed(site + 1, table + 1)
    day = events.numbers(roles.day) if roles.day else np.zeros(len(site), dtype=np.int64)
    absent = NO_TIME if events.pack.numbered else -1
    return _Keys(site, table, code, day, events.numbers(roles.seq), events.numbers(roles.time, absent))


def _mixed(major: Ints, minor: Ints) -> Ints:
    """One number for a pair of small ones, in their order."""
    span = int(minor.max()) + 1 if len(minor) else 1
    wide = np.int64 if (int(major.max(initial=0)) + 1) * span >= 1 << 31 else major.dtype
    mixed: Ints = major.astype(wide) * span + minor
    return mixed


def _duplicates(events: Events, keys: _Keys) -> tuple[Bools, Ints]:
    """Rows whose id stands on one that comes first by time, number and place in the files; and for each, that one."""
    duplicate = np.zeros(len(keys), dtype=bool)
    rows = _perhaps_twice(events.fingerprints)
    if not len(rows):
        return duplicate, rows
    texts = pa.array(events.event_ids(rows), pa.string()).dictionary_encode()
    code = _mixed(keys.site[rows] + 1, texts.indices.to_numpy(zero_copy_only=False))
    order = np.lexsort((rows, keys.seq[rows], keys.time[rows], code))
    rows, code = rows[order], code[order]
    further = np.zeros(len(rows), dtype=bool)
    further[1:] = code[1:] == code[:-1]
    first = rows[np.maximum.accumulate(np.where(further, 0, np.arange(len(rows))))]
    duplicate[rows[further]] = True
    return duplicate, first[further][np.argsort(rows[further])]


def _perhaps_twice(ids: Fingerprints) -> Ints:
    """Rows whose id may stand on another, by what stands for the ids."""
    ascending = np.sort(ids)
    twice = np.unique(ascending[1:][ascending[1:] == ascending[:-1]])
    return np.flatnonzero(_among(ids, twice))


def _among(ids: Fingerprints, chosen: Fingerprints) -> Bools:
    mask: Bools = pc.is_in(pa.array(ids), value_set=pa.array(chosen)).to_numpy(zero_copy_only=False)
    return mask


def _sorted(rows: Ints, group: Ints, rank: Ints) -> Ints:
    """Rows by group, then rank, then place: with one key and timsort, since a log mostly stands in that order."""
    group, rank = group[rows], rank[rows]
    rank = rank - rank.min()
    if int(group.max()) < (1 << 62) // (int(rank.max()) + 1):
        return rows[np.argsort(_mixed(group, rank), kind="stable")]
    return rows[np.lexsort((rank, group))]


def _by_number(keys: _Keys, duplicate: Bools) -> Ints:
    """Audited rows by table, day and running number; first those that have none."""
    rows: Ints = np.flatnonzero(~duplicate)
    return _sorted(rows, keys.group, keys.seq) if len(rows) else rows


def _table_order(keys: _Keys, by_number: Ints) -> Ints:
    """Audited rows, table after table, each in its own order.

    Inside a gaming day that is the order of the running numbers where every row has one and all differ, else of time.
    """
    group, seq = keys.group[by_number], keys.seq[by_number]
    same = (np.diff(group) == 0) & (np.diff(seq) == 0)
    unnumbered = np.concatenate([group[seq < 0], group[1:][same]])
    if not len(unnumbered):
        return by_number
    numbered = np.ones(int(group.max()) + 1, dtype=bool)
    numbered[unnumbered] = False
    others = ~numbered[group]
    order = by_number.copy()
    order[others] = _sorted(np.sort(by_number[others]), keys.group, keys.time)
    return order


def _order_by_number(keys: _Keys, duplicate: Bools) -> Ints:
    """Audited rows, game after game, by their numbers; of one number the first by time comes first."""
    rows: Ints = np.flatnonzero(~duplicate)
    ranked: Ints = rows[np.lexsort((rows, keys.time[rows], keys.seq[rows], keys.table[rows]))]
    return ranked


def _neighbours(order: Ints, table: Ints, size: int) -> tuple[Ints, Ints]:
    last = np.full(size, -1, dtype=np.int32)
    following = np.full(size, -1, dtype=np.int32)
    here, there = order[:-1], order[1:]
    same = table[here] == table[there]
    last[there[same]] = here[same]
    following[here[same]] = there[same]
    return last, following


class _ByNumber:
    """Rows by running number, table after table and day after day; pairs of them that follow each other.

    The masks ``follows`` (the pair is of one table and day) and ``timed`` (and both times are known) are over pairs.
    """

    def __init__(self, keys: _Keys, by_number: Ints) -> None:
        numbered = keys.seq[by_number] >= 0
        rows = by_number if numbered.all() else by_number[numbered]
        group, seq, time = keys.group[rows], keys.seq[rows], keys.time[rows]
        self.follows: Bools = group[1:] == group[:-1]
        twice = self.follows & (seq[1:] == seq[:-1])
        if twice.any():  # a number that stands twice: the later by time comes second
            tied = np.flatnonzero(np.append(twice, False) | np.append(False, twice))
            order = tied[np.lexsort((rows[tied], time[tied], seq[tied], group[tied]))]
            rows = rows.copy()  # group and number stay where they are
            rows[tied], time[tied] = rows[order], time[order]
        self.rows, self.seq, self.time = rows, seq, time
        known = time != NO_TIME
        self.timed: Bools = self.follows & known[1:] & known[:-1]
        self._size = len(keys)

    def mask(self, pairs: Bools) -> Bools:
        """The later rows of the pairs, as a mask over the audit."""
        result = np.zeros(self._size, dtype=bool)
        result[self.rows[1:][pairs]] = True
        return result


def _missing(keys: _Keys, by_seq: _ByNumber, duplicate: Bools, aside: list[SetAside]) -> dict[int, str]:
    """LOG-2: the numbers missing before each row, in words.

    Not missing: numbers that stand in quarantine or on a further row of an id, and as many as rows without a number
    stand between by time.
    """
    gaps = np.flatnonzero(by_seq.follows & (by_seq.seq[1:] - by_seq.seq[:-1] > 1))
    if not len(gaps):
        return {}
    on_duplicates = _grouped(keys, np.flatnonzero(duplicate & (keys.seq >= 0)), keys.seq)
    unnumbered = _grouped(keys, np.flatnonzero(~duplicate & (keys.seq < 0)), keys.time)
    in_quarantine: dict[tuple[int, int, int | None], list[int]] = defaultdict(list)
    for entry in sorted(aside, key=lambda e: e.seq):
        if entry.seq >= 0:
            in_quarantine[entry.site, entry.table, entry.day].append(entry.seq)
    missing: dict[int, str] = {}
    for gap in gaps:
        row = int(by_seq.rows[gap + 1])
        group = (int(keys.table[row]), int(keys.day[row]))
        low, high = int(by_seq.seq[gap]) + 1, int(by_seq.seq[gap + 1]) - 1
        there = set(_between(on_duplicates.get(group, []), low, high))
        sites, tables = (int(keys.site[row]), ANY), (int(keys.table_name[row]), ANY)
        for place in product(sites, tables, (int(keys.day[row]), None)) if in_quarantine else ():
            there.update(_between(in_quarantine.get(place, []), low, high))
        begin, end = int(by_seq.time[gap]), int(by_seq.time[gap + 1])
        unplaced = len(_between(unnumbered.get(group, []), begin, end))
        if high - low + 1 - len(there) > unplaced:
            missing[row] = _ranges(low, high, there)
    return missing


def _grouped(keys: _Keys, rows: Ints, values: Ints) -> dict[tuple[int, int], list[int]]:
    """Values of rows by table and day, ascending."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row in rows[np.argsort(values[rows], kind="stable")]:
        groups[int(keys.table[row]), int(keys.day[row])].append(int(values[row]))
    return groups


def _between(ascending: list[int], low: int, high: int) -> list[int]:
    return ascending[bisect_left(ascending, low) : bisect_right(ascending, high)]


def _ranges(low: int, high: int, there: set[int]) -> str:
    """``4``, ``4–6`` or ``4–6, 9``: the numbers from ``low`` to ``high`` that are not ``there``."""
    parts = []
    start = low
    for number in [*sorted(there), high + 1]:
        if number > start:
            parts.append(str(start) if number - 1 == start else f"{start}–{number - 1}")
        start = number + 1
    return ", ".join(parts)


def _gaps(events: Events, keys: _Keys, last: Ints, duplicate: Bools, aside: list[SetAside]) -> Bools:
    """Rows before which others are missing, or may be: nobody is accused across such a gap.

    That is: the running number skips; or a further row of an id, or a row set aside, of that table may stand between
    the two, by its time, else by its number, else anywhere in its file.
    """
    after = np.flatnonzero(last >= 0)
    before = last[after]
    seq_before, seq_after = keys.seq[before], keys.seq[after]
    same_day = keys.day[before] == keys.day[after]
    found = same_day & (seq_before >= 0) & (seq_after >= 0) & (seq_after - seq_before > 1)

    def mark(where: Bools, values: list[int], low: Callable[[Ints], Ints], high: Callable[[Ints], Ints]) -> None:
        """Pairs ``where`` one of ``values`` stands between what ``low`` and ``high`` give of them."""
        rows = np.flatnonzero(where)
        ascending = np.sort(np.asarray(values, dtype=np.int64))
        following = np.searchsorted(ascending, low(rows), side="left")
        there = rows[following < len(ascending)]
        following = following[following < len(ascending)]
        found[there[ascending[following] <= high(there)]] = True

    def earlier(rows: Ints) -> Ints:
        return np.minimum(keys.time[before[rows]], keys.time[after[rows]])

    def later(rows: Ints) -> Ints:
        return np.maximum(keys.time[before[rows]], keys.time[after[rows]])

    further = np.flatnonzero(duplicate)
    table = keys.table[after]
    for own in np.unique(keys.table[further]):
        mark(table == own, keys.time[further[keys.table[further] == own]].tolist(), earlier, later)

    everywhere = np.ones(len(after), dtype=bool)
    one_site = not events.texts(events.pack.roles.site)  # no row names a site: all have the code -1
    file_of = events.file_of
    by_time: dict[tuple[int, int], list[int]] = defaultdict(list)
    by_number: dict[tuple[int, tuple[int, int]], list[int]] = defaultdict(list)
    anywhere: set[tuple[int, tuple[int, int]]] = set()
    for entry in aside:
        place = (entry.site, entry.table)
        if entry.time is not None:
            by_time[place].append(entry.time)
        elif entry.seq >= 0:
            by_number[entry.file, place].append(entry.seq)
        else:
            anywhere.add((entry.file, place))

    def at(place: tuple[int, int]) -> Bools:
        site, table = place
        here = everywhere if site == ANY and not one_site else keys.site[after] == site
        there: Bools = here & (everywhere if table == ANY else keys.table_name[after] == table)
        return there

    def in_file(file: int) -> Bools:
        either: Bools = (file_of[before] == file) | (file_of[after] == file)
        return either

    for place, stamps in by_time.items():
        mark(at(place), stamps, earlier, later)
    unnumbered = (seq_before < 0) | (seq_after < 0) | ~same_day if by_number else found
    for (file, place), numbers in by_number.items():
        near = at(place) & in_file(file)
        found |= near & unnumbered
        mark(near & ~unnumbered, numbers, lambda rows: seq_before[rows] + 1, lambda rows: seq_after[rows] - 1)
    for file, place in anywhere:
        found |= at(place) & in_file(file)
    gap = np.zeros(len(keys), dtype=bool)
    gap[after[found]] = True
    return gap


def _named(events: Events, keys: _Keys, duplicate: Bools, aside: list[SetAside]) -> tuple[Ints, Bools]:
    """The event that each one names: -1 where it names none, -2 where the id is nowhere in the audited set."""
    target = np.full(len(keys), -1, dtype=np.int32)
    named_aside = np.zeros(len(keys), dtype=bool)
    column = events.pack.roles.names_event
    if not column or not len(keys):
        return target, named_aside
    named = events.numbers(column)
    texts = events.texts(column)
    if not texts:
        return target, named_aside
    rows = np.flatnonzero(_among(events.fingerprints, fingerprints(events.text_column(column))) & ~duplicate)
    ids = events.event_ids(rows)
    where = {(int(keys.site[row]), text): int(row) for row, text in zip(rows, ids, strict=True)}
    ids_aside = {(entry.site, entry.event_id) for entry in aside}
    for row in np.flatnonzero((named >= 0) & ~duplicate):
        text = texts[named[row]]
        target[row] = where.get((int(keys.site[row]), text), -2)
        named_aside[row] = bool({(int(keys.site[row]), text), (ANY, text)} & ids_aside)
    return target, named_aside


def _nameless(events: Events, keys: _Keys, duplicate: Bools) -> tuple[Bools, dict[int, int]]:
    """LOG-4: rows that name nobody in files that do, and the first of a table and day with how many there are."""
    column = events.pack.roles.responsible
    nameless = np.zeros(len(keys), dtype=bool)
    if not column or not len(keys):
        return nameless, {}
    logged = np.array([column in record.logged for record in events.files])
    nameless = (events.numbers(column) < 0) & logged[events.file_of] & ~duplicate
    nameless[[cell.row for cell in events.unreadable if cell.column == column]] = False
    rows = np.flatnonzero(nameless)
    rank = keys.seq if events.pack.numbered else keys.time
    rows = rows[np.lexsort((rows, rank[rows], keys.day[rows], keys.table[rows]))]
    first: dict[int, int] = {}
    group, leader = None, -1
    for row in rows:
        if (keys.table[row], keys.day[row]) != group:
            group, leader = (keys.table[row], keys.day[row]), int(row)
        first[leader] = first.get(leader, 0) + 1
    return nameless, first
