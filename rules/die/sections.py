"""The pack's own section of the report: the games of the night, with their score sheets."""

from __future__ import annotations

from rules.batch import Batch
from rules.catalogue import Catalogue
from rules.die.account import Account, account, games_to_show
from rules.die.games import Played
from rules.die.log import A, B
from rules.die.score_sheet import score_sheet
from rules.sections import Grid, Panel, Section

CATALOGUE = Catalogue("rules.die")

#: Games whose score sheets are shown; the others are counted, and said.
SHOWN = 12


def _say(key: str, **values: object) -> str:
    return CATALOGUE.text("night", key).format(**values)


def sections(batch: Batch, shown: frozenset[int]) -> tuple[Section, ...]:
    """``Pack.sections``: one table of all games shown, and a score sheet of each."""
    played = batch.sequence["played"]
    assert isinstance(played, Played)
    accounts = [account(played, game, shown) for game in games_to_show(played, shown, SHOWN)]
    count = len(played.log.starts)
    key = "note" if count <= SHOWN else "note_some"
    note = _say(key, shown=len(accounts), count=f"{count:,}")
    panels = [Panel("", grid=_table(accounts)), *(_panel(each) for each in accounts)]
    return (Section(_say("heading"), note, tuple(panels)),)


def _table(accounts: list[Account]) -> Grid:
    heads = ("game", "team_a", "team_b", "tosses", "recorded", "winner", "corrected", "fair_winner")
    rows = tuple(
        (
            each.game,
            each.teams[A],
            each.teams[B],
            str(len(each.throws)),
            _score(each.score),
            _team(each.winner),
            _score(each.fair_score) if each.differs else _say("same"),
            _fair_end(each) if each.differs else "",
        )
        for each in accounts
    )
    strong = frozenset(place for place, each in enumerate(accounts) if each.differs)
    return Grid(tuple(_say(head) for head in heads), rows, frozenset({3, 4, 6}), strong)


def _score(score: tuple[float, float]) -> str:
    return "–".join("?" if s != s else f"{s:.0f}" for s in score)


def _team(winner: int) -> str:
    return "AB"[winner] if winner >= 0 else _say("nobody")


def _fair_end(each: Account) -> str:
    if each.fair_end is None:
        return _say("nobody")
    return _say("team_at", team="AB"[each.fair_winner], toss=each.fair_end)


def _panel(each: Account) -> Panel:
    told = [_result(each)]
    if each.differs:
        told.append(_say("corrected_line", score=_score(each.fair_score)) + " " + _corrected_end(each))
    heading = _say("game_heading", game=each.game, a=each.teams[A] or "A", b=each.teams[B] or "B")
    return Panel(heading, tuple(told), figure=score_sheet(each, f"{heading}. {' '.join(told)}"))


def _result(each: Account) -> str:
    score = _score(each.score)
    if each.winner < 0:
        return _say("no_end", score=score, count=len(each.throws))
    return _say("result", score=score, count=len(each.throws), team=_team(each.winner), toss=each.ended)


def _corrected_end(each: Account) -> str:
    if each.fair_end is None:
        return _say("fair_open")
    key = "fair_same" if (each.fair_end, each.fair_winner) == (each.ended, each.winner) else "fair_end"
    return _say(key, toss=each.fair_end, team=_team(each.fair_winner))
