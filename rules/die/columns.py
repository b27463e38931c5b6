"""The layout of a Die log: one row a toss; what belongs to the game stands on its rows again."""

from __future__ import annotations

import re

from rules.catalogue import Catalogue
from rules.die import notation
from rules.kit import Column, Kind, Roles

TEAMS = ("A", "B")
HANDS = ("1h", "2h", "body", "obj")

CATALOGUE = Catalogue("rules.die")

#: What belongs to the game: the first recorded value counts.
OF_GAME = ("team_a", "team_b", "min_height", "roll_a", "roll_b", "choice", "log_scope", "start_a", "start_b")


def _team(cell: str) -> str | None:
    """``Team A``, ``team_b``: a team's letter."""
    match = re.fullmatch(r"team[\s_-]*([ab])", cell.strip().casefold())
    return match[1].upper() if match else None


COLUMNS: tuple[Column, ...] = (
    Column("game_id", Kind.ID, required=True),
    Column("toss", Kind.INT, required=True, least=0),
    Column("tossed_at", Kind.TIME),
    Column("site", Kind.ID),
    Column("table", Kind.ID),
    Column("referee", Kind.ID),
    Column("team_a", Kind.NOTATION, grammar=notation.players, of_names=True, catalogue=CATALOGUE),
    Column("team_b", Kind.NOTATION, grammar=notation.players, of_names=True, catalogue=CATALOGUE),
    Column(
        "min_height",
        Kind.NOTATION,
        grammar=notation.height,
        renamed=notation.height_renamed,
        catalogue=CATALOGUE,
    ),
    Column("roll_a", Kind.NOTATION, grammar=notation.rolls, catalogue=CATALOGUE),
    Column("roll_b", Kind.NOTATION, grammar=notation.rolls, catalogue=CATALOGUE),
    Column("choice", Kind.CHOICE, ("first", "side")),
    Column("log_scope", Kind.CHOICE, ("complete", "partial")),
    Column("start_a", Kind.INT, least=0),
    Column("start_b", Kind.INT, least=0),
    Column("thrower", Kind.ID),
    Column("height", Kind.CHOICE, ("ok", "low")),
    Column("challenge", Kind.CHOICE, TEAMS, spellings=_team),
    Column("path", Kind.NOTATION, grammar=notation.path, catalogue=CATALOGUE),
    Column("catch_by", Kind.ID, person=True),
    Column("catch_how", Kind.CHOICE, HANDS),
    Column("over_table", Kind.BOOL),
    Column(
        "fifa",
        Kind.NOTATION,
        grammar=notation.touches,
        of_names=True,
        renamed=notation.touches_renamed,
        catalogue=CATALOGUE,
    ),
    Column("points_a", Kind.INT),
    Column("points_b", Kind.INT),
    Column("score_a", Kind.INT),
    Column("score_b", Kind.INT),
    Column("winner", Kind.CHOICE, TEAMS, spellings=_team),
    Column("toss_id", Kind.ID, derived=True),
)

ROLES = Roles(
    event_id="toss_id",
    table="table",
    time="tossed_at",
    seq="toss",
    group="game_id",
    scope="game_id",
    responsible="referee",
    player="thrower",
    judged="thrower",
)
