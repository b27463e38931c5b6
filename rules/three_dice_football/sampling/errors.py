"""Errors in honest throws, each with the findings that an audit must make of it.

An error takes a plain throw (valid, every die flat) and changes what the error is; most change the one row, some need
the row after it. What each must yield follows from the specification and not from the rules' own code.
"""

from __future__ import annotations

from collections.abc import Callable

from rules.three_dice_football.columns import DICE
from rules.three_dice_football.sampling.world import TableDay, name_as_rethrow, uncall

#: One line of the answer key: place of the row in its table day, part, rule, outcome.
Answer = tuple[int, str, str, str]

BREACH, UNVERIFIABLE = "breach", "unverifiable"


class Row:
    """One row to be spoilt."""

    def __init__(self, day: TableDay, at: int) -> None:
        self.day, self.at = day, at
        self.die = str(day.random.choice(DICE))

    def __getitem__(self, column: str) -> str:
        return str(self.day.cells[column][self.at])

    def set(self, **cells: str) -> None:
        for column, text in cells.items():
            self.day.cells[column][self.at] = text

    def set_die(self, **cells: str) -> None:
        self.set(**{f"{self.die}_{field}": text for field, text in cells.items()})

    def rule(self, ruling: str, grounds: str = "") -> None:
        """Rule the roll out: nothing is called, no wager decided."""
        uncall(self.day, self.at)
        self.set(ruling=ruling, no_roll_grounds=grounds)

    def move(self, seconds: int, *columns: str) -> None:
        for column in columns:
            self.day.seconds[column][self.at] += seconds

    def at_time(self, column: str) -> int:
        return int(self.day.seconds[column][self.at])

    def put_time(self, column: str, seconds: int) -> None:
        self.day.seconds[column][self.at] = seconds

    def other_face(self, *but: str) -> str:
        return str(self.day.random.choice([face for face in "123456" if face not in but]))

    def lean(self) -> tuple[str, str]:
        """Let the die lean on one side; that side and the one opposite."""
        side = str(self.day.random.integers(1, 7))
        opposite = str(7 - int(side))
        self.set_die(rest="cocked", resting_sides=side, observed=opposite, called=opposite)
        return side, opposite

    def prop(self) -> None:
        """Let the die rest on two sides, with another on top."""
        one = str(self.day.random.integers(1, 7))
        two = self.other_face(one, str(7 - int(one)))
        top = self.other_face(one, two)
        self.set_die(rest="cocked", resting_sides=f"{one}|{two}", observed=top, called=top)

    def fell_void(self) -> None:
        self.prop()
        self.set_die(observed="")
        self.rule("void")

    def breach(self, rule: str, part: str = "") -> list[Answer]:
        return [(self.at, part, rule, BREACH)]


Spoil = Callable[[Row], list[Answer]]


def _cells(rule: str, **cells: str) -> Spoil:
    """Set cells of the throw."""

    def spoil(row: Row) -> list[Answer]:
        row.set(**cells)
        return row.breach(rule)

    return spoil


def _die(rule: str, **cells: str) -> Spoil:
    """Set cells of one die."""

    def spoil(row: Row) -> list[Answer]:
        row.set_die(**cells)
        return row.breach(rule, row.die)

    return spoil


def _ruled(rule: str, ruling: str, grounds: str = "", **cells: str) -> Spoil:
    """Rule the roll out, with cells that go with it."""

    def spoil(row: Row) -> list[Answer]:
        row.rule(ruling, grounds)
        row.set(**cells)
        return row.breach(rule)

    return spoil


def _off_but_stayed(row: Row) -> list[Answer]:
    row.rule("invalid")
    row.set_die(rest="off_table", observed="")
    return row.breach("TDF-B4", row.die)


def _wrong_number(row: Row) -> list[Answer]:
    row.set_die(called=row.other_face(row[f"{row.die}_observed"]))
    return row.breach("TDF-E2", row.die)


def _two_numbers(row: Row) -> list[Answer]:
    face = row[f"{row.die}_called"]
    row.set_die(called=f"{face}/{row.other_face(face)}")
    return row.breach("TDF-E3", row.die)


def _one_blank(row: Row) -> list[Answer]:
    row.set_die(called="")
    return row.breach("TDF-E1")


def _no_ruling(row: Row) -> list[Answer]:
    row.set(ruling="")
    return [(row.at, "", "LOG-7", UNVERIFIABLE)]


def _called_no_roll(row: Row) -> list[Answer]:
    row.set(ruling="no_roll", no_roll_grounds="c6", settlement="none_decided")
    return row.breach("TDF-E4")


def _late(row: Row) -> list[Answer]:
    row.move(11, "called_at", "collected_at", "settled_at", "passed_at")
    return row.breach("TDF-E5")


def _early(row: Row) -> list[Answer]:
    row.put_time("called_at", row.at_time("at_rest_at") - 1)
    return row.breach("TDF-E6")


def _opposite_not_called(row: Row) -> list[Answer]:
    _, opposite = row.lean()
    row.set_die(called=row.other_face(opposite))
    return row.breach("TDF-F1", row.die)


