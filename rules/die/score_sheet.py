"""The score sheet of a game as a drawing: toss by toss, both teams, tinks, sinks and FIFAs marked.

Team A is solid and filled, team B dashed and hollow, so that nothing hangs on color.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from rules.catalogue import Catalogue
from rules.die.account import Account, Throw
from rules.die.log import A, B
from rules.sections import Figure

CATALOGUE = Catalogue("rules.die")

_WIDTH, _LEFT, _RIGHT = 720.0, 26.0, 132.0
_TOP, _CHART = 14.0, 132.0
_INK, _SOFT, _FAINT, _B = "#1b2430", "#56616f", "#d5dae0", "#2f6ea5"
_FONT = 'font-family="Source Sans Pro, Source Sans 3, sans-serif"'
_COLOR = (_INK, _B)


class _Sheet:
    """Places and marks of one drawing."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.highest = max(account.target, *(_top(throw) for throw in account.throws), *account.start)
        count = max(len(account.throws), 12)
        self.step = (_WIDTH - _LEFT - _RIGHT) / count
        self.parts: list[str] = []

    def x(self, place: float) -> float:
        """Across: the place of a toss, from 0; -1 is the start."""
        return _LEFT + (place + 1) * self.step

    def y(self, score: float) -> float:
        return _TOP + _CHART * (1 - score / self.highest)

    def add(self, text: str) -> None:
        self.parts.append(text)

    def text(self, x: float, y: float, said: str, size: float = 9, anchor: str = "start", more: str = "") -> None:
        self.add(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}" {_FONT} {more}>'
            f"{escape(said)}</text>"
        )

    # The chart

    def grid(self) -> None:
        """Faint lines of scores, the target stronger."""
        right = _WIDTH - _RIGHT + 6
        every = 1 if self.highest <= 12 else 2 if self.highest <= 24 else 5
        for score in range(0, int(self.highest) + 1, every):
            self.add(_line(_LEFT, self.y(score), right, self.y(score), _FAINT, 0.6))
            self.text(_LEFT - 6, self.y(score) + 3, str(score), 8, "end", f'fill="{_SOFT}"')
        target = self.y(self.account.target)
        self.add(_line(_LEFT, target, right, target, _INK, 0.9))
        self.text(_LEFT + 3, target - 3, _say("target"), 8, more=f'fill="{_SOFT}"')

    def course(self, team: int) -> None:
        """The running score of a team, as recorded, as steps."""
        score = float(self.account.start[team])
        way = [f"M{self.x(-1):.1f} {self.y(score):.1f}"]
        for place, throw in enumerate(self.account.throws):
            after = throw.score[team]
            if after == after:  # known
                way.append(f"H{self.x(place):.1f}")
                if after != score:
                    way.append(f"V{self.y(after):.1f}")
                score = after
        dash = ' stroke-dasharray="5 3"' if team == B else ""
        drawn = f'stroke="{_COLOR[team]}" stroke-width="2"{dash} stroke-linejoin="round"'
        self.add(f'<path d="{" ".join(way)}" fill="none" {drawn}/>')

    def fair_course(self) -> None:
        """The corrected scores, dotted, where they part from the recorded."""
        for team in (A, B):
            points = [(place, throw) for place, throw in enumerate(self.account.throws)]
            if all(throw.score[team] == throw.fair[team] for _, throw in points):
                continue
            way = [f"M{self.x(-1):.1f} {self.y(self.account.start[team]):.1f}"]
            for place, throw in points:
                way.append(f"H{self.x(place):.1f} V{self.y(min(throw.fair[team], self.highest)):.1f}")
                if throw.number == self.account.fair_end:
                    break
            self.add(
                f'<path d="{" ".join(way)}" fill="none" stroke="{_COLOR[team]}" stroke-width="1.2" '
                'stroke-dasharray="0.6 3" stroke-linecap="round"/>'
            )

    def marks(self) -> None:
        """What made the points, on the line of the team that got them."""
        for place, throw in enumerate(self.account.throws):
            for team in (A, B):
                if throw.sink == team:
                    self.add(_mark("sink", self.x(place), self.y(_known(throw.score[team])), team))
                elif throw.points[team] > 0:
                    kind = "fifa" if throw.fifa else "tink" if throw.tink and throw.points[team] > 1 else "point"
                    self.add(_mark(kind, self.x(place), self.y(_known(throw.score[team])), team))

    def ends(self) -> None:
        """The names of the teams with their scores, at the right."""
        last = self.account.score
        heights = [self.y(_known(last[team])) for team in (A, B)]
        if abs(heights[A] - heights[B]) < 26:
            upper = A if heights[A] <= heights[B] else B
            middle = (heights[A] + heights[B]) / 2
            heights[upper], heights[1 - upper] = middle - 13, middle + 13
        x = self.x(len(self.account.throws) - 1) + 9
        for team in (A, B):
            score = "?" if last[team] != last[team] else f"{last[team]:.0f}"
            won = f" · {_say('won')}" if self.account.winner == team else ""
            self.text(
                x, heights[team] + 1, f"{'AB'[team]}  {score}{won}", 11, more=f'font-weight="600" fill="{_COLOR[team]}"'
            )
            self.text(x, heights[team] + 11, _cut(self.account.teams[team], 24), 8, more=f'fill="{_SOFT}"')

    # Below it

    def throwers(self) -> None:
        """Whose throw it was, toss by toss; throws done again, and findings."""
        top = _TOP + _CHART + 14
        for team in (A, B):
            self.text(_LEFT - 6, top + 12 * team + 3, "AB"[team], 8, "end", f'fill="{_SOFT}"')
        size = min(6.5, self.step * 0.55)
        every = 1 if self.step >= 11 else 5
        for place, throw in enumerate(self.account.throws):
            x = self.x(place)
            if throw.team in (A, B):
                y = top + 12 * throw.team
                if throw.again:
                    self.add(_cross(x, y, size / 2))
                else:
                    fill = _COLOR[A] if throw.team == A else "#fff"
                    self.add(
                        f'<rect x="{x - size / 2:.1f}" y="{y - size / 2:.1f}" width="{size:.1f}" height="{size:.1f}" '
                        f'fill="{fill}" stroke="{_COLOR[throw.team]}" stroke-width="1"/>'
                    )
            if throw.found:
                y = top + 27
                self.add(f'<path d="M{x:.1f} {y - 6:.1f}l4 7h-8z" fill="{_INK}"/>')
            if throw.found or throw.number % every == 0 or every == 1:
                weight = ' font-weight="700"' if throw.found else ""
                fill = _INK if throw.found else _SOFT
                self.text(x, top + 37, str(throw.number), 7, "middle", f'fill="{fill}"{weight}')

    def legend(self) -> float:
        """What the marks mean; gives the height of the drawing."""
        y = _TOP + _CHART + 70
        x = _LEFT
        for kind in ("point", "tink", "fifa", "sink"):
            self.add(_mark(kind, x + 4, y - 3, A))
            self.add(_mark(kind, x + 18, y - 3, B))
            x = self._said(x + 28, y, _say(kind))
        self.add(_cross(x + 4, y - 3, 3))
        x = self._said(x + 12, y, _say("again"))
        self.add(f'<path d="M{x + 4:.1f} {y - 7:.1f}l4 7h-8z" fill="{_INK}"/>')
        x = self._said(x + 12, y, _say("found"))
        if self.account.differs:
            self.add(
                f'<path d="M{x:.1f} {y - 3:.1f}h20" stroke="{_INK}" stroke-width="1.2" stroke-dasharray="0.6 3" '
                'stroke-linecap="round"/>'
            )
            self._said(x + 25, y, _say("fair"))
        return y + 8

    def _said(self, x: float, y: float, said: str) -> float:
        self.text(x, y, said, 8.5, more=f'fill="{_SOFT}"')
        return x + len(said) * 4.1 + 14


