"""What each roll is worth, who may roll after it, and whether it was a bunco (BUN-04 to BUN-09, BUN-20)."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from rules.bunco.columns import ROLL
from rules.bunco.options import House
from rules.bunco.rows import NO, UNKNOWN, YES, Bools, Ints, Rows
from rules.bunco.tables import ROWS, SAME, scored

BUNCO, WIPEOUT, THREE, TWO_TARGETS, ONE_TARGET, NOTHING = range(len(ROWS))


@lru_cache(maxsize=8)
def scoring(house: House) -> tuple[Ints, Ints, Bools]:
    """The scoring table over all targets and dice: row, points, whether the player keeps the dice.

    The index is target × 216 + the dice as a number in base six.
    """
    faces = range(1, 7)
    worth = [scored(house, target, dice) for target in range(7) for dice in product(faces, faces, faces)]
    return (
        np.array([ROWS.index(one.row) for one in worth]),
        np.array([one.points for one in worth]),
        np.array([one.next_player == SAME for one in worth]),
    )


class Rolls:
    """Facts about rolls, as columns over all rows; on rows of other kinds they mean nothing."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.is_roll: Bools = rows.kind == ROLL

    @cached_property
    def dice_known(self) -> Bools:
        """All three faces are known."""
        return self.is_roll & (self.rows.dice > 0).all(axis=1)

    @cached_property
    def judged(self) -> Bools:
        """Dice and round are known, so that the scoring table can be read."""
        return self.dice_known & (self.rows.played > 0) & ~self.rows.beyond

    @cached_property
    def _index(self) -> Ints:
        house = self.rows.house
        targets = np.array([0] + [house.target(number) for number in range(1, house.last_round + 1)])
        d = np.maximum(self.rows.dice, 1) - 1
        target = targets[np.where(self.judged, self.rows.played, 0)]
        index: Ints = target * 216 + d[:, 0] * 36 + d[:, 1] * 6 + d[:, 2]
        return index

    @cached_property
    def row(self) -> Ints:
        """The row of the scoring table that holds, -1 where it cannot be told."""
        return np.where(self.judged, scoring(self.rows.house)[0][self._index], UNKNOWN)

    @cached_property
    def target(self) -> Ints:
        """The face that the round asks for; 0 where the round is not known."""
        return self._index // 216

    @cached_property
    def _silent(self) -> Ints:
        """The bunco is void because it was not shouted: yes, no, or not known."""
        void = np.zeros(len(self.rows), dtype=np.int8)
        if self.rows.house.silent_buncos_are_void:
            void = np.where(self.row == BUNCO, np.select([self.rows.called < 0, self.rows.called == NO], [-1, 1]), 0)
        return void

    @cached_property
    def due(self) -> Ints:
        """The points that the dice are worth, 0 where that is not known."""
        points = np.where(self.judged, scoring(self.rows.house)[1][self._index], 0)
        return np.where(self._silent == YES, 0, points)

    @cached_property
    def points_wrong(self) -> Ints:
        """The logged points differ from those due: yes, no, or not known."""
        differ = self.rows.points != self.due
        # a bunco of which nobody knows whether it was shouted may be worth nothing
        differ &= ~((self._silent == UNKNOWN) & (self.rows.points == 0))
        return np.where(self.judged & self.rows.points_known, differ, UNKNOWN).astype(np.int8)

    @cached_property
    def keeps(self) -> Ints:
        """The player keeps the dice: by the dice; where these are not known, by the logged points."""
        house = self.rows.house
        by_dice = scoring(house)[2][self._index] & (self._silent != YES)
        by_points = self.rows.points > 0
        if house.three_ends_turn:
            by_points &= self.rows.points != house.three_of_a_kind
        told = np.where(self.judged, by_dice, by_points).astype(np.int8)
        told[~self.judged & (~self.rows.points_known | self.dice_known)] = UNKNOWN
        told[self.judged & (self._silent == UNKNOWN)] = UNKNOWN
        return told

    @cached_property
    def bunco(self) -> Ints:
        """Three of the target: by the dice; where these are not known, by the logged points."""
        by_points = np.where(self.rows.points_known, self.rows.points == self.rows.house.bunco_points, UNKNOWN)
        told = np.where(self.judged, self.row == BUNCO, np.where(self.dice_known, UNKNOWN, by_points)).astype(np.int8)
        told[~self.is_roll] = NO
        return told

    @cached_property
    def counts_as_bunco(self) -> Ints:
        """A bunco that counts: where the house has it so, one that was shouted."""
        told = self.bunco.copy()
        told[self._silent == YES] = NO
        told[(self._silent == UNKNOWN) & (told == YES)] = UNKNOWN
        return told

    @cached_property
    def wipeout(self) -> Ints:
        """A wipeout: yes, no, or not known."""
        told = self.judged | self.dice_known | (self.rows.points_known & (self.rows.points > 0)) | ~self.is_roll
        return np.select([self.row == WIPEOUT, told], [YES, NO], UNKNOWN).astype(np.int8)

    # What is added up

    @cached_property
    def worth_known(self) -> Bools:
        """Logged points or points due are known."""
        return self.is_roll & (self.rows.points_known | self.judged)

    @cached_property
    def as_logged(self) -> Ints:
        """The points as logged; where they are blank, the points due."""
        return np.where(self.rows.points_known, self.rows.points, self.due)

    @cached_property
    def as_due(self) -> Ints:
        """The points due; where the dice are not known, the logged points."""
        return np.where(self.judged & (self._silent != UNKNOWN), self.due, self.as_logged)
