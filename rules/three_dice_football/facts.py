"""Derived facts of a throw, each a named truth with the sentence of law that it stands for.

Clauses are those of 58 Pa. Code § 661a.5 unless another section is named.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rules.batch import Batch, Neighbour
from rules.three_dice_football.columns import DICE, ROLES
from rules.truth import (
    Choice,
    Choices,
    Face,
    FaceSet,
    Flag,
    Ident,
    Moment,
    Truth,
    any_of,
)

#: Where a die that is not flat may be carried by something other than a die.
_CARRIED = ("cocked", "chips", "bank", "cup", "rail")
#: Where a die with no side resting on anything shows its uppermost face as observed.
_UPRIGHT = ("chips", "bank", "cup", "rail")

C1_TO_C5 = ("c1", "c2", "c3", "c4", "c5")
C1_TO_C6 = (*C1_TO_C5, "c6")

#: A roll that (b) or (f) lets stand cannot be ruled invalid, nor one that they do not let stand be ruled valid.
CONTRADICTIONS = frozenset({("invalid", "valid"), ("void", "valid"), ("valid", "invalid"), ("open", "invalid")})

CALLED_FOR = ("valid", "open", "invalid", "void", "unknown")


class Die:
    """One of the three dice of a throw: ``off1`` and ``off2`` (green), ``def`` (red)."""

    def __init__(self, throw: Throw, name: str) -> None:
        self.throw = throw
        self.name = name

    def _column(self, field: str) -> Any:
        return self.throw.batch.column(f"{self.name}_{field}")

    def _logged(self, field: str) -> Truth:
        return self.throw.batch.logs_truth(f"{self.name}_{field}")

    # As recorded

    @cached_property
    def serial(self) -> Ident:
        column: Ident = self._column("die")
        return column

    @cached_property
    def color(self) -> Choice:
        column: Choice = self._column("color")
        return column

    @cached_property
    def hit_far_end(self) -> Flag:
        column: Flag = self._column("hit_far_end")
        return column

    @cached_property
    def left_table(self) -> Flag:
        column: Flag = self._column("left_table")
        return column

    @cached_property
    def rest(self) -> Choice:
        column: Choice = self._column("rest")
        return column

    @cached_property
    def resting_sides(self) -> FaceSet:
        column: FaceSet = self._column("resting_sides")
        return column

    @cached_property
    def observed(self) -> Face:
        column: Face = self._column("observed")
        return column

    @cached_property
    def called(self) -> FaceSet:
        column: FaceSet = self._column("called")
        return column

    # What follows

    @cached_property
    def off(self) -> Truth:
        """(b) The die went off the table: an event, so a die that bounced back still went off."""
        went_off = self.left_table.yes.surely | self.rest.among("off_table").surely
        stayed = self.left_table.no.surely | self.rest.known
        return went_off | self._unknown_unless(stayed)

    @cached_property
    def leaving_left_open(self) -> Truth:
        """The cell that the house fills for dice that left the table is blank, and the place does not answer it."""
        blank = self._logged("left_table") & ~self.left_table.known
        return blank & ~self.rest.among("off_table").surely

    @cached_property
    def off_without_benefit(self) -> Truth:
        """As ``off``, but a blank cell of a ``left_table`` column that the house does fill leaves it unknown."""
        return self.off.unless_unknown(self.leaving_left_open)

    @cached_property
    def stacked(self) -> Truth:
        """(b) The die came to rest on top of another."""
        return self.rest.among("on_die")

    @cached_property
    def _place_takes_sides(self) -> Truth:
        return ~self.rest.among("layout", "off_table")

    @cached_property
    def propped(self) -> Truth:
        """(f) More than one side rests on chips or another object."""
        by_record = self.resting_sides.several & self._place_takes_sides
        unread = self._unknown_unless(self._place_takes_sides.surely_not)
        return by_record.where(self.resting_sides.known, self._without_sides(unread))

    def _without_sides(self, unreadable: Truth) -> Truth:
        """What holds where no side is known: a blank says more than a cell that cannot be read."""
        return self._blank_sides_matter.where(self.resting_sides.blank, unreadable)

    @cached_property
    def _blank_sides_matter(self) -> Truth:
        """Blank sides: unknown for a cocked die and for one whose place is unknown; false elsewhere."""
        elsewhere = self.rest.among("cocked").surely_not
        return self._unknown_unless(elsewhere)

    @cached_property
    def sides_left_open(self) -> Truth:
        """The cell that the house fills for resting sides is blank, and the place does not answer it.

        On the layout or off the table no side can rest on anything, so there a blank leaves nothing open.
        """
        blank = self._logged("resting_sides") & ~self.resting_sides.known
        return blank & ~self.rest.among("layout", "off_table").surely

    @cached_property
    def propped_without_benefit(self) -> Truth:
        """As ``propped``, but a blank cell of a column that the house does fill leaves it unknown."""
        return self.propped.unless_unknown(self.sides_left_open)

    @cached_property
    def leaning(self) -> Truth:
        """(f) Not flat, and resting by exactly one side: the opposite side counts."""
        by_record = self.resting_sides.exactly_one & self.rest.among(*_CARRIED)
        contradictory = self.resting_sides.none.surely & self.rest.among("cocked").surely
        unread = self._unknown_unless(self.rest.among(*_CARRIED).surely_not)
        without = self._without_sides(unread).where(~contradictory, self._blank_sides_matter)
        return by_record.where(self.resting_sides.known & ~contradictory, without)

    @cached_property
    def due(self) -> Face:
        """(e), (f) The face that counts as uppermost; unknown where the record cannot tell.

        Opposite faces of a casino die add up to 7 (§ 603a.12): a stated assumption.
        """
        opposite = self.resting_sides.only.opposite(self.throw.batch.numbers.fixed("opposite_faces_sum"))
        no_side = self.resting_sides.blank | self.resting_sides.none.surely
        upright = self.rest.among("layout").surely | (self.rest.among(*_UPRIGHT).surely & no_side)
        as_seen = self.observed.where(upright, Face.unknown(self.throw.batch.size))
        return opposite.where(self.leaning, as_seen)

    @cached_property
    def face_dispute(self) -> Truth:
        """(g) It is disputed which face of this die is uppermost."""
        return self.throw.face_disputed & self.throw.disputes_die(self.name)

    @cached_property
    def misread(self) -> Truth:
        """Exactly one number was called, and it is not the face that counts."""
        return self.called.only.differs_from(self.due)

    @cached_property
    def where_no_roll_may_be_called(self) -> Truth:
        """(c)(3), (c)(4) The die rests on the bank, in the cup or on a rail."""
        return self.rest.among("bank", "cup", "rail")

    def _unknown_unless(self, known_false: Truth) -> Truth:
        size = self.throw.batch.size
        return Truth.constant(size, False).where(known_false, Truth.constant(size, None))


class Throw:
    """One throw of the three dice and what was made of it."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.dice = tuple(Die(self, name) for name in DICE)

    def die(self, name: str) -> Die:
        return self.dice[DICE.index(name)]

    def flag(self, name: str) -> Flag:
        column = self.batch.column(name)
        assert isinstance(column, Flag)
        return column

    def choice(self, name: str) -> Choice:
        column = self.batch.column(name)
        assert isinstance(column, Choice)
        return column

    def ident(self, name: str) -> Ident:
        column = self.batch.column(name)
        assert isinstance(column, Ident)
        return column

    def moment(self, name: str) -> Moment:
        column = self.batch.column(name)
        assert isinstance(column, Moment)
        return column

    @property
    def any_throw(self) -> Truth:
        return Truth.constant(self.batch.size, True)

    # What was ruled

    @cached_property
    def ruling(self) -> Choice:
        return self.choice("ruling")

    @cached_property
    def stood(self) -> Truth:
        """The roll was ruled valid."""
        return self.ruling.among("valid")

    @cached_property
    def no_roll(self) -> Truth:
        return self.ruling.among("no_roll")

    @cached_property
    def ruled_void(self) -> Truth:
        return self.ruling.among("void")

    # What the dice did

    @cached_property
    def lost(self) -> Truth:
        """A die went off the table and was not recovered."""
        return self.flag("die_lost").yes_blank_is_no

    @cached_property
    def a_die_is_surely_off(self) -> Truth:
        return any_of(die.off for die in self.dice).surely

    @cached_property
    def dead(self) -> Truth:
        """(b) The roll is invalid without any call: a die off the table or on top of another."""
        return any_of(die.off | die.stacked for die in self.dice) | self.lost

    @cached_property
    def hung(self) -> Truth:
        """(f) The roll is void without discretion: a die rests on more than one side."""
        return any_of(die.propped for die in self.dice)

    @cached_property
    def intact(self) -> Truth:
        """Neither dead nor hung, without the benefit of the doubt: for rules that would call a ruling wrong."""
        dead = any_of(die.off_without_benefit | die.stacked for die in self.dice) | self.lost
        return ~dead & ~any_of(die.propped_without_benefit for die in self.dice)

    @cached_property
    def live(self) -> Truth:
        """The roll stood, and (b) and (f) let it stand."""
        return self.stood & ~self.dead & ~self.hung

    @cached_property
    def standing(self) -> Truth:
        """The roll stood and is not known to be dead or hung: for duties that do not hang on reading the dice."""
        return self.stood & ~self.dead.surely & ~self.hung.surely

    # Grounds and disputes

    @cached_property
    def grounds(self) -> Choices:
        column = self.batch.column("no_roll_grounds")
        assert isinstance(column, Choices)
        return column

    def stated(self, *grounds: str) -> Truth:
        """(c) One of the grounds is recorded; a blank record states none."""
        nothing = Truth.constant(self.batch.size, False)
        return nothing.where(self.grounds.blank, self.grounds.names(*grounds))

    @cached_property
    def disputed(self) -> Truth:
        """(g) A dispute is recorded; cells about a dispute say as much as the cell that says so."""
        cell = self.flag("disputed")
        told = any_of(self.batch.column(name).filled for name in ("dispute_about", "dispute_dice", "dispute_ruling"))
        return told.where(cell.blank, cell.yes)

    @cached_property
    def dispute_is_about_other(self) -> Truth:
        """(g) The dispute is not about which face is uppermost; blank means that it is."""
        about = self.choice("dispute_about")
        return Truth.constant(self.batch.size, False).where(about.blank, about.among("other"))

    @cached_property
    def face_disputed(self) -> Truth:
        return self.disputed & ~self.dispute_is_about_other

    def disputes_die(self, name: str) -> Truth:
        dice = self.batch.column("dispute_dice")
        assert isinstance(dice, Choices)
        return self.any_throw.where(dice.blank, dice.names(name))

    @cached_property
    def dispute_ruling(self) -> Choice:
        return self.choice("dispute_ruling")

    @cached_property
    def voided_by_dispute(self) -> Truth:
        """(g) Disputed, and the stickperson's decision was to void."""
        return self.disputed & self.dispute_ruling.among("void")

    # The neighbours

    @cached_property
    def last(self) -> Neighbour:
        """The throw before this one at the table, across gaming days."""
        return self.batch.neighbour(self.batch.placed.last)

    @cached_property
    def next(self) -> Neighbour:
        """The throw after this one at the table, across gaming days."""
        return self.batch.neighbour(self.batch.placed.next)

    @cached_property
    def replaced(self) -> Neighbour:
        """The throw that this one is said to replace."""
        return self.batch.neighbour(self.batch.placed.target)

    # What § 661a.5 called for

    @cached_property
    def open_to_no_roll(self) -> Truth:
        """(c)(1) to (c)(5) A ground stands in the facts: the stickperson may call "no roll", or not."""
        by_die = any_of(die.hit_far_end.no | die.where_no_roll_may_be_called for die in self.dice)
        return by_die | self.flag("released_together").no | self.flag("device_suspected").yes

    @cached_property
    def called_for(self) -> Any:
        """What the section called for, as a place in ``CALLED_FOR`` (the rows of the ruling matrix)."""
        steps = (("invalid", self.dead), ("void", self.hung), ("open", self.open_to_no_roll))
        codes = pa.array(np.full(self.batch.size, CALLED_FOR.index("valid"), dtype=np.uint8))
        for word, truth in reversed(steps):
            codes = pc.if_else(truth.array, pa.scalar(CALLED_FOR.index(word), pa.uint8()), codes)
        return codes.fill_null(CALLED_FOR.index("unknown"))


