"""58 Pa. Code § 661a.5(h), what follows the call; § 661a.4(c) and (d), the dice themselves."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rules.kit import DISCREPANCY, VIOLATION, Phrases, Rule, Verdict, rule
from rules.log_integrity import time_runs_backward_after
from rules.three_dice_football.clauses_a_to_d import invalid_without_cause
from rules.three_dice_football.clauses_e_to_g import breaches, in_seconds, times_cannot_be, void_without_cause
from rules.three_dice_football.columns import ROLES
from rules.three_dice_football.facts import Throw
from rules.truth import Truth, any_of

_ORDER = ("called_at", "collected_at", "settled_at", "passed_at")


@rule("TDF-H1", "661a.5(h)", VIOLATION, needs=("stick_used",))
def stick_not_used(throw: Throw) -> Verdict:
    """The dice are collected and passed with the stick."""
    return Verdict(~throw.a_die_is_surely_off, throw.flag("stick_used").no)


@rule("TDF-H2", "661a.5(h)", VIOLATION, needs=("settlement", "ruling"))
def settled_on_no_result(throw: Throw) -> Verdict:
    """Only a throw that stands decides wagers."""
    fell = throw.ruling.among("no_roll", "invalid", "void")
    explained = breaches(invalid_without_cause, throw) | breaches(void_without_cause, throw)
    return Verdict(fell & ~explained, throw.choice("settlement").among("settled"))


@rule("TDF-H3", "661a.5(h)", VIOLATION, needs=("settlement", "ruling"))
def wagers_left_open(throw: Throw) -> Verdict:
    """All wagers that a throw decided are settled."""
    return Verdict(throw.standing, throw.choice("settlement").among("not_settled"))


@rule("TDF-H4", "661a.5(h)", VIOLATION, needs=("ruling",), reads=_ORDER)
def steps_out_of_order(throw: Throw) -> Verdict:
    """The dice are called, collected, the wagers settled, the dice passed: in this order."""
    moments = {name: throw.moment(name) for name in _ORDER}
    pairs = list(combinations(_ORDER, 2))
    broken = [moments[later].before(moments[earlier]).surely for earlier, later in pairs]
    two_known = any_of(moments[a].known & moments[b].known for a, b in pairs)
    return Verdict(
        throw.standing & two_known,
        any_of(broken),
        details={
            "earlier_step": Phrases(lambda rows: _first(broken, [earlier for earlier, _ in pairs], rows)),
            "later_step": Phrases(lambda rows: _first(broken, [later for _, later in pairs], rows)),
        },
    )


def _first(conditions: Iterable[Truth], words: Iterable[str], rows: Any) -> Any:
    """For each of ``rows`` the word of the first condition that holds."""
    chosen: Any = pa.scalar(None, pa.string())
    for condition, word in reversed(list(zip(conditions, words, strict=True))):
        chosen = pc.if_else(condition.array.take(rows), pa.scalar(word), chosen)
    return chosen


@rule("TDF-H5", "661a.5(h)", DISCREPANCY, reads=("thrown_at", "passed_at"))
def next_throw_before_passing(throw: Throw) -> Verdict:
    """The dice are passed before the next throw leaves the hand."""
    applies = throw.next.exists & ~time_runs_backward_after(throw.batch) & throw.moment("passed_at").known
    return Verdict(applies, throw.next.time.before(throw.moment("passed_at")))


@rule("TDF-H6", "661a.5(h)", VIOLATION, needs=("dice_centered", "ruling"))
def dice_not_centered(throw: Throw) -> Verdict:
    """The dice are brought to the center of the table."""
    return Verdict(throw.standing, throw.flag("dice_centered").no)


@rule("TDF-S1", "661a.4(c)", VIOLATION, needs=("color",))
def wrong_colors(throw: Throw) -> Verdict:
    """Two green dice are thrown for the offense and a red one for the defense."""
    wrong = [~die.color.among("red" if die.name == "def" else "green") for die in throw.dice]
    return Verdict(throw.any_throw, any_of(wrong))


@rule("TDF-S2", "661a.4(d)", VIOLATION, needs=("set_opened_at",), reads=("thrown_at",))
def set_used_too_long(throw: Throw) -> Verdict:
    """A set of dice is changed at least every 24 hours; one finding for one opening of a set."""
    hours = throw.batch.number("dice_set_hours")
    thrown, opened = throw.moment(ROLES.time), throw.moment("set_opened_at")
    elapsed = thrown.microseconds_since(opened)

    def taken(rows: Any, unit: int) -> Any:
        return pc.divide(elapsed.take(rows), unit * 1_000_000)

    return Verdict(
        ~throw.batch.fact("overdue_before"),
        thrown.later_than(opened, pc.multiply(hours, 3600)),
        details={
            "hours": lambda rows: taken(rows, 3600).cast(pa.string()),
            "minutes": lambda rows: _remainder(taken(rows, 60), 60).cast(pa.string()),
            "seconds": lambda rows: in_seconds(_remainder(elapsed.take(rows), 60_000_000)),
            "limit": hours,
        },
    )


def _remainder(number: Any, by: int) -> Any:
    return pc.subtract(number, pc.multiply(pc.divide(number, by), by))


@rule("TDF-S3", "661a.4(d)", VIOLATION, needs=("dice_set",))
def set_kept_after_loss(throw: Throw) -> Verdict:
    """A set that lost a die is changed before the next throw."""
    same_set = throw.ident("dice_set").same_as(throw.last.ident("dice_set"))
    gap = throw.batch.place_truth(throw.batch.placed.gap_before)
    return Verdict(
        throw.last.exists & throw.last.truth("lost"),
        same_set.unless_unknown(gap),
        named=throw.last.truth("lost_unreadable"),
    )


@rule("TDF-S4", "661a.4(c)", DISCREPANCY, needs=("die",))
def one_serial_twice(throw: Throw) -> Verdict:
    """Three different dice are thrown."""
    return Verdict(throw.any_throw, any_of(a.serial.same_as(b.serial) for a, b in combinations(throw.dice, 2)))


RULES: tuple[Rule, ...] = (
    stick_not_used,
    settled_on_no_result,
    wagers_left_open,
    steps_out_of_order,
    next_throw_before_passing,
    dice_not_centered,
    wrong_colors,
    set_used_too_long,
    set_kept_after_loss,
    one_serial_twice,
    times_cannot_be,
)
