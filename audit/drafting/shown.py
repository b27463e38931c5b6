"""A profile at work: what each column of a log is taken for, what was set aside, and its first rows as understood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pyarrow as pa

from audit.drafting.draft import WORDS
from audit.reading.cells import expected
from audit.reading.events import Events, FileRecord
from audit.telling import iso_times
from rules.kit import Column, Kind

#: So many rows are shown.
ROWS = 5


def _say(key: str, **facts: object) -> str:
    text = WORDS.text("check", key)
    for name, fact in facts.items():
        text = text.replace(f"{{{name}}}", str(fact))
    return text


def shown(events: Events) -> Iterator[str]:
    """What the profile makes of the logs, a line at a time."""
    for number, record in enumerate(events.files):
        yield from _file(events, number, record)
    yield from _unreadable(events)
    yield ""
    yield from _first_rows(events)


def _file(events: Events, number: int, record: FileRecord) -> Iterator[str]:
    if record.problem:
        yield f"{record.label} {record.problem}"
        return
    yield _say("file", file=record.label, pack=events.pack.name, format=record.format.value)
    for ours, theirs in record.meant.items():
        if ours != theirs:
            yield "  " + _say("column", ours=ours, theirs=theirs)
    for name, text in events.profile.constants.items():
        yield "  " + _say("constant", ours=name, text=text)
    if record.ignored_columns:
        yield "  " + _say("unread", names=", ".join(record.ignored_columns))
    for note in record.notes:
        yield f"  {record.label} {note}"
    accepted = record.accepted + record.joined
    yield _say("rows", read=record.rows_read, accepted=accepted, aside=record.quarantined)
    reasons: Counter[str] = Counter()
    first: dict[str, int] = {}
    for file, aside in events.aside:
        if file == number:
            reasons[aside.reason.kind] += 1
            first.setdefault(aside.reason.kind, aside.line)
    for reason, count in reasons.most_common():
        yield _say("aside", count=count, reason=reason, line=first[reason])


def _unreadable(events: Events) -> Iterator[str]:
    counts = Counter(cell.column for cell in events.unreadable)
    like = {cell.column: cell.text for cell in reversed(events.unreadable)}
    for name, count in counts.most_common():
        wanted = expected(events.pack.by_name[name], like[name])
        yield _say("cells", count=count, column=name, text=repr(like[name][:60]), expected=wanted)


def _first_rows(events: Events) -> Iterator[str]:
    if not events.blocks:
        yield _say("nothing")
        return
    yield _say("first")
    block = events.blocks[0].loaded()
    size = min(ROWS, block.size)
    for column in events.pack.columns:
        array = block.arrays.get(column.name)
        if array is None or array.slice(0, size).null_count == size:
            continue
        cells = _texts(events, column, array.slice(0, size), block.offset[:size])
        yield f"  {column.name:<20} " + "  ".join(f"{cell or '·':<26}" for cell in cells).rstrip()


def _texts(events: Events, column: Column, array: pa.Array, offset: object) -> Sequence[str | None]:
    if column.name in events.ids:
        texts = events.text_column(column.name).take(array)
    elif column.kind is Kind.TIME:
        known = array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        stamps = iso_times(known, offset)  # type: ignore[arg-type]
        there = array.is_valid().to_pylist()
        return [stamp if ok else None for stamp, ok in zip(stamps.to_pylist(), there, strict=True)]
    elif column.kind in (Kind.CHOICES, Kind.FACES):
        words = column.words or tuple("123456")
        return [_of_mask(mask, words) for mask in array.to_pylist()]
    elif column.kind is Kind.CHOICE:
        return [None if place is None else column.words[place] for place in array.to_pylist()]
    else:
        texts = array.cast(pa.string())
    return texts.to_pylist()  # type: ignore[no-any-return]


def _of_mask(mask: int | None, words: Sequence[str]) -> str | None:
    if mask is None:
        return None
    return "|".join(word for place, word in enumerate(words) if mask & 1 << place) or "none"