def open_blanks(throw: Throw) -> dict[str, Truth]:
    """Blank cells that leave the state of a die open, where they do."""
    blanks = {f"{die.name}_left_table": die.leaving_left_open for die in throw.dice}
    return {**blanks, **{f"{die.name}_resting_sides": die.sides_left_open for die in throw.dice}}


def carried(throw: Throw) -> dict[str, Any]:
    """What a neighbour, or the whole, sees of a throw: nothing that hangs on what its file logs elsewhere."""
    day_set = throw.moment("set_opened_at")
    hours = throw.batch.number("dice_set_hours")
    limit = pc.multiply(hours, 3600)
    names = throw.ident(ROLES.names_event)
    serials = {f"{die.name}_die": die.serial.array for die in throw.dice}
    return {
        "ruled_valid": throw.stood.array,
        "ruled_void": throw.ruled_void.array,
        "live": throw.live.array,
        "voided_by_dispute": throw.voided_by_dispute.array,
        "dispute_left_open": (throw.disputed.surely & throw.dispute_ruling.blank).array,
        "dispute_unreadable": (throw.flag("disputed").unreadable | throw.dispute_ruling.unreadable).array,
        "lost": throw.lost.array,
        "lost_unreadable": throw.flag("die_lost").unreadable.array,
        "names_event": names.filled.unless_unknown(names.unreadable).array,
        "round": throw.ident("round").array,
        "dice_set": throw.ident("dice_set").array,
        "set_opened_at": day_set.array,
        "set_overdue": throw.moment(ROLES.time).later_than(day_set, limit).array,
        **serials,
    }
