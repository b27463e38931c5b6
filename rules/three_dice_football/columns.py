"""The layout of a Three Dice Football throw log."""

from __future__ import annotations

import re

from rules.kit import Column, Kind, Roles

DICE = ("off1", "off2", "def")

RULINGS = ("valid", "no_roll", "invalid", "void")
RESTS = ("layout", "cocked", "chips", "bank", "cup", "rail", "on_die", "off_table")
GROUNDS = ("c1", "c2", "c3", "c4", "c5", "c6", "chips", "other")

_CLAUSE = re.compile(r"(?:(?:58pacode)?§*661a5)?\(?c\)?\(?([1-6])\)?")


def ground(cell: str) -> str | None:
    """A ground of (c) as people write it, ``(c)(2)``, ``C2`` or ``661a.5(c)(2)``; ``None`` where it is none of them.

    A bare number is not taken for a ground: it could be a face or a count.
    """
    folded = re.sub(r"[\s._-]", "", cell.casefold())
    match = _CLAUSE.fullmatch(folded)
    return f"c{match[1]}" if match else None


def _die(name: str) -> tuple[Column, ...]:
    def column(field: str, kind: Kind, words: tuple[str, ...] = (), none_is_value: bool = False) -> Column:
        return Column(f"{name}_{field}", kind, words, part=name, none_is_value=none_is_value)

    return (
        column("die", Kind.ID),
        column("color", Kind.CHOICE, ("green", "red")),
        column("hit_far_end", Kind.BOOL),
        column("left_table", Kind.BOOL),
        column("rest", Kind.CHOICE, RESTS),
        column("resting_sides", Kind.FACES, none_is_value=True),
        column("observed", Kind.FACE),
        column("called", Kind.FACES, none_is_value=True),
    )


COLUMNS: tuple[Column, ...] = (
    Column("site", Kind.ID),
    Column("table", Kind.ID, required=True),
    Column("gaming_day", Kind.DATE),
    Column("throw_id", Kind.ID, required=True),
    Column("seq", Kind.INT),
    Column("round", Kind.ID),
    Column("thrown_at", Kind.TIME, required=True),
    Column("at_rest_at", Kind.TIME),
    Column("called_at", Kind.TIME),
    Column("collected_at", Kind.TIME),
    Column("settled_at", Kind.TIME),
    Column("passed_at", Kind.TIME),
    Column("stickperson", Kind.ID),
    Column("quarterback", Kind.ID),
    Column("released_together", Kind.BOOL),
    Column("touched_chips", Kind.BOOL),
    Column("device_suspected", Kind.BOOL),
    Column("ruling", Kind.CHOICE, RULINGS),
    Column("ruling_by", Kind.CHOICE, ("stickperson", "other")),
    Column("no_roll_grounds", Kind.CHOICES, GROUNDS, spellings=ground),
    Column("disputed", Kind.BOOL),
    Column("dispute_about", Kind.CHOICE, ("face", "other")),
    Column("dispute_dice", Kind.CHOICES, DICE),
    Column("dispute_ruling", Kind.CHOICE, ("face", "void")),
    Column("settlement", Kind.CHOICE, ("settled", "not_settled", "none_decided")),
    Column("dice_centered", Kind.BOOL),
    Column("stick_used", Kind.BOOL),
    Column("rethrow_of", Kind.ID),
    Column("dice_set", Kind.ID),
    Column("set_opened_at", Kind.TIME),
    Column("die_lost", Kind.BOOL),
    Column("camera_ref", Kind.TEXT),
    Column("note", Kind.TEXT),
    *_die("off1"),
    *_die("off2"),
    *_die("def"),
)

ROLES = Roles(
    event_id="throw_id",
    table="table",
    time="thrown_at",
    day="gaming_day",
    group="round",
    responsible="stickperson",
    player="quarterback",
    evidence="camera_ref",
    judged="ruling",
    names_event="rethrow_of",
)

#: Unreadable, these keep a throw out of the list of indeterminate findings: nearly everything hangs on them.
CRITICAL = ("ruling", "die_lost", "rest", "left_table", "resting_sides")
