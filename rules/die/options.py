"""What a house may set for its games of Die, and the same as one typed thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from rules.die.notation import LEGAL_PARTS, folded_part
from rules.options import Option

UNLIMITED = "unlimited"

OPTIONS = (
    Option("target", default=9, least=1),
    Option("win_by", default=1, least=1),
    Option("fifa", default=True, flag=True),
    Option("fifa_points", default=2, least=1),
    Option("fifa_min_passes", default=2, least=0),
    Option("fifa_brink", words=("cap", "void", "hold")),
    Option("fifa_catch_completes_pass", default=True, flag=True),
    Option("fifa_parts", default=LEGAL_PARTS, texts=True),
    Option("challenge_scope", default="per_team", words=("per_team", "per_game")),
    Option("challenges", default=1, least=0, words=(UNLIMITED,)),
    Option("challenge_effect", default="redo", words=("redo", "redo_if_low")),
    Option("low_toss", default="no_points", words=("no_points", "redo")),
    Option("sink_survives_low", default=False, flag=True),
    Option("sink_value", default="game", words=("game",), least=1),
    Option("tink_needs_table", default=False, flag=True),
    Option("illegal_catch_value", words=("toss_value", "one")),
    Option("over_table_catch", default="as_uncaught", words=("as_uncaught", "one")),
    Option("short_trap", default="none", words=("none", "attack_point")),
    Option("short_into_far_glass", words=("attack_wins", "dead")),
    Option("rebound_self_sink", default="defence_wins", words=("defence_wins",), unset=True),
    Option("line", words=("short", "far", "redo")),
    Option("turn_order", words=("alternate", "pairs")),
    Option("side_winner_may_throw_first", default=False, flag=True),
    Option("max_score", default=False, flag=True),
    Option("scope", default="full", words=("full", "results")),
)


@dataclass(frozen=True)
class House:
    """The options in force. ``None`` is unset: what hangs on it cannot be told."""

    target: int
    win_by: int
    fifa: bool
    fifa_points: int
    fifa_min_passes: int
    fifa_brink: str | None
    fifa_catch_completes_pass: bool
    fifa_parts: tuple[str, ...]
    challenge_scope: str
    challenges: int | str
    challenge_effect: str
    low_toss: str
    sink_survives_low: bool
    sink_value: int | str
    tink_needs_table: bool
    illegal_catch_value: str | None
    over_table_catch: str
    short_trap: str
    short_into_far_glass: str | None
    rebound_self_sink: str | None
    line: str | None
    turn_order: str | None
    side_winner_may_throw_first: bool
    max_score: bool

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> House:
        """From the options in force; those that are missing are as they are unless set."""
        chosen = {option.name: values.get(option.name, option.default) for option in OPTIONS}
        chosen["fifa_parts"] = tuple(folded_part(part) for part in chosen["fifa_parts"])
        return cls(**{field.name: chosen[field.name] for field in fields(cls)})

    @property
    def sink_points(self) -> int | None:
        """Points of a sink where it is worth points; ``None`` where it wins the game."""
        return self.sink_value if isinstance(self.sink_value, int) else None

    @property
    def contests(self) -> int:
        """How often a team (or the game) may contest a throw."""
        return self.challenges if isinstance(self.challenges, int) else 1 << 30
