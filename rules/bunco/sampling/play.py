"""An evening of Bunco played by the rules, row by row, with the errors that a plan has in store for it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from rules.bunco.columns import HEAD
from rules.bunco.options import House
from rules.bunco.sampling.plan import SCORER, Plan
from rules.bunco.tables import SAME, destination, scored

Row = dict[str, str]
BREACH = "breach"
#: Rows of the scoring table that are three of a kind, and whose points they are.
_TRIPLES = {"bunco": "BUN-07", "wipeout": "BUN-20", "three": "BUN-06"}

_NAMES = "Ann Bob Cyd Dee Eve Fay Gus Hal Ida Jon Kim Leo Max Ned Oda Pam Quin Ray Sue Tom Uma Val Wes Xia Yan Zoe"
FIRST_NAMES = tuple(_NAMES.split(" "))


@dataclass
class Line:
    """A row of the log, with the findings that must stand on it: rule and outcome."""

    cells: Row
    answers: list[tuple[str, str]] = field(default_factory=list)
    closing: bool = False


@dataclass
class Table:
    """A table in one round: seats, points of the two teams as they should be and as they are written down.

    ``spoilt``: something went wrong that leaves its totals open.
    """

    number: int
    people: list[str]
    at: int = 0
    due: list[int] = field(default_factory=lambda: [0, 0])
    written: list[int] = field(default_factory=lambda: [0, 0])
    own: dict[str, list[int]] = field(default_factory=dict)
    scored: bool = False
    rolled: int = 0
    spoilt: bool = False

    def team(self, number: int) -> list[str]:
        """The players of a team."""
        return self.people[number::2]


class Evening:
    """One evening. ``lines`` are its rows in order; ``plan`` says what goes wrong and where."""

    def __init__(self, house: House, tables: int, plan: Plan, rng: random.Random) -> None:
        self.house, self.tables, self.plan, self.random = house, tables, plan, rng
        self.lines: list[Line] = []
        count = tables * house.players_per_table
        self.players = [
            name if n < 26 else f"{name}{n // 26 + 1}"
            for n, name in enumerate(FIRST_NAMES[n % 26] for n in range(count))
        ]
        rng.shuffle(self.players)
        self.wins: dict[str, int] = dict.fromkeys(self.players, 0)
        self.buncos: dict[str, int] = dict.fromkeys(self.players, 0)
        self.score: dict[str, int] = dict.fromkeys(self.players, 0)
        self.wipeouts: dict[str, int] = dict.fromkeys(self.players, 0)
        self.first_bunco = ""
        self.holder = ""
        self.not_handed = False
        self._play()

    # Writing down

    def write(self, kind: str, *answers: tuple[str, str], closing: bool = False, **cells: object) -> Line:
        """Add a row."""
        line = Line({"kind": kind} | {name: str(value) for name, value in cells.items()}, list(answers), closing)
        self.lines.append(line)
        return line

    # The evening

    def _play(self) -> None:
        size = self.house.players_per_table
        seats = [self.players[n * size : (n + 1) * size] for n in range(self.tables)]
        self._draw(seats)
        for number in range(1, self.house.last_round + 1):
            tables = [Table(n + 1, people) for n, people in enumerate(seats)]
            for table in tables:
                self._seat(number, table)
            self._roll_on(number, tables)
            seats = self._close(number, tables)
        self._prizes()

    def _draw(self, seats: list[list[str]]) -> None:
        cards = [(player, table) for table, people in enumerate(seats, start=1) for player in people]
        self.random.shuffle(cards)
        self.misdrawn: set[int] = set()
        if self.plan.draw and self.tables > 1:
            first = cards[0]
            other = next(n for n, card in enumerate(cards) if card[1] != first[1])
            self.misdrawn = {first[1], cards[other][1]}
            cards[0], cards[other] = (first[0], cards[other][1]), (cards[other][0], first[1])
        for player, table in cards:
            self.write("draw", player=player, card="Head" if table == HEAD else f"Table {table}")

    def _seat(self, number: int, table: Table) -> None:
        answers = [("BUN-02", BREACH)] if number == 1 and table.number in self.misdrawn else []
        self.write("seat", *answers, round=number, table=table.number, player="|".join(table.people))
        table.at = self.random.randrange(len(table.people))

    def _roll_on(self, number: int, tables: list[Table]) -> None:
        """All tables roll until the head table has its points."""
        head = tables[0]
        early = self.plan.at(number, HEAD, "BUN-11 early")
        elsewhere = self.plan.at(number, HEAD, "BUN-11 elsewhere") and len(tables) > 1
        stop = 6 if self.plan.at(number, HEAD, "BUN-10 closed") else 1 << 30
        while not self._reached(head) and head.rolled < stop:
            for table in tables:
                if table is head or self.random.random() < 0.97:
                    self._roll(number, table)
                if self._reached(head):
                    break
            if early and head.rolled == 2 and not self._reached(head):
                early = False
                self._ring(number, head, ("BUN-11", BREACH))
            if elsewhere and head.rolled == 3 and not self._reached(head):
                elsewhere = False
                self._ring(number, tables[1], ("BUN-11", BREACH))
        if not self._reached(head):
            self._next_close = ("BUN-10", BREACH)
            return
        if self.plan.at(number, HEAD, "BUN-10 rolled on"):
            self._roll(number, head, ("BUN-10", BREACH), counts=False)
            head.spoilt = True
        if self.plan.at(number, HEAD, "BUN-11 missing"):
            self._next_close = ("BUN-11", BREACH)
            return
        self._ring(number, head)
        if self.plan.at(number, HEAD, "BUN-12"):
            table = self.random.choice([t for t in tables if t is head or not (t.scored and self.house.finish_turn)])
            table.spoilt = True
            self._roll(number, table, ("BUN-12", BREACH), counts=False)

    def _reached(self, head: Table) -> bool:
        """The head table has the points that end the round."""
        totals = [due for due, _ in head.own.values()] if self.house.head_scope == "player" else head.due
        return max(totals, default=0) >= self.house.head_target

    _next_close: tuple[str, str] | None = None

    def _ring(self, number: int, table: Table, *answers: tuple[str, str]) -> None:
        ringer = SCORER if self.house.bell_by_scorer else self.random.choice(table.people)
        self.write("bell", *answers, round=number, table=table.number, player=ringer)

    # One roll

    def _next_player(self, number: int, table: Table) -> tuple[int, tuple[str, str] | None]:
        """Who rolls next, and what that is where the plan has another than the one whose turn it is."""
        size = len(table.people)
        step = -1 if self.house.direction == "right" else 1
        if table.rolled == 0:
            return table.at, None
        if table.scored:
            if table.rolled > 2 and self.plan.take(number, table.number, "BUN-08"):
                return (table.at + step) % size, ("BUN-08", BREACH)
            return table.at, None
        if table.rolled > 2 and self.plan.take(number, table.number, "BUN-09"):
            where = self.random.choice([0, 2 * step] if size > 2 else [0])
            return (table.at + where) % size, ("BUN-09", BREACH)
        return (table.at + step) % size, None

    def _roll(self, number: int, table: Table, *answers: tuple[str, str], counts: bool = True) -> None:
        house, rng = self.house, self.random
        place, out_of_turn = self._next_player(number, table) if counts else (table.at, None)
        player = table.people[place]
        dice = (rng.randint(1, 6), rng.randint(1, 6), rng.randint(1, 6))
        worth = scored(house, house.target(number), dice)
        line = self.write(
            "roll", *answers, round=number, table=table.number, player=player,
            d1=dice[0], d2=dice[1], d3=dice[2], points=worth.points,
        )  # fmt: skip
        if out_of_turn:
            line.answers.append(out_of_turn)
        if counts:
            self._count(number, table, place, worth.row, worth.points, line)
            table.at, table.scored = place, worth.next_player == SAME
            table.rolled += 1
        if worth.row == "bunco":
            self._bunco(number, player, line, counts)

    def _count(self, number: int, table: Table, place: int, what: str, points: int, line: Line) -> None:
        """Add the roll to the totals as they should be and as they are written down."""
        team, player = place % 2, table.people[place]
        written = points
        rare = what in _TRIPLES
        wrong = self.plan.wrong_points(number, table.number, points, rare)
        if wrong is not None:
            written = wrong
            rule = _TRIPLES.get(what, "BUN-05")
            line.cells["points"] = str(written)
            line.answers.append((rule, BREACH))
            table.spoilt = True
        if what == "wipeout":
            self._wipe(table, team, player)
            self.wipeouts[player] += 1
        own = table.own.setdefault(player, [0, 0])
        own[0] += points
        own[1] += written
        table.due[team] += points
        table.written[team] += written
        self.score[player] += points
        if self.random.random() < 0.85:
            line.cells["team_total"] = str(table.written[team])
            if table.rolled > 3 and self.plan.take(number, table.number, "BUN-23"):
                line.cells["team_total"] = str(table.written[team] + 3)
                line.answers.append(("BUN-23", BREACH))
                table.spoilt = True
        if table.rolled > 3 and self.plan.take(number, table.number, "BUN-24 stranger"):
            others = [name for name in self.players if name not in table.people] or ["Guest"]
            line.cells["player"] = self.random.choice(others)
            line.cells.pop("team_total", None)
            line.answers.append(("BUN-24", BREACH))
            table.spoilt, self.plan.tallies_hold = True, False

    def _wipe(self, table: Table, team: int, player: str) -> None:
        """All points of the round are gone: the player's, or the team's."""
        losers = table.team(team) if self.house.wipeout_scope == "team" else [player]
        for loser in losers:
            due, written = table.own.get(loser, [0, 0])
            table.due[team] -= due
            table.written[team] -= written
            table.own[loser] = [0, 0]
            self.score[loser] -= due

    def _bunco(self, number: int, player: str, line: Line, counts: bool) -> None:
        if counts and line.cells["player"] == player:
            self.buncos[player] += 1
            self.first_bunco = self.first_bunco or player
        if not self.house.travelling:
            return
        line.cells["called"] = "yes"
        if not self.house.silent_buncos_are_void and self.plan.some("BUN-17"):
            line.cells["called"] = "no"
            line.answers.append(("BUN-17", BREACH))
        if not counts or line.cells["player"] != player:
            return
        if self.not_handed:
            line.answers.append(("BUN-18", BREACH))
            self.not_handed = False
        if self.holder == player:
            return
        if self.plan.some("BUN-18 not handed over"):
            self.not_handed = True
            return
        self.holder, answers = player, []
        if self.plan.some("BUN-18"):
            self.holder = self.random.choice([name for name in self.players if name != player])
            answers = [("BUN-18", BREACH)]
        self.write("marker", *answers, round=number, player=self.holder)

    # After the round

    def _close(self, number: int, tables: list[Table]) -> list[list[str]]:
        """Results, roll-offs and moves; gives the seats of the next round."""
        won: dict[int, int] = {}
        for table in tables:
            won[table.number] = self._result(number, table)
        if number == self.house.last_round:
            return [table.people for table in tables]
        if self.plan.at(number, 0, "BUN-21"):
            self.write("prize", ("BUN-21", BREACH), round=number, player=self.players[0], category="wins", closing=True)
        return self._move(number, tables, won)

    def _result(self, number: int, table: Table) -> int:
        due, written = table.due, table.written
        winner = 0 if due[0] > due[1] else 1
        answers = [self._next_close] if self._next_close else []
        self._next_close = None
        team = "|".join(table.team(winner))
        if due[0] == due[1]:
            winner = self.random.randrange(2)
            team = "|".join(table.team(winner))
            if not table.spoilt and self.house.rolloffs_logged and self.plan.at(number, 0, "BUN-14"):
                answers.append(("BUN-14", BREACH))
            else:
                self.write("rolloff", round=number, table=table.number, player=team, closing=True)
        elif not table.spoilt and self.plan.take(number, table.number, "BUN-14"):
            needless = ("BUN-14", BREACH)
            self.write("rolloff", needless, round=number, table=table.number, player=team, closing=True)
        recorded = winner
        if due[0] != due[1] and not table.spoilt and self.plan.take(number, table.number, "BUN-13"):
            recorded = 1 - winner
            table.spoilt = True
            answers.append(("BUN-13", BREACH))
        for player in table.team(winner):
            self.wins[player] += 1
        self.write(
            "result", *answers, round=number, table=table.number, closing=True,
            player="|".join(table.team(recorded)), opponents="|".join(table.team(1 - recorded)),
            score=written[recorded], opponent_score=written[1 - recorded],
        )  # fmt: skip
        return recorded

    def _move(self, number: int, tables: list[Table], won: dict[int, int]) -> list[list[str]]:
        """Teams go where the scheme sends them, or where the plan has them go."""
        goes: dict[tuple[int, bool], int] = {}
        for table in tables:
            for result in (True, False):
                goes[table.number, result] = destination(self.house, self.tables, table.number, result)
        wrong: dict[tuple[int, bool], str] = {}
        clear = not any(table.spoilt for table in tables[:2])
        if clear and self.tables > 1 and self.house.movement == "text" and self.plan.at(number, 0, "BUN-15"):
            goes[1, False], goes[2, True] = goes[2, True], goes[1, False]
            wrong = {(1, False): "BUN-15", (2, True): "BUN-16"}
        elsewhere = self.tables > 1 and self.plan.at(number, 0, "BUN-24 from")
        arrivals: dict[int, list[list[str]]] = {table.number: [] for table in tables}
        for table in tables:
            for result in (True, False):
                team = table.team(won[table.number] if result else 1 - won[table.number])
                to = goes[table.number, result]
                arrivals[to].append(team)
                if to == table.number and (table.number, result) not in wrong:
                    continue
                line = self.write(
                    "move", round=number, closing=True, player="|".join(team), from_table=table.number, to_table=to
                )
                if (table.number, result) in wrong:
                    line.answers.append((wrong[table.number, result], BREACH))
                elif elsewhere:
                    elsewhere = False
                    line.cells["from_table"] = str(table.number % self.tables + 1)
                    line.answers.append(("BUN-24", BREACH))
        seats = []
        for table in tables:
            if len(arrivals[table.number]) != 2:
                raise ValueError("by this scheme of movement not every table has two teams")
            first, second = arrivals[table.number]
            seats.append([player for pair in zip(first, second, strict=True) for player in pair])
        return seats

    def _prizes(self) -> None:
        best = [("buncos", self.buncos), ("wins", self.wins), ("highest", self.score)]
        if self.house.wipeout:
            best.append(("wipeouts", self.wipeouts))
        for category, has in best:
            top = max(has.values())
            if top and self.plan.tallies_hold:
                winners = sorted(player for player, count in has.items() if count == top)
                self.write("prize", category=category, player=self.random.choice(winners), value=top)
        if self.first_bunco and self.plan.tallies_hold:
            self.write("prize", category="first_bunco", player=self.first_bunco)
        if self.plan.prize:
            self._wrong_prize()

    def _wrong_prize(self) -> None:
        """BUN-22: a prize for wipeouts in a game without, or one for somebody who won no round."""
        if not self.house.wipeout:
            self.write("prize", ("BUN-22", BREACH), category="wipeouts", player=self.random.choice(self.players))
        else:
            self.write("prize", ("BUN-22", BREACH), category="wins", player="Guest")
