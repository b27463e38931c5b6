"""Staff and patrons under stable pseudonyms: put in place once the logs are read, so that no output can know better.

A pseudonym is made of the name with a key (HMAC-SHA-256): who holds the key can make it again of a name, who does not
can neither go back nor try names. What cannot be cleared of names is withheld: rows set aside (named by file and line),
texts of cells that cannot be read, free text and columns that are not read.
"""

from __future__ import annotations

import hmac
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from audit.errors import UsageError
from audit.reading.events import Events
from audit.record import QuarantinedRow
from audit.told import Desk
from rules.batch import Batch
from rules.kit import Column, Kind, Pack

#: Bytes that a key must have, letters that a pseudonym has (50 bits).
_LEAST, _LETTERS = 16, 10
WITHHELD = "[withheld]"


@dataclass(frozen=True)
class Pseudonyms:
    """What makes pseudonyms of names."""

    key: bytes

    @property
    def fingerprint(self) -> str:
        """Tells whether two audits used one key, and nothing of it."""
        return hmac.digest(self.key, b"fingerprint", "sha256").hex()[:16]

    def of(self, name: str) -> str:
        """The pseudonym of a name, to the letter; blank where nobody is named."""
        if not name:
            return name
        digest = hmac.digest(self.key, b"person\0" + name.encode("utf-8", "surrogatepass"), "sha256")
        return "P-" + b32encode(digest).decode("ascii")[:_LETTERS]


def load(path: Path) -> Pseudonyms:
    """The key in a file, without white space at its ends. Raises UsageError."""
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        raise UsageError(f"key file {path}: {error.strerror}") from error
    if len(key) < _LEAST:
        raise UsageError(f"key file {path}: the key has {len(key)} bytes; at least {_LEAST} are needed")
    return Pseudonyms(key)


def people_columns(pack: Pack) -> list[Column]:
    """The columns that name staff and patrons."""
    roles = {pack.roles.responsible, pack.roles.player}
    return [
        column
        for column in pack.columns
        if column.name not in ("", pack.roles.event_id)
        and (column.name in roles or column.person or column.of_names or column.renamed)
        and column.coded
    ]


def _renamed(column: Column, text: str, pseudonyms: Pseudonyms) -> str:
    if column.renamed is not None:
        return column.renamed(text, pseudonyms.of)
    if column.of_names:
        return "|".join(pseudonyms.of(name) for name in text.split("|"))
    return pseudonyms.of(text)


def of_blanks(blank: Mapping[str, str], pack: Pack, pseudonyms: Pseudonyms) -> dict[str, str]:
    """What the house says that blank cells mean, where that may be somebody's name."""
    people = {name: column for column in people_columns(pack) for name in (column.name, column.field)}
    return {name: _renamed(people[name], text, pseudonyms) if name in people else text for name, text in blank.items()}


def put_in_place(events: Events, pseudonyms: Pseudonyms) -> None:
    """Give all people of the audit their pseudonyms, and withhold what may name one."""
    names = {column.name: column for column in people_columns(events.pack)}
    known: set[str] = set()
    for name, column in names.items():
        if name in events.ids:
            texts: list[str] = events.ids[name].texts.to_pylist()
            known.update(texts)
            events.ids[name].texts = pa.array([_renamed(column, text, pseudonyms) for text in texts], pa.string())
    events.unreadable[:] = [
        replace(cell, text=_cleared(cell.text, known, pseudonyms, cell.column in names)) for cell in events.unreadable
    ]


def _cleared(text: str, known: set[str], pseudonyms: Pseudonyms, names_people: bool) -> str:
    """The text of a cell that cannot be read: numbers and signs only, since words may be a name in the wrong column."""
    if names_people or text in known:
        return pseudonyms.of(text)
    return WITHHELD if any(character.isalpha() for character in text) else text


def cell(pack: Pack, column: str, text: str, pseudonyms: Pseudonyms) -> str:
    """A cell of a log as it may be told: names by their pseudonyms, no free text."""
    names = {own.name: own for own in people_columns(pack)}
    if column in names:
        return _renamed(names[column], text, pseudonyms)
    known = pack.by_name.get(column)
    return WITHHELD if text and (known is None or known.kind is Kind.TEXT) else text


def withheld(row: QuarantinedRow, pseudonyms: Pseudonyms) -> QuarantinedRow:
    """A row set aside without its content: why, in general, and a keyed digest by which its bytes can be told."""
    digest = hmac.digest(pseudonyms.key, b"row\0" + row.raw, "sha256").hex()
    return replace(row, reason=row.kind, raw=f"{WITHHELD} HMAC-SHA-256 {digest}".encode(), encoding="utf-8")


def as_read(events: Events, desk: Desk, rows: set[int]) -> Mapping[int, str]:
    """In place of a log's own lines: what was read of each of the rows, without free text."""
    wanted = np.array(sorted(rows), dtype=np.int64)
    lines: dict[int, str] = {}
    for stored in events.blocks:
        here = wanted[(wanted >= stored.start) & (wanted < stored.start + stored.size)]
        if not len(here):
            continue
        loaded = stored.loaded()
        batch = Batch(
            events.pack, stored.start, stored.size, loaded.arrays, loaded.unreadable, frozenset(), events.pack.numbers
        )
        batch.texts_of = events.text_column
        at = pa.array(here - stored.start)
        told = _columns(events.pack, desk.teller(batch, loaded), batch, at)
        for place, row in enumerate(here.tolist()):
            lines[row] = "; ".join(f"{name} = {values[place]}" for name, values in told if values[place])
    return lines


def _columns(pack: Pack, teller: Any, batch: Batch, at: Any) -> list[tuple[str, list[str]]]:
    told = []
    for column in pack.columns:
        if column.name in batch.arrays and column.kind is not Kind.TEXT and not column.derived:
            filled = batch.column(column.name).filled.array.take(at).to_pylist()
            said = teller.column(column, at).to_pylist()
            told.append(
                (column.name, [text if is_filled else "" for text, is_filled in zip(said, filled, strict=True)])
            )
    return told
