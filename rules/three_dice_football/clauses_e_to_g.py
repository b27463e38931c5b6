"""58 Pa. Code § 661a.5(e) to (g): calling the numbers, dice that are not flat, rethrows, disputes."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rules.kit import DISCREPANCY, INDETERMINATE, OBSERVATION, VIOLATION, Per, Rule, Verdict, rule
from rules.three_dice_football.clauses_a_to_d import invalid_without_cause
from rules.three_dice_football.columns import ROLES
from rules.three_dice_football.facts import Die, Throw
from rules.truth import Truth, all_of, any_of

_DISPUTE = ("disputed", "dispute_about", "dispute_dice", "dispute_ruling")


def breaches(rule: Rule, throw: Throw) -> Truth:
    """Whether the outcome of another rule is a breach: never unknown."""
    assert rule.test is not None
    verdict = rule.test(throw)
    return verdict.applies.surely & verdict.breach.surely


# (e) Calling the numbers


@rule("TDF-E1", "661a.5(e)", DISCREPANCY, needs=("called", "ruling"))
def numbers_partly_recorded(throw: Throw) -> Verdict:
    """Three numbers are called, one a die."""
    columns = [die.called for die in throw.dice if throw.batch.logs(f"{die.name}_called")]
    if not columns:
        return Verdict(throw.live, Truth.constant(throw.batch.size, None))
    some, every = any_of(c.filled for c in columns), all_of(c.filled for c in columns)
    return Verdict(throw.live, (some & ~every).unless_unknown(~some))


@rule(
    "TDF-E2",
    "661a.5(e)",
    VIOLATION,
    per=Per.PART,
    needs=("rest", "observed", "called", "ruling"),
)
def wrong_number_called(throw: Throw, die: Die) -> Verdict:
    """The number called is the one on the uppermost face."""
    readable = throw.live & ~die.face_dispute & ~die.leaning & die.called.exactly_one
    return Verdict(readable, die.misread, details={"due": die.due}, named=~die.face_dispute.known)


@rule("TDF-E3", "661a.5(e)", VIOLATION, per=Per.PART, needs=("called", "ruling"))
def two_faces_called(throw: Throw, die: Die) -> Verdict:
    """Only one face of a die is uppermost."""
    numbered = Truth.constant(throw.batch.size, False).where(die.called.blank, die.called.some)
    return Verdict(throw.live & numbered, die.called.several)


@rule("TDF-E4", "661a.5(e)", OBSERVATION, needs=("called", "ruling"))
def dead_roll_called(throw: Throw) -> Verdict:
    """Numbers are called for a roll that stands."""
    fell = throw.ruling.among("no_roll", "invalid") & ~breaches(invalid_without_cause, throw)
    nothing = Truth.constant(throw.batch.size, False)
    called = any_of(nothing.where(die.called.blank, die.called.some) for die in throw.dice)
    return Verdict(fell, called)


def in_seconds(microseconds: Any) -> Any:
    """Seconds as text, with a fraction only where there is one."""
    whole = pc.divide(microseconds, 1_000_000)
    exact = pc.equal(pc.multiply(whole, 1_000_000), microseconds)
    fraction = pc.divide(pc.cast(microseconds, pa.float64(), safe=False), 1e6)
    return pc.if_else(exact, pc.cast(whole, pa.string()), pc.cast(fraction, pa.string()))


def _rest_and_call_known(throw: Throw) -> Truth:
    return throw.moment("at_rest_at").known & throw.moment("called_at").known


@rule("TDF-E5", "661a.5(e)", OBSERVATION, needs=("ruling",), reads=("at_rest_at", "called_at"))
def called_late(throw: Throw) -> Verdict:
    """The numbers are called at once; how many seconds that is, the house says."""
    rest, called = throw.moment("at_rest_at"), throw.moment("called_at")
    limit = throw.batch.number("call_within_seconds")
    elapsed = called.microseconds_since(rest)
    return Verdict(
        throw.live & _rest_and_call_known(throw),
        called.later_than(rest, limit),
        details={"seconds": lambda rows: in_seconds(elapsed.take(rows)), "limit": limit},
    )


@rule("TDF-E6", "661a.5(e)", DISCREPANCY, needs=("ruling",), reads=("at_rest_at", "called_at"))
def called_before_rest(throw: Throw) -> Verdict:
    """The numbers are called when the dice have come to rest."""
    applies = throw.live & _rest_and_call_known(throw) & ~breaches(times_cannot_be, throw)
    return Verdict(applies, throw.moment("called_at").before(throw.moment("at_rest_at")))


@rule("TDF-E7", "661a.5(e)", VIOLATION, per=Per.PART, needs=("called", "ruling"))
def no_number_called(throw: Throw, die: Die) -> Verdict:
    """A number is called for each die of a roll that stands."""
    return Verdict(throw.live & die.called.filled, die.called.none)


# (f) Dice that are not flat, void rolls and rethrows


@rule(
    "TDF-F1",
    "661a.5(f)",
    VIOLATION,
    per=Per.PART,
    needs=("rest", "resting_sides", "called", "ruling"),
    reads=("observed",),
)
def opposite_face_not_called(throw: Throw, die: Die) -> Verdict:
    """Of a die that is not flat, the side opposite the one resting on something counts."""
    record_holds = ~_observed_is_resting(die)
    applies = throw.live & ~die.face_dispute & die.leaning & die.called.exactly_one & record_holds
    return Verdict(applies, die.misread, details={"due": die.due}, named=~die.face_dispute.known)


@rule("TDF-F2", "661a.5(f)", VIOLATION, per=Per.PART, needs=("rest", "resting_sides", "ruling"))
def propped_die_counted(throw: Throw, die: Die) -> Verdict:
    """A die with more than one side on chips or another object voids the roll; the dice are thrown again."""
    return Verdict(throw.stood & ~throw.dead, die.propped)


@rule("TDF-F3", "661a.5(f)-(g)", DISCREPANCY, needs=("rest", "ruling"))
def void_without_cause(throw: Throw) -> Verdict:
    """A void roll has a die resting on more than one side, or a dispute about a face."""
    return Verdict(throw.ruled_void, throw.intact & ~throw.disputed, named=~throw.disputed.known)


@rule("TDF-F4", "661a.5(f)-(g)", VIOLATION, needs=("ruling",))
def void_not_rethrown(throw: Throw) -> Verdict:
    """The dice of a void roll are thrown again."""
    placed = throw.batch.placed
    after = throw.next.ident("round")
    rethrown_by_round = after.same_as(throw.ident("round"))
    by_round = (~rethrown_by_round).where(
        rethrown_by_round.known, Truth.constant(throw.batch.size, True).unless_unknown(
            ~throw.batch.neighbour_logs(placed.next, ROLES.names_event)
        )
    )  # fmt: skip
    next_names_another = throw.next.truth("names_event")
    unreadable = throw.next.exists & ~next_names_another.known
    not_rethrown = (throw.any_throw.where(next_names_another, by_round)).unless_unknown(
        ~throw.next.exists | throw.batch.place_truth(placed.gap_after) | unreadable
    )
    breach = Truth.constant(throw.batch.size, False).where(throw.batch.fact("rethrow_named_later"), not_rethrown)
    return Verdict(throw.ruled_void, breach, named=unreadable)


def _passes_f6(throw: Throw) -> Truth:
    """The throw is said to replace an earlier one of its table."""
    return throw.batch.place_truth(throw.batch.placed.names_earlier_here)


@rule("TDF-F5", "661a.5(f)-(g)", DISCREPANCY, needs=("ruling",))
def valid_roll_rethrown(throw: Throw) -> Verdict:
    """Only a roll that did not stand is thrown again."""
    replaced = throw.replaced
    asked = throw.batch.neighbour_logs(throw.batch.placed.target, "dispute_ruling")
    return Verdict(
        _passes_f6(throw) & ~replaced.truth("voided_by_dispute"),
        replaced.truth("live").surely,
        named=replaced.truth("dispute_unreadable") | (replaced.truth("dispute_left_open") & asked),
    )


@rule("TDF-F6", "661a.5(f)", DISCREPANCY, reads=("rethrow_of",))
def rethrow_of_nothing(throw: Throw) -> Verdict:
    """A rethrow names an earlier throw of its own table."""
    placed = throw.batch.placed
    nowhere = throw.batch.place_truth(placed.target == -2)
    before_the_log = nowhere & throw.batch.place_truth(placed.first_at_table)
    set_aside = nowhere & throw.batch.place_truth(placed.target_set_aside)
    breach = (~_passes_f6(throw)).unless_unknown(before_the_log | set_aside)
    names = throw.ident(ROLES.names_event)
    return Verdict(names.filled, breach.unless_unknown(names.unreadable))


@rule("TDF-F7", "661a.5(f)", DISCREPANCY, needs=("ruling",))
def rethrown_twice(throw: Throw) -> Verdict:
    """A void roll is replaced once."""
    already = throw.batch.fact("already_replaced")
    return Verdict(_passes_f6(throw), already, named=~already.known)


@rule("TDF-F8", "661a.5(f)", OBSERVATION, needs=("die",))
def other_dice_rethrown(throw: Throw) -> Verdict:
    """The dice are thrown again: the same three, unless one was lost."""
    here = [die.serial for die in throw.dice]
    there = [throw.replaced.ident(f"{die.name}_die") for die in throw.dice]
    all_known = all_of(serial.known for serial in (*here, *there))
    same = any_of(all_of(a.same_as(b) for a, b in zip(here, order, strict=True)) for order in permutations(there))
    applies = _passes_f6(throw) & ~throw.replaced.truth("lost").surely
    return Verdict(applies, (~same).unless_unknown(~all_known))


def _observed_is_resting(die: Die) -> Truth:
    """The record names one face both as uppermost and as resting: known to be so, or not."""
    placed_off_layout = die.rest.known & ~die.rest.among("layout").surely
    return placed_off_layout & die.resting_sides.holds(die.observed).surely


@rule("TDF-F9", "661a.5(f)", DISCREPANCY, per=Per.PART)
def observed_face_rests(throw: Throw, die: Die) -> Verdict:
    """A side that rests on something is not the uppermost."""
    known = die.rest.known & ~die.rest.among("layout").surely & die.observed.known & die.resting_sides.known
    return Verdict(known, _observed_is_resting(die))


@rule("TDF-F10", "661a.5(f)", OBSERVATION, per=Per.PART)
def observed_face_not_opposite(throw: Throw, die: Die) -> Verdict:
    """The face seen on top of a leaning die is the one opposite the resting side."""
    opposite = die.resting_sides.only.opposite(throw.batch.numbers.fixed("opposite_faces_sum"))
    neither = die.observed.differs_from(opposite) & ~die.resting_sides.holds(die.observed)
    return Verdict(die.leaning.surely & die.observed.known, neither)


@rule("TDF-F11", "661a.5(f)", DISCREPANCY, per=Per.PART)
def posture_against_sides(throw: Throw, die: Die) -> Verdict:
    """A flat die rests on nothing but the table, and a cocked die rests on something."""
    flat, cocked = die.rest.among("layout").surely, die.rest.among("cocked").surely
    nothing = Truth.constant(throw.batch.size, False)
    named, none = (nothing.where(die.resting_sides.blank, t) for t in (die.resting_sides.some, die.resting_sides.none))
    return Verdict(flat | cocked, (flat & named) | (cocked & none))


# (g) Disputes


@rule("TDF-G1", "661a.5(g)", INDETERMINATE)
def dispute_left_open(throw: Throw) -> Verdict:
    """The stickperson's decision in a dispute is recorded where the house records it."""
    asked = throw.disputed.surely & throw.batch.logs_truth("dispute_ruling")
    return Verdict(asked, throw.dispute_ruling.blank)


