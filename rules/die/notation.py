"""What stands in the cells of a Die log: lists of players, rolls, the path of the die, the touches of a FIFA."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

#: What the die may touch on its way, as the log writes it.
CONTACTS = ("F", "O", "L", "f", "o", "M", "b", "K")
#: Into a glass, far or own: the way ends there.
SINKS = ("SF", "SO")
ENDINGS = ("G", "C", "T", "R", "?")
NOT_RECORDED = "?"

LEGAL_PARTS = (
    "foot",
    "ankle",
    "heel",
    "shin",
    "knee",
    "thigh",
    "hip",
    "torso",
    "chest",
    "stomach",
    "back",
    "shoulder",
    "neck",
    "head",
)
ILLEGAL_PARTS = ("hand", "fingers", "palm", "wrist", "forearm", "elbow", "arm", "upper arm")

_PLAYERS = re.compile(r"[|;,]")
_ROLLS = re.compile(r"\s*[|/;+,]\s*|\s+")
_FACE = re.compile(r"[1-6](?:\.0+)?")


#: A height in numbers and units alone.
_MEASURE = re.compile(r"(?:\b(?:m|cm|ft|feet|foot|in|inch|inches|and)\b|[\d\s.,/'\"-])+")


def players(text: str) -> str | None:
    """A list of players, split at ``|``, ``;`` and ``,`` only, each once, in alphabetical order."""
    names = sorted({name.strip() for name in _PLAYERS.split(text) if name.strip()})
    return "|".join(names) or None


def rolls(text: str) -> str | None:
    """Rolls of the die in their order, ``3|5``; ``None`` where one of them is no face."""
    faces = [face for face in _ROLLS.split(text.strip()) if face]
    if not faces or not all(_FACE.fullmatch(face) for face in faces):
        return None
    return "|".join(face[0] for face in faces)


def path(text: str) -> str | None:
    """The way of the die with its ending (``?`` where none is recorded); ``None`` where it is no way of a die.

    Contacts come first, then one ending; a sink is one itself; ``M`` (an air ball) stands first or nowhere.
    """
    steps = [step.strip() for step in text.split(">")]
    ending = steps[-1]
    if ending not in SINKS and ending not in ENDINGS:
        steps.append(NOT_RECORDED)
    *contacts, ending = steps
    known = all(step in CONTACTS for step in contacts) and "M" not in contacts[1:]
    return ">".join(steps) if known and (contacts or ending in SINKS) else None


def height(text: str) -> str | None:
    """The height agreed, as it is written."""
    return " ".join(text.split())


def height_renamed(text: str, rename: Callable[[str], str]) -> str:
    """The same height; in other words than numbers and units it may be somebody's (``Ann's reach``)."""
    return text if _MEASURE.fullmatch(text.casefold()) else rename(text)


@dataclass(frozen=True)
class Touch:
    """One touch of a FIFA: by whom, with what part of the body (folded; blank where none is recorded)."""

    player: str
    part: str


def folded_part(text: str) -> str:
    return " ".join(re.split(r"[\s_-]+", text.strip().casefold())).strip()


def touches(text: str) -> str | None:
    """The touches of a FIFA, ``B1.foot>B2.knee``; ``None`` where one has no player or no part."""
    told = [step.strip().rpartition(".") for step in text.split(">")]
    if not all(dot and player.strip() for player, dot, _ in told):
        return None
    return ">".join(f"{player.strip()}.{folded_part(part)}" for player, _, part in told)


def touches_renamed(spelling: str, rename: Callable[[str], str]) -> str:
    """The same touches by players of other names."""
    return ">".join(f"{rename(touch.player)}.{touch.part}" for touch in read_touches(spelling))


def read_touches(spelling: str) -> tuple[Touch, ...]:
    """The touches behind their one spelling."""
    told = [step.rpartition(".") for step in spelling.split(">")]
    return tuple(Touch(player, part) for player, _, part in told)
