"""One game of Die, played by the rules and written down as a league would."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from rules.die.columns import COLUMNS

Row = dict[str, str]
NAMES = tuple(column.name for column in COLUMNS if not column.derived)
TARGET = 9
_FIRST_EVENING = datetime(2026, 5, 1, 18)

_PLAYERS = (
    "Alix",
    "Ben",
    "Camille",
    "Dom",
    "Eloi",
    "Fran",
    "Gil",
    "Hana",
    "Ines",
    "Jo",
    "Kim",
    "Lou",
    "Max",
    "Noor",
    "Odile",
    "Paz",
    "Quinn",
    "Remi",
    "Sam",
    "Théo",
    "Uma",
    "Vic",
    "Wen",
    "Yan",
    "Zoé",
)
_REFEREES = ("Margot", "Nils", "Oriane")
_HEIGHTS = ("2.5 m", "8 ft", "lamp")
_PARTS = ("foot", "knee", "head", "chest", "thigh", "shin")

#: Weight, path, who takes it (``d``: a defender), how, above the table, points to attack and defence.
TOSSES: tuple[tuple[float, str, str, str, bool, int, int], ...] = (
    (26, "F>G", "", "", False, 1, 0),
    (33, "F>C", "d", "1h", False, 0, 0),
    (5, "F>b>C", "d", "1h", False, 0, 0),
    (6, "F>f>G", "", "", False, 2, 0),
    (2, "f>G", "", "", False, 2, 0),
    (4, "F>O>G", "", "", False, 1, 0),
    (1, "F>o>G", "", "", False, 1, 0),
    (5, "M>G", "", "", False, 0, 0),
    (4, "O>G", "", "", False, 0, 0),
    (2, "O>F>G", "", "", False, 0, 0),
    (3, "O>C", "d", "1h", False, 0, 1),
    (1, "O>o>C", "d", "1h", False, 0, 2),
    (1.5, "F>T", "d", "obj", False, 1, 0),
    (1, "F>T", "d", "body", False, 1, 0),
    (2, "F>C", "d", "2h", False, 1, 0),
    (1.5, "F>C", "d", "1h", True, 1, 0),
    (2, "F>R", "", "", False, 0, 0),
)
SINKS = ((6, "F>SF", 0), (1, "SF", 0), (2, "F>SO", 1), (3, "O>SO", 1))  # path, and who wins: attack or defence
_WEIGHTS = [toss[0] for toss in TOSSES]


@dataclass
class Table:
    """A game as it is being played: whose throw, what score, what was written down."""

    random: Random
    game: str
    minutes: int
    teams: tuple[list[str], list[str]] = field(init=False)
    opening: Row = field(init=False)
    score: list[int] = field(default_factory=lambda: [0, 0])
    contests: list[int] = field(default_factory=lambda: [1, 1])
    rows: list[Row] = field(default_factory=list)
    toss: int = 0
    turn: int = 0
    again: str = ""
    winner: int | None = None

    def __post_init__(self) -> None:
        drawn = self.random.sample(_PLAYERS, 4)
        self.teams = (drawn[:2], drawn[2:])
        a, b = self._rolls()
        won = 0 if a[-1] > b[-1] else 1
        choice = self.random.choice(("first", "side"))
        self.turn = won if choice == "first" else 1 - won
        self.opening = {
            "game_id": self.game,
            "site": "Club",
            "table": f"T{1 + self.random.randrange(4)}",
            "referee": self.random.choice(_REFEREES),
            "team_a": "|".join(self.teams[0]),
            "team_b": "|".join(self.teams[1]),
            "min_height": self.random.choice(_HEIGHTS),
            "roll_a": "|".join(map(str, a)),
            "roll_b": "|".join(map(str, b)),
            "choice": choice,
            "log_scope": "complete",
        }

    def _rolls(self) -> tuple[list[int], list[int]]:
        a, b = [self.random.randint(1, 6)], [self.random.randint(1, 6)]
        while a[-1] == b[-1]:
            a.append(self.random.randint(1, 6))
            b.append(self.random.randint(1, 6))
        return a, b

    def begin(self) -> Row:
        """The next toss, before anything happens to it."""
        self.toss += 1
        self.minutes += 1
        row = dict(self.opening)
        row["toss"] = str(self.toss)
        row["tossed_at"] = clock(self.minutes, self.random.randrange(50))
        row["thrower"] = self.again or self.random.choice(self.teams[self.turn])
        row["height"] = "ok" if self.random.random() < 0.9 else ""
        self.again = ""
        return row

    @property
    def attack(self) -> int:
        return self.turn

    def defender(self) -> str:
        return self.random.choice(self.teams[1 - self.turn])

    def throw(self, row: Row) -> tuple[int, int]:
        """Let the die fly: fills in what happened, and gives the points due to attack and defence."""
        chance = self.random.random()
        if chance < 0.012:
            return self._sink(row)
        if chance < 0.032 and max(self.score) + 2 < TARGET:
            return self._fifa(row)
        kind = self.random.choices(TOSSES, _WEIGHTS)[0]
        _, row["path"], taken, row["catch_how"], over, attack, defence = kind
        row["catch_by"] = self.defender() if taken else ""
        row["over_table"] = "yes" if over else ""
        if chance < 0.05 and row["path"][0] in "Ff":
            row["height"] = "low"
            return 0, 0
        challenger = self.random.randrange(2)
        if chance < 0.07 and self.contests[challenger]:
            self.contests[challenger] -= 1
            row["challenge"] = "AB"[challenger]
            self.again = row["thrower"]
            return 0, 0
        return attack, defence

    def _sink(self, row: Row) -> tuple[int, int]:
        _, row["path"], side = self.random.choices(SINKS, [sink[0] for sink in SINKS])[0]
        self.winner = self.turn if side == 0 else 1 - self.turn
        return 0, 0

    def _fifa(self, row: Row) -> tuple[int, int]:
        """A FIFA: sometimes with too few passes, and then worth nothing."""
        mates = self.teams[1 - self.turn]
        first = self.random.randrange(2)
        full = self.random.random() < 0.7
        touches = [mates[first], mates[1 - first]] if full else [mates[first]]
        row["path"], row["catch_how"], row["catch_by"] = "M>K>C", "1h", mates[first]
        row["fifa"] = ">".join(f"{player}.{self.random.choice(_PARTS)}" for player in touches)
        return 0, 2 if full else 0

    def write(self, row: Row, attack: int, defence: int) -> None:
        """Write the toss down with its points and the score after it, and the winner if it ended the game."""
        points = [attack, defence] if self.turn == 0 else [defence, attack]
        sunk = row["path"].endswith(("SF", "SO"))
        self.score = [score + p for score, p in zip(self.score, points, strict=True)]
        if not sunk or row.get("challenge"):
            row["points_a"], row["points_b"] = map(str, points)
        row["score_a"], row["score_b"] = map(str, self.score)
        fifa = row["path"].startswith("M>K")
        for team in (0, 1):
            if points[team] > 0 and self.score[team] >= TARGET and not fifa and self.winner is None:
                self.winner = team
        if self.winner is not None:
            row["winner"] = "AB"[self.winner]
        self.rows.append(row)

    def pass_on(self) -> None:
        """The throw goes to the other team, unless it is to be done again."""
        if not self.again:
            self.turn = 1 - self.turn


def clock(minutes: int, seconds: int) -> str:
    """Evenings of five hours, one after the other."""
    evening, minute = divmod(minutes, 300)
    moment = _FIRST_EVENING + timedelta(days=evening, minutes=minute, seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def line(row: Row) -> str:
    return ",".join(row.get(name, "") for name in NAMES) + "\n"
