"""Règles du Die: before the game, its end, and the keeping of the score."""

from __future__ import annotations

from rules.die.toss import READ, Toss
from rules.kit import DISCREPANCY, VIOLATION, Per, Rule, Verdict, rule


@rule("DIE-01", "Avant de commencer", VIOLATION, per=Per.GAME, needs=("min_height",))
def height_agreed(toss: Toss) -> Verdict:
    """Before play the teams agree on the height that every toss must reach."""
    open_ = toss.fact("height_open")
    applies = toss.fact("height_agreed") | open_
    return Verdict(applies, ~toss.every.unless_unknown(open_), listed=open_)


@rule("DIE-02", "Avant de commencer", VIOLATION, per=Per.GAME, needs=("roll_a", "roll_b"))
def tie_rolled_again(toss: Toss) -> Verdict:
    """One player of each team rolls for the choice; equal numbers are rolled again."""
    return Verdict(toss.fact("rolled"), toss.fact("tied"))


@rule("DIE-03", "Avant de commencer", VIOLATION, needs=("roll_a", "roll_b", "choice", "thrower", "team_a", "team_b"))
def first_thrower(toss: Toss) -> Verdict:
    """The winner of the roll takes the side or the first throw, not both, and not neither."""
    return Verdict(toss.fact("opening"), toss.fact("first_thrower_wrong"))


@rule("DIE-04", "Point", VIOLATION, needs=("thrower",))
def one_at_a_time(toss: Toss) -> Verdict:
    """One player of a team throws at a time; where the house has an order of throwers, in that order."""
    twice = toss.batch.place_truth(toss.batch.placed.shares_id)
    turn = toss.fact("out_of_turn")
    details = {"twice": toss.when(twice, "twice"), "turn": toss.when(turn & ~twice, "turn")}
    return Verdict(toss.fact("turn_kept") | twice, twice | turn, details)


def unfinished(toss: Toss) -> Verdict:
    """The log of a whole game has its end."""
    open_ = toss.fact("unfinished")
    details = {"ending": toss.when(open_, "unfinished")}
    return Verdict(open_, (~toss.every).unless_unknown(open_), details, listed=open_)


@rule(
    "DIE-12",
    "Sink (fin de la partie)",
    VIOLATION,
    needs=("winner",),
    reads=("score_a", "score_b", "points_a", "points_b", *READ),
    of_game=unfinished,
)
def end_at_target(toss: Toss) -> Verdict:
    """A game ends when a team reaches 9 on a toss that gives it points, and not before."""
    open_ = toss.fact("end_open")
    missing, early = toss.fact("not_ended"), toss.fact("early")
    details = {**toss.details, "missing": toss.when(missing, "missing"), "early": toss.when(early, "early")}
    details["ending"] = toss.when(open_, "score")
    wrong = (missing | early).unless_unknown(open_)
    return Verdict(toss.fact("end_tested") | missing, wrong, details, named=toss.fact("end_named"))


@rule("DIE-23", "Tenue du pointage", DISCREPANCY, reads=("score_a", "score_b", "points_a", "points_b"))
def running_score(toss: Toss) -> Verdict:
    """The score after a toss is the score before it and the points recorded."""
    return Verdict(toss.fact("sum_tested"), toss.fact("sum_wrong"), toss.details)


@rule("DIE-24", "Tenue du pointage", VIOLATION, reads=("winner",))
def nothing_after_the_end(toss: Toss) -> Verdict:
    """Nothing follows the end of the game, and the recorded winner is the team that has won."""
    after, other = toss.fact("after_end"), toss.fact("wrong_winner")
    details = {**toss.details, "after": toss.when(after, "after"), "other": toss.when(other, "other")}
    return Verdict(toss.fact("live") | after, after | other, details)


OPENING: tuple[Rule, ...] = (height_agreed, tie_rolled_again, first_thrower, one_at_a_time)
END: tuple[Rule, ...] = (end_at_target,)
BOOKS: tuple[Rule, ...] = (running_score, nothing_after_the_end)