def _propped_counted(row: Row) -> list[Answer]:
    row.prop()
    return row.breach("TDF-F2", row.die)


def _rests_on_top(row: Row) -> list[Answer]:
    side, _ = row.lean()
    row.set_die(observed=side)
    return row.breach("TDF-F9", row.die)


def _seen_on_edge(row: Row) -> list[Answer]:
    side, opposite = row.lean()
    row.set_die(observed=row.other_face(side, opposite))
    return row.breach("TDF-F10", row.die)


def _flat_on_chips(row: Row) -> list[Answer]:
    row.set_die(resting_sides=row.other_face())
    return row.breach("TDF-F11", row.die)


def _dispute_open(row: Row) -> list[Answer]:
    row.set(disputed="yes", dispute_about="face")
    return [(row.at, "", "TDF-G1", UNVERIFIABLE)]


def _discretion(row: Row) -> list[Answer]:
    row.set(disputed="yes", dispute_about="face", dispute_ruling="face", dispute_dice=row.die)
    row.set_die(called=row.other_face(row[f"{row.die}_observed"]))
    return row.breach("TDF-G3", row.die)


def _paid_before_collected(row: Row) -> list[Answer]:
    row.put_time("settled_at", row.at_time("collected_at") - 1)
    return row.breach("TDF-H4")


def _old_set(row: Row) -> list[Answer]:
    row.put_time("set_opened_at", row.at_time("thrown_at") - 24 * 3600 - 1)
    return row.breach("TDF-S2")


def _one_serial(row: Row) -> list[Answer]:
    row.set(def_die=row["off1_die"])
    return row.breach("TDF-S4")


def _impossible_times(row: Row) -> list[Answer]:
    row.put_time("at_rest_at", row.at_time("thrown_at") - 2)
    row.put_time("called_at", row.at_time("thrown_at") - 1)
    return row.breach("TDF-T1")


def _colors(row: Row) -> list[Answer]:
    row.set_die(color="green" if row.die == "def" else "red")
    return row.breach("TDF-S1")


#: Errors in one throw, which may stand in any plain one.
LOCAL: dict[str, Spoil] = {
    "TDF-A1": _cells("TDF-A1", released_together="no"),
    "TDF-A2": _die("TDF-A2", hit_far_end="no"),
    "TDF-B1": _die("TDF-B1", left_table="yes"),
    "TDF-B1 off": _die("TDF-B1", left_table="yes", rest="off_table"),
    "TDF-B2": _die("TDF-B2", rest="on_die"),
    "TDF-B3": _ruled("TDF-B3", "invalid"),
    "TDF-B4": _off_but_stayed,
    "TDF-C1": _ruled("TDF-C1", "no_roll", "c1"),
    "TDF-C2": _ruled("TDF-C2", "no_roll", "c2"),
    "TDF-C3": _ruled("TDF-C3", "no_roll", "(c)(3)"),
    "TDF-C4": _ruled("TDF-C4", "no_roll", "c4"),
    "TDF-C5": _cells("TDF-C5", device_suspected="yes"),
    "TDF-C7": _ruled("TDF-C7", "no_roll", "other"),
    "TDF-C8": _die("TDF-C8", rest="rail"),
    "TDF-C9": _ruled("TDF-C9", "no_roll", "c6", ruling_by="other"),
    "TDF-D1": _ruled("TDF-D1", "no_roll", "chips", touched_chips="yes"),
    "TDF-D2": _ruled("TDF-D2", "no_roll", "chips;c6", touched_chips="yes"),
    "TDF-D3": _ruled("TDF-D3", "no_roll", "chips;c2", touched_chips="no", off1_hit_far_end="no"),
    "TDF-E1": _one_blank,
    "TDF-E2": _wrong_number,
    "TDF-E3": _two_numbers,
    "TDF-E4": _called_no_roll,
    "TDF-E5": _late,
    "TDF-E6": _early,
    "TDF-E7": _die("TDF-E7", called="none"),
    "TDF-F1": _opposite_not_called,
    "TDF-F2": _propped_counted,
    "TDF-F9": _rests_on_top,
    "TDF-F10": _seen_on_edge,
    "TDF-F11": _flat_on_chips,
    "TDF-G1": _dispute_open,
    "TDF-G2": _cells("TDF-G2", disputed="yes", dispute_about="face", dispute_ruling="void"),
    "TDF-G3": _discretion,
    "TDF-G5": _cells("TDF-G5", dispute_ruling="face"),
    "TDF-H1": _cells("TDF-H1", stick_used="no"),
    "TDF-H2": _ruled("TDF-H2", "no_roll", "c6", settlement="settled"),
    "TDF-H3": _cells("TDF-H3", settlement="not_settled"),
    "TDF-H4": _paid_before_collected,
    "TDF-H6": _cells("TDF-H6", dice_centered="no"),
    "TDF-S1": _colors,
    "TDF-S2": _old_set,
    "TDF-S4": _one_serial,
    "TDF-T1": _impossible_times,
    "LOG-5": _die("LOG-5", called="9"),
    "LOG-7": _no_ruling,
}

