"""What is wrong with the log itself: rows lost or twice, times, names and cells; and cells that are blank."""

from __future__ import annotations

import random

from rules.bunco.options import House
from rules.bunco.sampling.plan import Plan
from rules.bunco.sampling.play import BREACH, Line
from rules.bunco.tables import scored

UNVERIFIABLE = "unverifiable"
_BLANKS = ("points", "die", "dice", "player", "team_total", "round", "table", "at", "called")
_RULES = {"bunco": "BUN-07", "wipeout": "BUN-20", "three": "BUN-06"}


class Blemishes:
    """Blemishes on the rows of one evening, each where nothing else is wrong."""

    def __init__(self, lines: list[Line], house: House, plan: Plan, rng: random.Random) -> None:
        self.lines, self.house, self.plan, self.random = lines, house, plan, rng
        self.touched: set[int] = set()
        self._spoilt = {self._place(line) for line in lines if line.answers} | plan.busy

    @staticmethod
    def _place(line: Line) -> tuple[str, str]:
        return line.cells.get("round", ""), line.cells.get("table", "")

    def _rolls(self, number: int = 0, table: int = 0) -> list[int]:
        """Rolls that nothing is wrong with, of one round and table or of all."""
        return [
            place
            for place, line in enumerate(self.lines)
            if line.cells["kind"] == "roll"
            and not line.answers
            and "called" not in line.cells
            and place not in self.touched
            and (not number or line.cells["round"] == str(number))
            and (not table or line.cells["table"] == str(table))
        ]

    def plant(self, rate: float) -> None:
        """The plan's errors of the log itself."""
        for number in range(1, self.house.last_round + 1):
            for table in range(1, self.plan.tables + 1):
                if self.plan.at(number, table, "BUN-03"):
                    self._lone(number, table)
        chance = min(1.0, rate * 30)
        for plant in (self._backward, self._nameless, self._unreadable):
            if self.random.random() < chance:
                plant()

    def _lone(self, number: int, table: int) -> None:
        """BUN-03: a roll with another round between two rolls of one round."""

        def alike(place: int) -> bool:
            near = self.lines[max(place - 2, 0) : place + 3]
            return len(near) == 5 and all(
                line.cells["kind"] == "roll" and line.cells["round"] == str(number) for line in near
            )

        places = [place for place in self._rolls(number, table) if alike(place)]
        if places:
            place = self.random.choice(places)
            self.lines[place].cells["round"] = str(number + 1)
            self.lines[place].answers.append(("BUN-03", BREACH))
            self.touched.update(range(place - 2, place + 3))

    def _backward(self) -> None:
        """LOG-3: a row from an hour before the one before it."""
        places = [place for place in self._rolls() if place]
        if places:
            place = self.random.choice(places)
            self.lines[place].cells["at"] = "backward"
            self.lines[place].answers.append(("LOG-3", BREACH))
            self.touched.add(place)

    def _nameless(self) -> None:
        """LOG-4: nobody is named as scorer."""
        places = self._rolls()
        if places:
            place = self.random.choice(places)
            self.lines[place].cells["scorer"] = ""
            self.lines[place].answers.append(("LOG-4", BREACH))
            self.touched.add(place)

    def _unreadable(self) -> None:
        """LOG-5: a cell that its column cannot hold."""
        places = [place for place in self._rolls() if self._place(self.lines[place]) not in self._spoilt]
        if places:
            line = self.lines[self.random.choice(places)]
            column, text = self.random.choice([("d1", "7"), ("called", "maybe"), ("d3", "5-Apr")])
            line.cells[column] = text
            line.answers.append(("LOG-5", BREACH))
            self._spoilt.add(self._place(line))

    def lose_and_repeat(self) -> None:
        """LOG-2: a row is lost; LOG-1: a row stands twice."""
        for number in range(1, self.house.last_round + 1):
            for table in range(1, self.plan.tables + 1):
                places = self._rolls(number, table)
                if self.plan.at(number, table, "LOG-1") and places:
                    place = self.random.choice(places)
                    again = Line(dict(self.lines[place].cells), [("LOG-1", BREACH)])
                    self.lines.insert(place + 1, again)
                    self.touched = {n + (n > place) for n in self.touched} | {place, place + 1}
        if self.plan.gap:
            places = [place for place in self._rolls(self.plan.gap) if place + 1 < len(self.lines)]
            places = [place for place in places if not {place - 1, place + 1} & self.touched]
            if places:
                place = self.random.choice(places)
                self.lines[place + 1].answers.append(("LOG-2", BREACH))
                del self.lines[place]

    def blank(self, rate: float) -> None:
        """Leave cells of rolls blank; what that leaves open is listed once a table and round."""
        listed: set[tuple[tuple[str, str], str]] = set()
        for place in self._rolls():
            line = self.lines[place]
            where = self._place(line)
            if where in self._spoilt or where[0] == str(self.plan.gap) or self.random.random() >= rate:
                continue
            if self.plan.at(int(where[0]), 0, "BUN-14") or line.cells["at"] == "backward":
                continue
            what = self.random.choice(_BLANKS)
            rule = self._blank(line, place, what)
            if rule and (rule == "LOG-7" or (where, rule) not in listed):
                listed.add((where, rule))
                line.answers.append((rule, UNVERIFIABLE))

    def _blank(self, line: Line, place: int, what: str) -> str:
        """Blank a cell; gives the rule under which that is listed, if any."""
        cells = line.cells
        dice = tuple(int(cells[die]) for die in ("d1", "d2", "d3"))
        if what == "points":
            cells["points"] = ""
            row = scored(self.house, self.house.target(int(cells["round"])), dice).row  # type: ignore[arg-type]
            return _RULES.get(row, "BUN-05")
        if what == "die":
            cells[self.random.choice(["d1", "d2", "d3"])] = ""
            return "BUN-04"
        if what == "dice":
            cells["d1"] = cells["d2"] = cells["d3"] = ""
            return "BUN-05"
        if what == "player":
            cells["player"] = ""
            return "LOG-7"
        near = (self.lines[place - 1], self.lines[place + 1]) if place + 1 < len(self.lines) else ()
        if what == "round" and not all(one.cells.get("round") == cells["round"] for one in near or (line, Line({}))):
            return ""
        cells[what] = ""
        return ""
