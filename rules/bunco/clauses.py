"""The rules of Bunco in the order of the specification. What each finds is judged over whole games (``evening``)."""

from __future__ import annotations

from typing import Any

from rules.batch import Batch
from rules.kit import DISCREPANCY, VIOLATION, Rule, Verdict, rule
from rules.truth import Truth

_ROLL = ("d1", "d2", "d3", "points")


class Row:
    """The rows of a batch with what was found of them."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch

    def verdict(self, code: str) -> Verdict:
        """What the rule says of each row."""
        fact = self.batch.fact
        return Verdict(
            fact(f"{code} applies"),
            fact(f"{code} breach"),
            details=self._said(code),
            named=fact(f"{code} named"),
            not_logged=fact(f"{code} unlogged"),
        )

    def table_sizes(self) -> Verdict:
        """What BUN-02 says of each evening as a whole, on its first row."""
        fact = self.batch.fact
        return Verdict(fact("sizes applies"), fact("sizes breach"), details=self._said("sizes"))

    def _said(self, what: str) -> dict[str, Any]:
        return {name: self.batch.of_whole(f"{what} {name}") for name in ("message", "expected", "recorded")}


@rule("BUN-01", "Setup", VIOLATION)
def equipment(row: Row) -> Verdict:
    """Every table has three dice, scorecards and pencils; signs name the tables, and the head table has a bell."""
    return Verdict(Truth.constant(row.batch.size, False), Truth.constant(row.batch.size, False))


@rule("BUN-02", "Setup", VIOLATION, needs=("player",), reads=("card",), of_game=Row.table_sizes)
def draw(row: Row) -> Verdict:
    """Scorecards in equal numbers are drawn at the start, and a player sits at the table on the card."""
    return row.verdict("BUN-02")


@rule("BUN-03", "Setup", VIOLATION, needs=("round",))
def rounds(row: Row) -> Verdict:
    """Six rounds follow each other, and the target of each is its own number."""
    return row.verdict("BUN-03")


@rule("BUN-04", "Setup", VIOLATION, needs=("d1", "d2", "d3"))
def three_dice(row: Row) -> Verdict:
    """A roll is all three dice."""
    return row.verdict("BUN-04")


@rule("BUN-05", "Points", VIOLATION, needs=_ROLL)
def points_for_target(row: Row) -> Verdict:
    """Each die that shows the target is one point."""
    return row.verdict("BUN-05")


@rule("BUN-06", "Points", VIOLATION, needs=_ROLL)
def points_for_three(row: Row) -> Verdict:
    """Three of a kind of another number are five points."""
    return row.verdict("BUN-06")


@rule("BUN-07", "Points", VIOLATION, needs=_ROLL)
def points_for_bunco(row: Row) -> Verdict:
    """Three of the target are a bunco, 21 points in all."""
    return row.verdict("BUN-07")


@rule("BUN-08", "Turn", VIOLATION, needs=("player",))
def keeps_the_dice(row: Row) -> Verdict:
    """A player who scores rolls again."""
    return row.verdict("BUN-08")


@rule("BUN-09", "Turn", VIOLATION, needs=("player",))
def passes_the_dice(row: Row) -> Verdict:
    """After a roll without points the dice pass to the player on the left."""
    return row.verdict("BUN-09")


@rule("BUN-10", "Round", VIOLATION)
def round_lasts(row: Row) -> Verdict:
    """The round goes on until the head table has 21 points, and no longer."""
    return row.verdict("BUN-10")


@rule("BUN-11", "Round", VIOLATION)
def bell(row: Row) -> Verdict:
    """When the head table has 21 points, the bell is rung there."""
    return row.verdict("BUN-11")


@rule("BUN-12", "Round", VIOLATION)
def after_the_bell(row: Row) -> Verdict:
    """Nobody rolls after the bell."""
    return row.verdict("BUN-12")


@rule("BUN-13", "Round", VIOLATION, needs=("player",), reads=("score", "opponent_score"))
def winners(row: Row) -> Verdict:
    """At each table the team with more points wins the round."""
    return row.verdict("BUN-13")


@rule("BUN-14", "Round", VIOLATION, needs=("player",))
def ties(row: Row) -> Verdict:
    """A tie is settled by one roll-off."""
    return row.verdict("BUN-14")


@rule("BUN-15", "Movement", VIOLATION, needs=("player",), reads=("to_table",))
def head_losers(row: Row) -> Verdict:
    """The losers of the head table go to the lowest table."""
    return row.verdict("BUN-15")


@rule("BUN-16", "Movement", VIOLATION, needs=("player",), reads=("to_table",))
def other_teams(row: Row) -> Verdict:
    """Winners go up one table, winners of the head table stay, and losers of every other table stay."""
    return row.verdict("BUN-16")


@rule("BUN-17", "Travelling", VIOLATION)
def shouts(row: Row) -> Verdict:
    """Whoever rolls a bunco shouts it."""
    return row.verdict("BUN-17")


@rule("BUN-18", "Travelling", VIOLATION)
def marker(row: Row) -> Verdict:
    """The player of the last bunco carries the marker."""
    return row.verdict("BUN-18")


@rule("BUN-19", "Wipeout", VIOLATION)
def five_rounds(row: Row) -> Verdict:
    """With wipeout there are five rounds, with targets from twos to sixes."""
    return Verdict(Truth.constant(row.batch.size, False), Truth.constant(row.batch.size, False))


@rule("BUN-20", "Wipeout", VIOLATION, needs=_ROLL)
def wipeout(row: Row) -> Verdict:
    """Three ones score nothing and take all points that the player has made in the round."""
    return row.verdict("BUN-20")


@rule("BUN-21", "Prizes", VIOLATION)
def prizes_last(row: Row) -> Verdict:
    """Prizes come after the last round."""
    return row.verdict("BUN-21")


@rule("BUN-22", "Prizes", VIOLATION, needs=("player", "category"))
def prizes_right(row: Row) -> Verdict:
    """A prize goes to a player who has the most of what it is for."""
    return row.verdict("BUN-22")


@rule("BUN-23", "Sheet", DISCREPANCY)
def sums(row: Row) -> Verdict:
    """Recorded totals are the sums of the rolls."""
    return row.verdict("BUN-23")


@rule("BUN-24", "Sheet", VIOLATION, needs=("player",))
def seats(row: Row) -> Verdict:
    """Players roll where they sit, two teams at every table, and nobody at two."""
    return row.verdict("BUN-24")


RULES: tuple[Rule, ...] = (
    equipment, draw, rounds, three_dice, points_for_target, points_for_three, points_for_bunco, keeps_the_dice,
    passes_the_dice, round_lasts, bell, after_the_bell, winners, ties, head_losers, other_teams, shouts, marker,
    five_rounds, wipeout, prizes_last, prizes_right, sums, seats,
)  # fmt: skip