#: Errors that leave each other alone, so that one throw may have two.
TOGETHER = ("TDF-C5", "TDF-H1", "TDF-H6", "TDF-S1", "TDF-S2", "TDF-E5", "TDF-A1", "TDF-E2", "TDF-H3")


# Errors that need the throw before, or those after


def _lost_counted(row: Row, after: Row) -> list[Answer]:
    row.set(die_lost="yes")
    _new_set(after)
    return [*row.breach("TDF-B1"), *row.breach("TDF-B5")]


def _lost_ruled(row: Row, after: Row) -> list[Answer]:
    row.rule("invalid")
    row.set(die_lost="yes")
    _new_set(after)
    return row.breach("TDF-B5")


def _new_set(after: Row) -> None:
    """The one throw is made with another set."""
    after.set(dice_set=after["dice_set"] + "X", **{f"{die}_die": after[f"{die}_die"] + "X" for die in DICE})


def _set_kept(row: Row, after: Row) -> list[Answer]:
    row.rule("invalid")
    row.set(die_lost="yes")
    row.set_die(left_table="yes", rest="off_table", observed="")
    after.set(dice_set=row["dice_set"])
    return after.breach("TDF-S3")


def _void_for_nothing(row: Row, after: Row) -> list[Answer]:
    row.rule("void")
    name_as_rethrow(row.day, after.at, row.at)
    return row.breach("TDF-F3")


def _not_rethrown(row: Row, after: Row) -> list[Answer]:
    row.fell_void()
    after.set(round=row["round"] + "N")
    return row.breach("TDF-F4")


def _valid_rethrown(row: Row, after: Row) -> list[Answer]:
    name_as_rethrow(row.day, after.at, row.at)
    return after.breach("TDF-F5")


def _rethrow_of_nothing(row: Row, after: Row) -> list[Answer]:
    after.set(rethrow_of="T-0000")
    return after.breach("TDF-F6")


def _other_dice(row: Row, after: Row) -> list[Answer]:
    row.fell_void()
    name_as_rethrow(row.day, after.at, row.at)
    after.set(off1_die=after["off1_die"] + "B")
    return after.breach("TDF-F8")


def _void_for_payment(row: Row, after: Row) -> list[Answer]:
    row.rule("void")
    row.set(disputed="yes", dispute_about="other", dispute_ruling="void")
    name_as_rethrow(row.day, after.at, row.at)
    return row.breach("TDF-G4")


def _passed_late(row: Row, after: Row) -> list[Answer]:
    row.put_time("passed_at", after.at_time("thrown_at") + 1)
    return row.breach("TDF-H5")


def _backward(row: Row, after: Row) -> list[Answer]:
    after.move(row.at_time("thrown_at") - after.at_time("thrown_at") - 1, *_OWN_TIMES)
    return after.breach("LOG-3")


_OWN_TIMES = ("thrown_at", "at_rest_at", "called_at", "collected_at", "settled_at", "passed_at")


def _numbers_left_out(row: Row, after: Row) -> list[Answer]:
    _renumber(after, 2)
    return after.breach("LOG-2")


def _number_twice(row: Row, after: Row) -> list[Answer]:
    _renumber(after, -1)
    return after.breach("LOG-6")


def _renumber(row: Row, by: int) -> None:
    """Shift the running numbers from this throw to the end of the day."""
    seq = row.day.cells["seq"]
    for at in range(row.at, len(row.day)):
        if seq[at]:
            seq[at] = str(int(seq[at]) + by)


def _entered_twice(row: Row, after: Row) -> list[Answer]:
    """The throw is entered once more in place of the one after it; the numbers close up."""
    for texts in row.day.cells.values():
        texts[after.at] = texts[row.at]
    for times in row.day.seconds.values():
        times[after.at] = times[row.at]
    _renumber(Row(row.day, after.at + 1), -1)
    return row.breach("LOG-1")


#: Errors in a plain throw and the plain one after it.
PAIRED: dict[str, Callable[[Row, Row], list[Answer]]] = {
    "TDF-B1 lost": _lost_counted,
    "TDF-B5": _lost_ruled,
    "TDF-S3": _set_kept,
    "TDF-F3": _void_for_nothing,
    "TDF-F4": _not_rethrown,
    "TDF-F5": _valid_rethrown,
    "TDF-F6": _rethrow_of_nothing,
    "TDF-F8": _other_dice,
    "TDF-G4": _void_for_payment,
    "TDF-H5": _passed_late,
    "LOG-1": _entered_twice,
    "LOG-2": _numbers_left_out,
}

#: At most one of these a table and day: they change what the others of the day hang on.
ONCE_A_DAY = {"LOG-3": _backward, "LOG-6": _number_twice}


def rethrown_twice(row: Row, after: Row, third: Row) -> list[Answer]:
    row.fell_void()
    name_as_rethrow(row.day, after.at, row.at)
    name_as_rethrow(row.day, third.at, row.at)
    return third.breach("TDF-F7")
