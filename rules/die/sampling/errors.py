"""Errors and gaps that are planted in a game: each writes a toss down wrongly and says what must be found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rules.die.sampling.play import TARGET, Row, Table, clock
from rules.examples import BREACH, UNVERIFIABLE

Answer = tuple[str, str, str, str]


@dataclass(frozen=True)
class Planted:
    """What is due of a toss that was made for an error, what is written down, and the rule that names it."""

    rule: str
    path: str
    attack: int
    defence: int
    how: str = ""
    over: str = ""
    fifa: tuple[str, ...] = ()
    height: str = "ok"


#: A toss, and the points that are wrongly written down for attack and defence.
WRONG: tuple[Planted, ...] = (
    Planted("DIE-05", "F>G", 0, 0),
    Planted("DIE-05", "F>G", 0, 1),
    Planted("DIE-05", "F>R", 1, 0),
    Planted("DIE-05", "F>G", 1, 1),
    Planted("DIE-06", "F>O>G", 0, 0),
    Planted("DIE-07", "F>C", 1, 0, "1h"),
    Planted("DIE-08", "F>C", 0, 0, "2h"),
    Planted("DIE-08", "F>T", 0, 0, "body"),
    Planted("DIE-09", "F>f>G", 3, 0),
    Planted("DIE-09", "f>G", 1, 0),
    Planted("DIE-10", "F>o>G", 2, 0),
    Planted("DIE-14", "F>G", 1, 0, height="low"),
    Planted("DIE-16", "O>C", 1, 0, "1h"),
    Planted("DIE-16", "O>F>G", 1, 0),
    Planted("DIE-17", "O>o>C", 0, 1, "1h"),
    Planted("DIE-18", "F>T", 0, 0, "obj"),
    Planted("DIE-19", "F>C", 0, 0, "1h", "yes"),
    Planted("DIE-20", "F>K>C", 0, 2, "1h", fifa=("foot", "knee")),
    Planted("DIE-21", "M>K>C", 0, 2, "1h", fifa=("foot",)),
    Planted("DIE-22", "M>K>C", 0, 2, "1h", fifa=("foot", "forearm")),
)

#: A toss, the points written down, and the cell that is left blank: what then cannot be told.
GAPS: tuple[tuple[str, str, str, Planted], ...] = (
    ("path", "DIE-05", UNVERIFIABLE, Planted("", "F>G", 1, 0)),
    ("catch_how", "DIE-07", UNVERIFIABLE, Planted("", "F>C", 0, 0, "1h")),
    ("catch_by", "DIE-07", UNVERIFIABLE, Planted("", "F>C", 0, 0, "1h")),
    ("catch_how", "DIE-16", UNVERIFIABLE, Planted("", "O>C", 0, 1, "1h")),
    ("fifa", "DIE-21", UNVERIFIABLE, Planted("", "M>K>C", 0, 2, "1h", fifa=("foot", "knee"))),
    ("thrower", "LOG-7", UNVERIFIABLE, Planted("", "F>G", 1, 0)),
)


def _happened(table: Table, row: Row, toss: Planted) -> None:
    """Fill in what happened, as the planted toss has it."""
    mates = table.teams[1 - table.turn]
    row.update(path=toss.path, catch_how=toss.how, over_table=toss.over, height=toss.height)
    row["catch_by"] = mates[0] if toss.how else ""
    if toss.fifa:
        touchers = [mates[number % 2] for number in range(len(toss.fifa))]
        row["catch_by"] = mates[0] if len(toss.fifa) > 1 else mates[1]
        row["fifa"] = ">".join(f"{player}.{part}" for player, part in zip(touchers, toss.fifa, strict=True))


def _id(row: Row) -> str:
    return f"{row['game_id']}#{row['toss']}"


def wrong_points(table: Table, row: Row) -> list[Answer]:
    """A toss is given the wrong points."""
    toss = table.random.choice(WRONG)
    _happened(table, row, toss)
    table.write(row, toss.attack, toss.defence)
    return [(_id(row), "", toss.rule, BREACH)]


def gap(table: Table, row: Row) -> list[Answer]:
    """A cell is left blank."""
    column, rule, outcome, toss = table.random.choice(GAPS)
    _happened(table, row, toss)
    table.write(row, toss.attack, toss.defence)
    row[column] = ""
    return [(_id(row), "", rule, outcome)]


def wrong_sum(table: Table, row: Row) -> list[Answer]:
    """The score is added up wrongly, and the game goes on from it."""
    table.write(row, *table.throw(row))
    if table.winner is None:
        table.score[0] += 1
        row["score_a"] = str(table.score[0])
        return [(_id(row), "", "DIE-23", BREACH)]
    return []


def two_at_once(table: Table, row: Row) -> list[Answer]:
    """Two players of a team throw at a time."""
    row.update(path="F>R", thrower=table.teams[table.turn][0])
    table.write(row, 0, 0)
    other = dict(row, thrower=table.teams[table.turn][1], tossed_at=row["tossed_at"])
    table.rows.append(other)
    return [(_id(row), "", "DIE-04", BREACH)]


def other_player(table: Table, row: Row) -> list[Answer]:
    """A contested throw is done again by the team-mate."""
    mates = table.teams[table.turn]
    team = next((team for team in (0, 1) if table.contests[team]), None)
    if team is None:
        return second_contest(table, row)
    table.contests[team] -= 1
    row.update(path="F>G", thrower=mates[0], challenge="AB"[team])
    table.write(row, 0, 0)
    again = table.begin()
    again.update(path="F>R", thrower=mates[1])
    table.write(again, 0, 0)
    return [(_id(again), "", "DIE-15", BREACH)]


def second_contest(table: Table, row: Row) -> list[Answer]:
    """A team contests though it has none left."""
    team = next((team for team in (0, 1) if not table.contests[team]), None)
    if team is None:
        return wrong_points(table, row)
    row.update(path="F>G", challenge="AB"[team])
    table.write(row, 0, 0)
    return [(_id(row), "", "DIE-15", BREACH)]


def written_twice(table: Table, row: Row) -> list[Answer]:
    """A toss is written down twice."""
    row.update(path="F>R")
    table.write(row, 0, 0)
    table.rows.append(dict(row))
    return [(_id(row), "", "LOG-1", BREACH)]


def missing(table: Table, row: Row) -> list[Answer]:
    """A toss is not written down."""
    table.toss += 1
    row.update(path="F>R", toss=str(table.toss))
    table.write(row, 0, 0)
    return [(_id(row), "", "LOG-2", BREACH)] if len(table.rows) > 1 else []


def backward(table: Table, row: Row) -> list[Answer]:
    """A time is earlier than the one before it."""
    row.update(path="F>R")
    table.write(row, 0, 0)
    before, earlier = table.rows[-2], table.rows[-3]
    if before["toss"] == earlier["toss"] or earlier["tossed_at"] > before["tossed_at"]:
        return []  # a toss with two rows has no one time, and one that is earlier already is no yardstick
    row["tossed_at"] = clock(table.minutes - 3, 0)
    return [(_id(row), "", "LOG-3", BREACH)]


def unreadable(table: Table, row: Row) -> list[Answer]:
    """A path has a letter that there is none of."""
    row.update(path="F>X>G")
    table.write(row, 1, 0)
    return [(_id(row), "", "LOG-5", BREACH)]


#: Errors of a toss in the middle of a game, where no end is near.
MIDDLE: tuple[Callable[[Table, Row], list[Answer]], ...] = (
    *((wrong_points,) * 12),
    wrong_sum,
    two_at_once,
    other_player,
    second_contest,
    written_twice,
    missing,
    backward,
    unreadable,
)


def calm(table: Table) -> bool:
    """No end is near, whatever is written down, and the toss before leaves nothing open."""
    return max(table.score) <= TARGET - 5 and not table.again and table.toss >= 3


def no_height(table: Table) -> list[Answer]:
    """No height is recorded."""
    table.opening["min_height"] = ""
    return [(table.game, "", "DIE-01", UNVERIFIABLE)]


def tied_roll(table: Table) -> list[Answer]:
    """A tie is not rolled again."""
    table.opening.update(roll_a="4", roll_b="4")
    return [(table.game, "", "DIE-02", BREACH)]


def wrong_first(table: Table) -> list[Answer]:
    """The wrong team throws first."""
    table.turn = 1 - table.turn
    return [(f"{table.game}#1", "", "DIE-03", BREACH)]


def no_referee(table: Table) -> list[Answer]:
    """Nobody is named as referee."""
    table.opening["referee"] = ""
    return [(f"{table.game}#1", "", "LOG-4", BREACH)]


#: Errors of a whole game, from its opening on.
OPENING: tuple[Callable[[Table], list[Answer]], ...] = (no_height, tied_roll, wrong_first, no_referee)


def sink_goes_on(table: Table) -> list[Answer]:
    """The game does not end on a sink."""
    row = table.begin()
    row.update(path=table.random.choice(("F>SF", "O>SO")))
    table.write(row, 0, 0)
    rule = "DIE-11" if row["path"] == "F>SF" else "DIE-17"
    return [(_id(row), "", rule, BREACH)]


def ends_early(table: Table) -> list[Answer]:
    """The game is stopped before anybody has won."""
    row = table.begin()
    row.update(path="F>R", winner="A")
    table.write(row, 0, 0)
    return [(_id(row), "", "DIE-12", BREACH)]


def won_on_fifa(table: Table) -> list[Answer]:
    """The defence wins on a FIFA."""
    defence = 1 - table.turn
    row = table.begin()
    table.opening.update(start_a="7", start_b="7", log_scope="partial")
    row.update(table.opening)
    table.score = [7, 7]
    _happened(table, row, Planted("", "M>K>C", 0, 2, "1h", fifa=("foot", "knee")))
    table.write(row, 0, 2)
    row["winner"] = "AB"[defence]
    return [(_id(row), "", "DIE-13", BREACH), (_id(row), "", "DIE-13", UNVERIFIABLE)]


def goes_on_after(table: Table) -> list[Answer]:
    """Two more tosses follow the end."""
    row = table.begin()
    row.update(path="F>SF", winner="AB"[table.turn])
    table.write(row, 0, 0)
    for _ in range(2):
        further = table.begin()
        further.update(path="F>R")
        table.write(further, 0, 0)
    return [(f"{table.game}#{table.toss - 1}", "", "DIE-24", BREACH)]


#: Errors at the end of a game, which they make.
END: tuple[Callable[[Table], list[Answer]], ...] = (sink_goes_on, ends_early, goes_on_after)
