"""58 Pa. Code § 661a.5(a) to (d): the throw, the invalid roll, "no roll" and its grounds."""

from __future__ import annotations

from rules.kit import DISCREPANCY, OBSERVATION, VIOLATION, Per, Rule, Verdict, rule
from rules.three_dice_football.facts import C1_TO_C5, C1_TO_C6, Die, Throw
from rules.truth import Truth, all_of, any_of


@rule("TDF-A1", "661a.5(a)", OBSERVATION, needs=("released_together", "ruling"))
def dice_left_apart(throw: Throw) -> Verdict:
    """The three dice leave the Quarterback's hand at one time; the remedy is the stickperson's power in (c)."""
    return Verdict(throw.standing, throw.flag("released_together").no)


@rule("TDF-A2", "661a.5(a)", OBSERVATION, per=Per.PART, needs=("hit_far_end", "ruling"))
def far_end_missed(throw: Throw, die: Die) -> Verdict:
    """Each die strikes the end of the table farthest from the Quarterback; the remedy is the power in (c)."""
    return Verdict(throw.standing, die.hit_far_end.no)


def _lost_die_counted(throw: Throw) -> Verdict:
    return Verdict(throw.stood & _lost_from_nowhere(throw), throw.any_throw)


def _lost_from_nowhere(throw: Throw) -> Truth:
    """A die is lost and none is known to be off: one test of the throw instead of one a die."""
    return throw.lost.surely & ~throw.a_die_is_surely_off


@rule("TDF-B1", "661a.5(b)", VIOLATION, per=Per.PART, needs=("rest", "ruling"), whole=_lost_die_counted)
def die_off_table_counted(throw: Throw, die: Die) -> Verdict:
    """A roll with a die off the table is invalid and does not stand, even if the die came back."""
    return Verdict(throw.stood & ~_lost_from_nowhere(throw), die.off)


@rule("TDF-B2", "661a.5(b)", VIOLATION, per=Per.PART, needs=("rest", "ruling"))
def stacked_die_counted(throw: Throw, die: Die) -> Verdict:
    """A roll with one die on top of another is invalid and does not stand."""
    return Verdict(throw.stood & ~die.off, die.stacked)


@rule("TDF-B3", "661a.5(b)", DISCREPANCY, needs=("rest", "ruling"))
def invalid_without_cause(throw: Throw) -> Verdict:
    """A roll ruled invalid has a die off the table, on top of another, or resting on more than one side."""
    return Verdict(throw.ruling.among("invalid"), throw.intact)


@rule("TDF-B4", "661a.5(b)", DISCREPANCY, per=Per.PART)
def off_table_without_leaving(throw: Throw, die: Die) -> Verdict:
    """A die that rests off the table has left it."""
    both_known = die.left_table.no.surely & die.rest.known
    return Verdict(both_known, die.rest.among("off_table"))


@rule("TDF-B5", "661a.5(b)", DISCREPANCY, needs=("rest",))
def lost_without_leaving(throw: Throw) -> Verdict:
    """A die that was lost went off the table."""
    return Verdict(throw.lost, all_of(~die.off_without_benefit for die in throw.dice))


@rule(
    "TDF-C1",
    "661a.5(c)(1)",
    DISCREPANCY,
    needs=("released_together", "ruling"),
    reads=("no_roll_grounds",),
)
def ground_1_against_record(throw: Throw) -> Verdict:
    """A "no roll" because the dice left the hand apart rests on dice that left it apart."""
    return Verdict(throw.no_roll & throw.stated("c1"), throw.flag("released_together").yes)


@rule("TDF-C2", "661a.5(c)(2)", DISCREPANCY, needs=("hit_far_end", "ruling"), reads=("no_roll_grounds",))
def ground_2_against_record(throw: Throw) -> Verdict:
    """A "no roll" because a die missed the far end rests on a die that missed it."""
    return Verdict(throw.no_roll & throw.stated("c2"), all_of(die.hit_far_end.yes for die in throw.dice))