@rule("TDF-G2", "661a.5(g)", DISCREPANCY, needs=("ruling",), reads=("disputed",))
def dispute_against_ruling(throw: Throw) -> Verdict:
    """The decision in a dispute and the ruling agree."""
    void_but_stood = throw.dispute_ruling.among("void") & throw.stood
    face_but_void = throw.dispute_ruling.among("face") & throw.ruled_void & throw.intact
    return Verdict(throw.disputed & throw.dispute_ruling.known, void_but_stood | face_but_void)


@rule("TDF-G3", "661a.5(g)", OBSERVATION, per=Per.PART, needs=("rest", "observed", "called", "ruling"))
def discretion_departs_from_record(throw: Throw, die: Die) -> Verdict:
    """In a dispute the stickperson may choose the face; where the record shows another, a reviewer may look."""
    decided = throw.dispute_ruling.among("face")
    applies = throw.live & die.face_dispute & decided & die.called.exactly_one
    return Verdict(applies, die.misread, details={"due": die.due})


@rule("TDF-G4", "661a.5(g)", DISCREPANCY, needs=("dispute_about", "ruling"), reads=("disputed",))
def voided_for_another_dispute(throw: Throw) -> Verdict:
    """Only a dispute about which face is uppermost can void a roll."""
    return Verdict(throw.ruled_void & throw.disputed & throw.intact, throw.dispute_is_about_other)


