"""The log itself, whatever the game: LOG-1 to LOG-7. Every pack has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rules.batch import Batch
from rules.catalogue import Catalogue
from rules.kit import DISCREPANCY, INDETERMINATE, OBSERVATION, Per, Rule, Verdict, rule
from rules.truth import Truth, any_of

CATALOGUE = Catalogue("rules")
CLAUSE = "log"


def _everything(batch: Batch) -> Truth:
    return Truth.constant(batch.size, True)


def _of_rows(batch: Batch, rows: Any) -> np.ndarray[Any, Any]:
    """A mask over the batch from rows of the whole audit."""
    mask = np.zeros(batch.size, dtype=bool)
    mask[[row - batch.start for row in rows if batch.start <= row < batch.end]] = True
    return mask


def _texts(batch: Batch, by_row: Mapping[int, Any]) -> Callable[[Any], Any]:
    """What is said of some rows, by their places in the whole audit, as text."""

    def texts(rows: Any) -> Any:
        return pa.array([str(by_row[row]) for row in (rows.to_numpy() + batch.start).tolist()], pa.string())

    return texts


@rule("LOG-1", CLAUSE, DISCREPANCY)
def id_stands_twice(batch: Batch) -> Verdict:
    """An event id stands once in the audited set of a site."""
    return Verdict(_everything(batch), batch.place_truth(batch.placed.duplicate))


@rule("LOG-2", CLAUSE, DISCREPANCY)
def numbers_missing(batch: Batch) -> Verdict:
    """The running numbers of a table and gaming day have no gap."""
    missing = batch.placed.missing_before
    return Verdict(
        batch.place_truth(batch.placed.follows_by_seq),
        Truth.of_mask(_of_rows(batch, missing)),
        details={"range": _texts(batch, missing)},
    )


@rule("LOG-3", CLAUSE, DISCREPANCY)
def time_runs_backward(batch: Batch) -> Verdict:
    """By running number, time does not run backward."""
    return Verdict(batch.place_truth(batch.placed.timed), batch.place_truth(batch.placed.backward))


def time_runs_backward_after(batch: Batch) -> Truth:
    """LOG-3 is breached by the next event at the table."""
    placed = batch.placed
    following = placed.next[batch.start : batch.end]
    return Truth.of_mask((following >= 0) & placed.backward[np.maximum(following, 0)])


@rule("LOG-4", CLAUSE, OBSERVATION)
def nobody_named(batch: Batch) -> Verdict:
    """Each event names the person responsible; one finding a table and gaming day."""
    placed = batch.placed
    responsible = batch.pack.roles.responsible
    nameless = batch.place_truth(placed.nameless)
    first = Truth.of_mask(_of_rows(batch, placed.nameless_first))
    applies = batch.logs_truth(responsible) & (~nameless | first)
    return Verdict(applies, nameless, details={"number": _texts(batch, placed.nameless_first)})


@rule("LOG-6", CLAUSE, DISCREPANCY)
def number_stands_twice(batch: Batch) -> Verdict:
    """A running number stands once in a table and gaming day."""
    numbered = batch.column(batch.pack.roles.seq).known & ~batch.place_truth(batch.placed.shares_id)
    return Verdict(numbered, batch.place_truth(batch.placed.seq_twice))


@rule("LOG-7", CLAUSE, INDETERMINATE)
def nothing_to_judge(batch: Batch) -> Verdict:
    """The fact from which an event is judged is recorded."""
    missing = unjudgeable(batch)
    judged = batch.pack.roles.judged

    def names(rows: Any) -> Any:
        told = pa.scalar(judged)
        for name, where in missing.items():
            told = pc.if_else(where.surely.array.take(rows), pa.scalar(name), told)
        return told

    return Verdict(
        (batch.logs_truth(judged) | any_of(missing.values())) & is_judged(batch),
        any_of(missing.values()),
        details={"judged": names},
    )


def unjudgeable(batch: Batch) -> dict[str, Truth]:
    """Where a fact by which events are judged is missing, by its name; last the one that is named first."""
    pack = batch.pack
    also = dict(pack.also_judged_by(pack.view(batch))) if pack.also_judged_by else {}
    judged = pack.roles.judged
    return also | {judged: batch.column(judged).blank & batch.logs_truth(judged)}


def is_judged(batch: Batch) -> Truth:
    """The event is one that the pack judges from that fact."""
    pack = batch.pack
    return pack.is_judged(pack.view(batch)) if pack.is_judged else _everything(batch)


#: LOG-5 looks at each cell as it is read, and so has no test over columns.
UNREADABLE_CELL = Rule("LOG-5", CLAUSE, DISCREPANCY, Per.CELL, None)

RULES: tuple[Rule, ...] = (
    id_stands_twice,
    numbers_missing,
    time_runs_backward,
    nobody_named,
    UNREADABLE_CELL,
    number_stands_twice,
    nothing_to_judge,
)
