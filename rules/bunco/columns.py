"""The layout of a Bunco evening's log: one table of events, in which ``kind`` says what a row is."""

from __future__ import annotations

import re

from rules.catalogue import Catalogue
from rules.kit import Column, Kind, Roles

CATALOGUE = Catalogue("rules.bunco")

DICE = ("d1", "d2", "d3")

KINDS = ("draw", "seat", "roll", "bell", "result", "rolloff", "move", "marker", "prize")
DRAW, SEAT, ROLL, BELL, RESULT, ROLLOFF, MOVE, MARKER, PRIZE = range(len(KINDS))

CATEGORIES = ("highest", "buncos", "wins", "losses", "wipeouts", "first_bunco")
HIGHEST, BUNCOS, WINS, LOSSES, WIPEOUTS, FIRST_BUNCO = range(len(CATEGORIES))

HEAD = 1

_TABLE = re.compile(r"(?:table|tisch|mesa)?\s*#?\s*(\d{1,3})", re.IGNORECASE)
_HEAD = frozenset({"head", "headtable", "h"})


def table_number(cell: str) -> str | None:
    """A table as people write it, ``Head`` or ``Table 3``, as its number; ``None`` where it is neither.

    The head table is table 1; its sign says Head, and those of the others Table 2, Table 3.
    """
    if re.sub(r"[\s_-]", "", cell.casefold()) in _HEAD:
        return str(HEAD)
    match = _TABLE.fullmatch(cell.strip())
    return match[1] if match else None


def player_list(cell: str) -> str | None:
    """Players as they are listed in a cell, in their order, with one sign between them; ``None`` where nobody is."""
    people = [" ".join(name.split()) for name in re.split(r"[|;,]", cell)]
    return "|".join(name for name in people if name) or None


def _players(name: str) -> Column:
    return Column(name, Kind.NOTATION, grammar=player_list, of_names=True, catalogue=CATALOGUE)


def _table(name: str) -> Column:
    return Column(name, Kind.INT, spellings=table_number, least=0, catalogue=CATALOGUE)


COLUMNS: tuple[Column, ...] = (
    Column("site", Kind.ID),
    Column("game_id", Kind.ID, required=True),
    Column("seq", Kind.INT, required=True, least=0),
    Column("kind", Kind.CHOICE, KINDS, required=True),
    Column("at", Kind.TIME),
    Column("scorer", Kind.ID),
    Column("round", Kind.INT, least=0),
    _table("table"),
    _players("player"),
    *(Column(name, Kind.FACE) for name in DICE),
    Column("points", Kind.INT),
    Column("team_total", Kind.INT),
    Column("called", Kind.BOOL),
    _players("opponents"),
    Column("score", Kind.INT),
    Column("opponent_score", Kind.INT),
    _table("from_table"),
    _table("to_table"),
    _table("card"),
    Column("category", Kind.CHOICE, CATEGORIES),
    Column("value", Kind.INT),
    Column("camera_ref", Kind.TEXT),
    Column("note", Kind.TEXT),
    Column("row_id", Kind.ID, derived=True),
    Column("place", Kind.ID, derived=True),
    Column("game_and_table", Kind.ID, derived=True),
)

ROLES = Roles(
    event_id="row_id",
    table="place",
    time="at",
    group="game_id",
    responsible="scorer",
    player="player",
    evidence="camera_ref",
    judged="player",
    scope="game_id",
)

#: Unreadable, it keeps a row out of the list of indeterminate findings: everything hangs on it.
CRITICAL = ("round",)
