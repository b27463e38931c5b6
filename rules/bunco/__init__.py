"""Rule pack ``bunco``: the rules of Bunco, with the travelling and the wipeout variation."""

from collections.abc import Mapping
from dataclasses import replace

from rules.bunco.clauses import RULES, Row
from rules.bunco.columns import CATALOGUE, COLUMNS, CRITICAL, ROLES, ROLL
from rules.bunco.games import derived, games
from rules.bunco.options import OPTIONS
from rules.bunco.sections import sections
from rules.kit import Pack
from rules.numbers import Numbers
from rules.sampling import Sampler
from rules.truth import Choice, Truth


def _is_roll(row: Row) -> Truth:
    kind = row.batch.column("kind")
    assert isinstance(kind, Choice)
    return kind.among(kind.words[ROLL])


def _also_judged_by(row: Row) -> Mapping[str, Truth]:
    """A roll whose round or table neither stands there nor follows from its neighbors or its player's seat."""
    unplaced = row.batch.fact("unplaced")
    return {
        "table": unplaced & row.batch.column("table").blank & row.batch.logs_truth("table"),
        "round": unplaced & row.batch.column("round").blank & row.batch.logs_truth("round"),
    }


def _variant(pack: Pack) -> Pack:
    """With a running number for each table, order and gaps are those of game and table."""
    scope = "game_and_table" if pack.house["seq_by_table"] else "game_id"
    return replace(pack, roles=replace(pack.roles, scope=scope))


def _sampler() -> Sampler:
    from rules.bunco.sampling import sample

    return sample


PACK = Pack(
    name="bunco",
    edition="2026.1",
    columns=COLUMNS,
    roles=ROLES,
    parts=(),
    rules=RULES,
    catalogue=CATALOGUE,
    numbers=Numbers(__name__),
    view=Row,
    derived=derived,
    games=games,
    is_judged=_is_roll,
    also_judged_by=_also_judged_by,
    variant=_variant,
    options=OPTIONS,
    critical=CRITICAL,
    sampler=_sampler,
    sections=sections,
)

__all__ = ["PACK"]
