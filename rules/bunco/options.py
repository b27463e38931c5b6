"""What a house may set for its Bunco evenings (profile, table ``[house]``)."""

from __future__ import annotations

from dataclasses import dataclass

from rules.options import Option


@dataclass(frozen=True)
class House:
    """The variant that is played and what the house logs; the defaults are the page's game.

    ``tables`` 0: as many as the log shows. ``rounds`` 0: six, five with ``wipeout``. ``head_losers_to`` 0: as the
    movement scheme says. ``three_of_a_kind`` 0: no points, and the dice pass.
    """

    wipeout: bool = False
    travelling: bool = False
    finish_turn: bool = False
    three_ends_turn: bool = False
    bell_by_scorer: bool = False
    seq_by_table: bool = False
    bells_logged: bool = True
    rolloffs_logged: bool = True
    tables: int = 0
    players_per_table: int = 4
    rounds: int = 0
    head_target: int = 21
    bunco_points: int = 21
    three_of_a_kind: int = 5
    head_scope: str = "team"
    movement: str = "text"
    head_losers_to: int = 0
    wipeout_scope: str = "player"
    unshouted_bunco: str = "counts"
    direction: str = "left"
    scope: str = "full"

    @property
    def last_round(self) -> int:
        """The number of the last round."""
        return self.rounds or (5 if self.wipeout else 6)

    def target(self, number: int) -> int:
        """The face that round ``number`` asks for: ones in the first, twos in the second; with wipeout from twos on."""
        first = 2 if self.wipeout else 1
        return (number - 1) % (7 - first) + first

    @property
    def silent_buncos_are_void(self) -> bool:
        """A bunco that was not shouted is worth nothing."""
        return self.travelling and self.unshouted_bunco == "void"

    @property
    def results_only(self) -> bool:
        """The house logs score sheets without rolls."""
        return self.scope == "results"


def _flag(name: str, default: bool = False) -> Option:
    return Option(name, default=default, flag=True)


OPTIONS: tuple[Option, ...] = (
    _flag("wipeout"),
    _flag("travelling"),
    _flag("finish_turn"),
    _flag("three_ends_turn"),
    _flag("bell_by_scorer"),
    _flag("seq_by_table"),
    _flag("bells_logged", True),
    _flag("rolloffs_logged", True),
    Option("tables", least=1),
    Option("players_per_table", default=4, least=2),
    Option("rounds", least=1),
    Option("head_target", default=21, least=1),
    Option("bunco_points", default=21, least=0),
    Option("three_of_a_kind", default=5, least=0),
    Option("head_scope", default="team", words=("team", "player")),
    Option("movement", default="text", words=("text", "wba", "losers_move")),
    Option("head_losers_to", least=1),
    Option("wipeout_scope", default="player", words=("player", "team")),
    Option("unshouted_bunco", default="counts", words=("counts", "void")),
    Option("direction", default="left", words=("left", "right")),
    Option("scope", default="full", words=("full", "results")),
)
