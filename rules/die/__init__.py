"""Rule pack ``die``: the game of Die, a variant of beer die, by the page "Règles du Die"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rules.batch import Batch
from rules.catalogue import Catalogue
from rules.die import clauses_game, clauses_points
from rules.die.columns import COLUMNS, ROLES
from rules.die.games import apart, games
from rules.die.options import OPTIONS
from rules.die.results import for_scope
from rules.die.sections import sections
from rules.die.toss import Toss
from rules.kit import Pack
from rules.numbers import Numbers
from rules.sampling import Sampler


def _sampler() -> Sampler:
    from rules.die.sampling import sample

    return sample


def _ids(batch: Batch) -> Mapping[str, Any]:
    """The id of a toss: its game and its number; of a row without a number, its game."""
    game = batch.texts("game_id").take(batch.column("game_id").array)
    toss = batch.column("toss").array.cast(pa.string())
    together = pc.binary_join_element_wise(game, toss, "#")
    return {"toss_id": pc.coalesce(together, game)}


def _in_order() -> tuple[Any, ...]:
    rules = (*clauses_game.OPENING, *clauses_points.RULES, *clauses_game.END, *clauses_game.BOOKS)
    return tuple(sorted(rules, key=lambda rule: rule.code))


PACK = Pack(
    name="die",
    edition="2026.1",
    columns=COLUMNS,
    roles=ROLES,
    parts=(),
    rules=_in_order(),
    catalogue=Catalogue(__name__),
    numbers=Numbers(__name__),
    view=Toss,
    options=OPTIONS,
    sampler=_sampler,
    derived=_ids,
    games=games,
    apart=apart,
    variant=for_scope,
    sections=sections,
)

__all__ = ["PACK"]