@rule("TDF-G5", "661a.5(g)", DISCREPANCY)
def dispute_denied_and_described(throw: Throw) -> Verdict:
    """A throw that was not disputed has nothing recorded about a dispute."""
    described = any_of(throw.batch.column(name).known for name in _DISPUTE[1:])
    return Verdict(throw.flag("disputed").no.surely, described)


@rule("TDF-T1", "log", DISCREPANCY, reads=("set_opened_at", "thrown_at", "at_rest_at", "called_at"))
def times_cannot_be(throw: Throw) -> Verdict:
    """Dice are opened before they are thrown, and thrown before they rest and are called."""
    thrown = throw.moment(ROLES.time)
    early = any_of(throw.moment(name).before(thrown).surely for name in ("at_rest_at", "called_at"))
    return Verdict(throw.any_throw, early | thrown.before(throw.moment("set_opened_at")).surely)


RULES: tuple[Rule, ...] = (
    numbers_partly_recorded,
    wrong_number_called,
    two_faces_called,
    dead_roll_called,
    called_late,
    called_before_rest,
    no_number_called,
    opposite_face_not_called,
    propped_die_counted,
    void_without_cause,
    void_not_rethrown,
    valid_roll_rethrown,
    rethrow_of_nothing,
    rethrown_twice,
    other_dice_rethrown,
    observed_face_rests,
    observed_face_not_opposite,
    posture_against_sides,
    dispute_left_open,
    dispute_against_ruling,
    discretion_departs_from_record,
    voided_for_another_dispute,
    dispute_denied_and_described,
)
