"""Findings of chosen rows: the sentences come from outside, the event's own columns are looked up here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.findings import WORKING
from audit.numbered import rank_by_game
from audit.reading.events import Events, Stored
from audit.telling import Teller, Words, clause_in_full, few, iso_times_where_known
from rules import log_integrity
from rules.batch import Batch
from rules.kit import Disposition, Pack, Rule
from rules.placing import Placing


class Desk:
    """What is the same for all findings of one audit: words, texts of ids, dispositions, titles."""

    def __init__(self, events: Events, placing: Callable[[], Placing]) -> None:
        self.events = events
        self._placing = placing
        self.words = Words(events.pack, log_integrity.CATALOGUE)

    @property
    def pack(self) -> Pack:
        return self.events.pack

    @cached_property
    def texts(self) -> Mapping[str, Any]:
        """The texts behind the codes of each id column."""
        return {name: self.events.text_column(name) for name in self.events.ids}

    @cached_property
    def rank(self) -> Any:
        """The place of each event in the order of findings, where that is not its time: by game, then by number.

        Games come in the order of their first known times, then of their names; ``None`` where every event has a time.
        """
        if not self.pack.numbered:
            return None
        return rank_by_game(self._placing(), self.events.text_column(self.pack.roles.order), self.events)

    def identity(self, rows: Any, is_open: bool) -> Any:
        """What tells findings of one rule and id apart: of events that share it, and a breach from an open question."""
        nothing = pa.nulls(len(rows), pa.string())
        if not self.pack.numbered:
            return nothing
        first, again = ("open", "again, open") if is_open else (None, "again")
        shares = pa.array(self._placing().shares_id[rows])
        return pc.if_else(shares, pa.scalar(again), pa.scalar(first, pa.string()))

    def apart(self, identity: Any, rows: Any) -> Any:
        """An identity of findings, told apart on events that share an id."""
        shares = self._placing().shares_id[rows]
        if not shares.any():
            return identity
        again = pc.binary_join_element_wise(identity, pa.scalar("again"), pa.scalar(", "))
        return pc.if_else(pa.array(shares), again, identity)

    def teller(self, batch: Batch, stored: Stored) -> Teller:
        return Teller(self.words, batch, stored.offset, self.texts.__getitem__)

    def disposition(self, rule: Rule) -> Disposition:
        """The rule's disposition, or the graver one that the house has given it."""
        return self.events.profile.dispositions.get(rule.code, rule.disposition)

    def title(self, rule: Rule, disposition: Disposition) -> str:
        """The heading of a finding: of one that cannot be told the rule's question, since a breach's would accuse."""
        own = disposition is self.disposition(rule)
        return self.words.rule(rule.code, "title" if own else "question")


@dataclass(frozen=True)
class Told:
    """What is said of ``rows`` (places in a block) under one rule: ``said`` holds message, expected and recorded.

    ``of_game``: it is of the game as a whole, and bears its id. ``identity`` tells findings of one rule and id apart.
    """

    rule: Rule
    disposition: Disposition
    rows: Any
    parts: Any
    said: Mapping[str, Any]
    identity: Any = None
    of_game: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError where a pack's message is not of these rows: it would stand on other findings."""
        for name, texts in {**self.said, "part": self.parts, "identity": self.identity}.items():
            if texts is not None and len(texts) != len(self.rows):
                raise ValueError(f"{self.rule.code}: {len(self.rows)} findings, but {len(texts)} texts of {name}")
            if name in self.said and texts.type != pa.string():
                raise ValueError(f"{self.rule.code}: {name} is no text")


def findings_of(desk: Desk, stored: Stored, told: Sequence[Told]) -> Any:
    """Findings of one block: what is said of its events, beside the events' own columns, looked up once for all."""
    if not told:
        return WORKING.empty_table()
    pack, roles = desk.pack, desk.pack.roles
    sizes = [len(one.rows) for one in told]
    rows = pa.concat_arrays([one.rows.cast(pa.int64()) for one in told])
    places = rows.to_numpy()
    of_game = np.repeat([one.of_game for one in told], sizes)

    def same(texts: Sequence[str]) -> Any:
        coded = pa.array(texts, pa.string()).dictionary_encode()  # each text once: findings are counted by code
        return pa.DictionaryArray.from_arrays(np.repeat(coded.indices.to_numpy(), sizes), coded.dictionary)

    def text_of(name: str) -> Any:
        array = stored.arrays.get(name) if name else None
        if array is None:
            return pa.nulls(len(rows), pa.string())
        taken = array.take(rows)
        return desk.texts[name].take(taken) if name in desk.events.ids else taken.cast(pa.string())

    def few_of(name: str) -> Any:
        array = stored.arrays.get(name) if name else None
        if array is not None and name in desk.events.ids:
            return pa.DictionaryArray.from_arrays(array.take(rows), desk.texts[name])
        return text_of(name).dictionary_encode()

    def said(key: str) -> Any:
        return pa.chunked_array([one.said[key] for one in told])

    time, seq = stored.arrays.get(roles.time), stored.arrays.get(roles.seq)
    known = pa.nulls(len(rows), pa.int64()) if time is None else time.take(rows).cast(pa.int64())
    event_id, group = text_of(roles.event_id), text_of(roles.group)
    number = pa.nulls(len(rows), pa.int64()) if seq is None else seq.take(rows)
    if of_game.any():
        event_id = pc.if_else(pa.array(of_game), group, event_id)
        number = pc.if_else(pa.array(of_game), pa.scalar(None, pa.int64()), number)
    columns = {
        "finding_id": pa.nulls(len(rows), pa.string()),
        "pack": few(pack.name, len(rows)),
        "rule": same([one.rule.code for one in told]),
        "clause": same([clause_in_full(pack, one.rule) for one in told]),
        "disposition": same([one.disposition.value for one in told]),
        "title": same([desk.title(one.rule, one.disposition) for one in told]),
        "message": said("message"),
        "expected": said("expected"),
        "recorded": said("recorded"),
        "event_id": event_id,
        "part": pa.chunked_array([one.parts for one in told]),
        "site": few_of(roles.site),
        "table": few_of(roles.table),
        "day": few_of(roles.day),
        "group": group,
        "seq": number,
        "occurred_at": iso_times_where_known(known, stored.offset[places]),
        "responsible": few_of(roles.responsible),
        "player": text_of(roles.player),
        "source_file": few(desk.events.files[stored.file].label, len(rows)),
        "source_line": pa.array(stored.lines[places]),
        "evidence": text_of(roles.evidence),
        "row": pa.array(places + stored.start),
        "instant": known if desk.rank is None else pa.array(desk.rank[places + stored.start]),
        "identity": pa.chunked_array([_identity(desk, stored, one) for one in told]),
    }
    return pa.table(columns, schema=WORKING).unify_dictionaries()


def _identity(desk: Desk, stored: Stored, one: Told) -> Any:
    if one.identity is not None:
        return one.identity
    return desk.identity(one.rows.to_numpy() + stored.start, one.disposition is Disposition.INDETERMINATE)
