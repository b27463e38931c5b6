"""Whole games of Die, played by the rules, with errors and gaps planted where they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from rules.die.sampling import errors
from rules.die.sampling.errors import Answer
from rules.die.sampling.play import NAMES, Table, line
from rules.sampling import Answered, Sample

#: A stretch of text is given out when it holds so many rows.
_STRETCH = 2_000


def sample(request: Sample) -> Iterator[Answered]:
    """The log as text with its answers; the last game may be cut off, and then says that it is part of one."""
    yield Answered(",".join(NAMES) + "\n", ())
    random = Random(request.seed)
    left, number, minutes = request.events, 0, 0
    text: list[str] = []
    answers: list[Answer] = []
    while left > 0:
        number += 1
        table, planted = _game(random, f"G{number:06d}", minutes, request, clean=number == 1)
        minutes = table.minutes + 5
        if len(table.rows) > left:
            table, planted = _game(random, f"G{number:06d}", minutes, request, clean=True)
            del table.rows[left:]
            for row in table.rows:
                row["log_scope"] = "partial"
        left -= len(table.rows)
        text.extend(map(line, table.rows))
        answers.extend(planted)
        if len(text) >= _STRETCH:
            yield Answered("".join(text), tuple(answers))
            text, answers = [], []
    if text:
        yield Answered("".join(text), tuple(answers))


def _game(random: Random, name: str, minutes: int, request: Sample, clean: bool) -> tuple[Table, list[Answer]]:
    """One game. The first of a log is clean, so that every column has values."""
    table = Table(random, name, minutes)
    answers: list[Answer] = []

    def strikes(rate: float) -> bool:
        return not clean and rate > 0 and random.random() < rate

    if strikes(min(request.error_rate * 2, 0.5)):
        answers += random.choice(errors.OPENING)(table)
    if strikes(request.error_rate * 0.3) and not answers:
        return table, errors.won_on_fifa(table)
    if clean:
        _show(table)
    while table.winner is None:
        calm = errors.calm(table)
        if calm and strikes(request.error_rate * 0.3):
            return table, answers + random.choice(errors.END)(table)
        row = table.begin()
        if calm and strikes(request.gap_rate):
            answers += errors.gap(table, row)
        elif calm and strikes(request.error_rate):
            answers += random.choice(errors.MIDDLE)(table, row)
        else:
            table.write(row, *table.throw(row))
        table.pass_on()
    return table, answers


def _show(table: Table) -> None:
    """A FIFA early in the first game, so that its column has values."""
    row = table.begin()
    mates = table.teams[1 - table.turn]
    row.update(path="M>K>C", fifa=f"{mates[0]}.foot>{mates[1]}.knee", catch_by=mates[0], catch_how="1h")
    table.write(row, 0, 2)
    table.pass_on()