@rule("TDF-C3", "661a.5(c)(3)", DISCREPANCY, needs=("rest", "ruling"), reads=("no_roll_grounds",))
def ground_3_against_record(throw: Throw) -> Verdict:
    """A "no roll" because a die rests on the bank rests on a die that lies there."""
    return Verdict(throw.no_roll & throw.stated("c3"), ~any_of(die.rest.among("bank") for die in throw.dice))


@rule("TDF-C4", "661a.5(c)(4)", DISCREPANCY, needs=("rest", "ruling"), reads=("no_roll_grounds",))
def ground_4_against_record(throw: Throw) -> Verdict:
    """A "no roll" because a die rests in the cup or on a rail rests on a die that lies there; no bounce is enough."""
    there = any_of(die.rest.among("cup", "rail") for die in throw.dice)
    return Verdict(throw.no_roll & throw.stated("c4"), ~there)


@rule("TDF-C5", "661a.5(c)(5)", OBSERVATION, needs=("device_suspected",))
def device_suspected(throw: Throw) -> Verdict:
    """A suspected cheating, crooked or fixed device or technique is looked into, whatever was called."""
    return Verdict(throw.any_throw, throw.flag("device_suspected").yes)


@rule("TDF-C7", "661a.5(c)", DISCREPANCY, needs=("no_roll_grounds", "ruling"))
def ground_outside_the_list(throw: Throw) -> Verdict:
    """A "no roll" has one of the grounds of (c)."""
    return Verdict(throw.no_roll & throw.intact, throw.grounds.is_just("other"))


@rule("TDF-C8", "661a.5(c)(3)-(4)", OBSERVATION, per=Per.PART, needs=("rest", "ruling"))
def power_left_unused(throw: Throw, die: Die) -> Verdict:
    """The stickperson may call "no roll" for a die on the bank, in the cup or on a rail; need not."""
    return Verdict(throw.live, die.where_no_roll_may_be_called)


@rule("TDF-C9", "661a.5(c), (g)", OBSERVATION, needs=("ruling_by", "ruling"))
def ruled_by_another(throw: Throw) -> Verdict:
    """The stickperson, and nobody else, rules "no roll", void and disputes."""
    ruled = throw.ruling.among("no_roll", "void") | throw.disputed
    return Verdict(ruled, throw.choice("ruling_by").among("other"))


def _grounds_of_a_no_roll(throw: Throw) -> Truth:
    return throw.no_roll & throw.intact & throw.grounds.filled


@rule("TDF-D1", "661a.5(d)", VIOLATION, needs=("no_roll_grounds", "ruling"))
def no_roll_for_chips(throw: Throw) -> Verdict:
    """Contact with chips other than the bank is no cause for "no roll"."""
    only_chips = throw.stated("chips") & ~throw.stated(*C1_TO_C6)
    return Verdict(_grounds_of_a_no_roll(throw), only_chips)


@rule("TDF-D2", "661a.5(d)", OBSERVATION, needs=("no_roll_grounds", "ruling"))
def improper_for_chips(throw: Throw) -> Verdict:
    """Contact with chips makes no throw improper; whether something else did is for the reviewer."""
    chips_and_improper = throw.stated("chips") & throw.stated("c6") & ~throw.stated(*C1_TO_C5)
    return Verdict(_grounds_of_a_no_roll(throw), chips_and_improper)


@rule("TDF-D3", "661a.5(d)", DISCREPANCY, needs=("touched_chips", "ruling"), reads=("no_roll_grounds",))
def chips_stated_not_touched(throw: Throw) -> Verdict:
    """A "no roll" for contact with chips rests on contact with chips."""
    return Verdict(throw.no_roll & throw.stated("chips"), throw.flag("touched_chips").no)


RULES: tuple[Rule, ...] = (
    dice_left_apart,
    far_end_missed,
    die_off_table_counted,
    stacked_die_counted,
    invalid_without_cause,
    off_table_without_leaving,
    lost_without_leaving,
    ground_1_against_record,
    ground_2_against_record,
    ground_3_against_record,
    ground_4_against_record,
    device_suspected,
    ground_outside_the_list,
    power_left_unused,
    ruled_by_another,
    no_roll_for_chips,
    improper_for_chips,
    chips_stated_not_touched,
)
