"""The score sheet of a game as a drawing: toss by toss, both teams, tinks, sinks and FIFAs marked.

Team A is solid and filled, team B dashed and hollow, so that nothing hangs on color.
"""

from __future__ import annotations

from rules import drawing as d
from rules.catalogue import Catalogue
from rules.die.account import Account, Throw
from rules.die.log import A, B
from rules.sections import Figure

CATALOGUE = Catalogue("rules.die")

_LEFT, _RIGHT = 18.0, 96.0
_TOP, _CHART = 10.0, 96.0
_COLOR = (d.INK, d.ACCENT)
_SMALL, _LABEL = 6.4, 6.8


class _Sheet:
    """Places and marks of one drawing."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.highest = max(account.target, *(_top(throw) for throw in account.throws), *account.start)
        count = max(len(account.throws), 12)
        self.step = (d.WIDTH - _LEFT - _RIGHT) / count
        self.layers = d.Layers()

    def x(self, place: float) -> float:
        """Across: the place of a toss, from 0; -1 is the start."""
        return _LEFT + (place + 1) * self.step

    def y(self, score: float) -> float:
        return _TOP + _CHART * (1 - score / self.highest)

    # The chart

    def grid(self) -> None:
        """Faint lines of scores, the target stronger."""
        right = d.WIDTH - _RIGHT + 4
        every = 1 if self.highest <= 12 else 2 if self.highest <= 24 else 5
        for score in range(0, int(self.highest) + 1, every):
            self.layers.way(_level(_LEFT, self.y(score), right), stroke=d.LINE, width=0.4)
            self.layers.text(_LEFT - 4, self.y(score) + 2.2, str(score), _SMALL, "end", fill=d.SOFT)
        target = self.y(self.account.target)
        self.layers.way(_level(_LEFT, target, right), stroke=d.INK, width=0.7)
        self.layers.text(_LEFT + 2, target - 2.2, _say("target"), _SMALL, fill=d.SOFT)

    def course(self, team: int) -> None:
        """The running score of a team, as recorded, as steps."""
        score = float(self.account.start[team])
        way = f"M{d.number(self.x(-1))} {d.number(self.y(score))}"
        for place, throw in enumerate(self.account.throws):
            after = throw.score[team]
            if after == after:  # known
                way += f"H{d.number(self.x(place))}"
                if after != score:
                    way += f"V{d.number(self.y(after))}"
                score = after
        self.layers.way(way, stroke=_COLOR[team], width=1.4, dash="3.6 2.2" if team == B else "")

    def fair_course(self) -> None:
        """The corrected scores, dotted, where they part from the recorded."""
        for team in (A, B):
            if all(throw.score[team] == throw.fair[team] for throw in self.account.throws):
                continue
            way = f"M{d.number(self.x(-1))} {d.number(self.y(self.account.start[team]))}"
            for place, throw in enumerate(self.account.throws):
                way += f"H{d.number(self.x(place))}V{d.number(self.y(min(throw.fair[team], self.highest)))}"
                if throw.number == self.account.fair_end:
                    break
            self.layers.way(way, stroke=_COLOR[team], width=0.9, dash="0.4 2.1", cap="round")

    def marks(self) -> None:
        """What made the points, on the line of the team that got them."""
        for place, throw in enumerate(self.account.throws):
            for team in (A, B):
                if throw.sink == team:
                    self.mark("sink", self.x(place), self.y(_known(throw.score[team])), team)
                elif throw.points[team] > 0:
                    kind = "fifa" if throw.fifa else "tink" if throw.tink and throw.points[team] > 1 else "point"
                    self.mark(kind, self.x(place), self.y(_known(throw.score[team])), team)

    def mark(self, kind: str, x: float, y: float, team: int) -> None:
        """A point is a dot, a tink a dot in a ring, a FIFA a diamond, a sink a glass."""
        color = _COLOR[team]
        fill = color if team == A else d.PAPER
        n = d.number
        if kind == "tink":
            self.layers.way(d.disc_way(x, y, 3.7), d.PAPER, color, 0.85)
        if kind in ("tink", "point"):
            self.layers.way(d.disc_way(x, y, 1.8), fill, color, 0.9, over=True)
        elif kind == "fifa":
            self.layers.way(f"M{n(x)} {n(y - 3.8)}l3.8 3.8l-3.8 3.8l-3.8 -3.8z", fill, color, 0.9, over=True)
        else:
            self.layers.way(f"M{n(x - 4.2)} {n(y - 4.9)}h8.4l-1.7 9h-5z", fill, color, 1.0, over=True)

    def ends(self) -> None:
        """The names of the teams with their scores, at the right."""
        last = self.account.score
        heights = [self.y(_known(last[team])) for team in (A, B)]
        if abs(heights[A] - heights[B]) < 19:
            upper = A if heights[A] <= heights[B] else B
            middle = (heights[A] + heights[B]) / 2
            heights[upper], heights[1 - upper] = middle - 9.5, middle + 9.5
        x = self.x(len(self.account.throws) - 1) + 7
        for team in (A, B):
            score = "?" if last[team] != last[team] else f"{last[team]:.0f}"
            won = f" · {_say('won')}" if self.account.winner == team else ""
            self.layers.text(x, heights[team] + 1, f"{'AB'[team]}  {score}{won}", 8, bold=True, fill=_COLOR[team])
            name = d.fitted(self.account.teams[team], d.WIDTH - x, _SMALL)
            self.layers.text(x, heights[team] + 8.4, name, _SMALL, fill=d.SOFT)

    # Below it

    def throwers(self) -> None:
        """Whose throw it was, toss by toss; throws done again, and findings."""
        top = _TOP + _CHART + 11
        for team in (A, B):
            self.layers.text(_LEFT - 4, top + 9 * team + 2.2, "AB"[team], _SMALL, "end", fill=d.SOFT)
        side = min(4.6, self.step * 0.55)
        every = 1 if self.step >= 8 else 5
        for place, throw in enumerate(self.account.throws):
            x = self.x(place)
            if throw.team in (A, B):
                y = top + 9 * throw.team
                if throw.again:
                    self.layers.way(_cross(x, y, side / 2), stroke=d.INK, width=1.0)
                else:
                    box = d.box_way(x - side / 2, y - side / 2, side, side)
                    self.layers.way(box, d.INK if throw.team == A else d.PAPER, _COLOR[throw.team], 0.8)
            if throw.found:
                self.layers.way(_level(x - 3.4, top + 25.4, x + 3.4), stroke=d.INK, width=1.5)
            if throw.found or throw.number % every == 0 or every == 1:
                fill = d.INK if throw.found else d.SOFT
                self.layers.text(x, top + 22.6, str(throw.number), 6.0, "middle", throw.found, fill)

    def legend(self) -> float:
        """What the marks mean; gives the height of the drawing."""
        y = _TOP + _CHART + 50
        x = _LEFT
        for kind in ("point", "tink", "fifa", "sink"):
            self.mark(kind, x + 4, y - 2.2, A)
            self.mark(kind, x + 14, y - 2.2, B)
            x = self._said(x + 21, y, _say(kind))
        self.layers.way(_cross(x + 2.5, y - 2.2, 2.3), stroke=d.INK, width=1.0)
        x = self._said(x + 8, y, _say("again"))
        self.layers.text(x + 3.4, y - 0.6, "n", 6.0, "middle", True)
        self.layers.way(_level(x, y + 2.2, x + 6.8), stroke=d.INK, width=1.5)
        x = self._said(x + 10, y, _say("found"))
        if self.account.differs:
            self.layers.way(_level(x, y - 2.2, x + 14), stroke=d.INK, width=0.9, dash="0.4 2.1", cap="round")
            self._said(x + 18, y, _say("fair"))
        return y + 6

    def _said(self, x: float, y: float, said: str) -> float:
        self.layers.text(x, y, said, _LABEL, fill=d.SOFT)
        return x + d.width_of(said, _LABEL) + 9


def _top(throw: Throw) -> float:
    return max(*throw.fair, *(_known(s) for s in throw.score))


def _known(score: float) -> float:
    return score if score == score else 0.0


def _say(key: str) -> str:
    return CATALOGUE.text("sheet", key)


def _level(x: float, y: float, to: float) -> str:
    """A level stroke."""
    return f"M{d.number(x)} {d.number(y)}H{d.number(to)}"


def _cross(x: float, y: float, r: float) -> str:
    n = d.number
    return f"M{n(x - r)} {n(y - r)}l{n(2 * r)} {n(2 * r)}m0 {n(-2 * r)}l{n(-2 * r)} {n(2 * r)}"


def score_sheet(account: Account, shows: str) -> Figure:
    """The drawing of a game; ``shows`` says the same in words."""
    sheet = _Sheet(account)
    sheet.grid()
    sheet.fair_course()
    for team in (B, A):
        sheet.course(team)
    sheet.marks()
    sheet.ends()
    sheet.throwers()
    height = sheet.legend()
    return d.figure(d.WIDTH, height, sheet.layers.parts, shows)