def _top(throw: Throw) -> float:
    return max(*throw.fair, *(_known(s) for s in throw.score))


def _known(score: float) -> float:
    return score if score == score else 0.0


def _say(key: str) -> str:
    return CATALOGUE.text("sheet", key)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _line(x1: float, y1: float, x2: float, y2: float, color: str, width: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width}"/>'


def _cross(x: float, y: float, r: float) -> str:
    return (
        f'<path d="M{x - r:.1f} {y - r:.1f}l{2 * r:.1f} {2 * r:.1f}m0 {-2 * r:.1f}l{-2 * r:.1f} {2 * r:.1f}" '
        f'stroke="{_INK}" stroke-width="1.4"/>'
    )


def _mark(kind: str, x: float, y: float, team: int) -> str:
    """A point is a dot, a tink a dot in a ring, a FIFA a diamond, a sink a glass."""
    color = _COLOR[team]
    fill = color if team == A else "#fff"
    dot = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{{r}}" fill="{fill}" stroke="{color}" stroke-width="1.3"/>'
    if kind == "point":
        return dot.format(r=2.6)
    if kind == "tink":
        ring = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.2" fill="#fff" stroke="{color}" stroke-width="1.2"/>'
        return ring + dot.format(r=2.4)
    if kind == "fifa":
        diamond = f"M{x:.1f} {y - 5.4:.1f}l5.4 5.4l-5.4 5.4l-5.4 -5.4z"
        return f'<path d="{diamond}" fill="{fill}" stroke="{color}" stroke-width="1.3"/>'
    glass = f"M{x - 6:.1f} {y - 7:.1f}h12l-2.4 13h-7.2z"
    return f'<path d="{glass}" fill="{fill}" stroke="{color}" stroke-width="1.4" stroke-linejoin="round"/>'


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
    body = "".join(sheet.parts)
    view = f'viewBox="0 0 {_WIDTH:g} {height:.0f}"'
    return Figure(f'<svg xmlns="http://www.w3.org/2000/svg" {view} aria-hidden="true">{body}</svg>', shows)
