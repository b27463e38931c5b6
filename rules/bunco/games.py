"""From the columns of an audit to the rows of whole games, and from what was found there back to columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rules.batch import Batch
from rules.bunco.columns import CATALOGUE, DICE, ROLL
from rules.bunco.evening import Judged, judged
from rules.bunco.judged import CODES, Ruling
from rules.bunco.options import House
from rules.bunco.rows import JUDGED_BY_KIND, UNKNOWN, YES, Bools, Ints, Players, Rows, logged_here
from rules.kit import Games

#: Numbers beyond this are held to it: no evening comes near, and sums stay whole.
_MOST = 10**9
_HIGHEST_TABLE = 999

TOLD = ("message", "expected", "recorded")


def house_of(options: Mapping[str, Any]) -> House:
    """The options in force as the facts read them; what is unset is as if it were 0."""
    names = {field.name for field in fields(House)}
    return House(**{name: value for name, value in options.items() if name in names and value is not None})


class _Reader:
    """Columns of the whole audit in the order of the games."""

    def __init__(self, whole: Batch, order: Ints) -> None:
        self.whole = whole
        self.order = pa.array(order)

    def known(self, name: str) -> Bools:
        return self.whole.column(name).array.is_valid().to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]

    def mask(self, name: str) -> Bools:
        """Where a value is known."""
        return self.whole.column(name).array.take(self.order).is_valid().to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]

    def numbers(self, name: str, absent: int = UNKNOWN, most: int = _MOST) -> Ints:
        """Whole numbers, codes of words, or yes and no as 1 and 0."""
        array = self.whole.column(name).array.take(self.order).cast(pa.int64()).fill_null(absent)
        return np.clip(array.to_numpy(zero_copy_only=False), -_MOST, most)  # type: ignore[no-any-return]

    def people(self, name: str, players: Players) -> Ints:
        """Codes of lists of players."""
        lists = np.append(players.take(self.whole.texts(name).to_pylist()), UNKNOWN)
        return lists[self.numbers(name)]


def order_of(whole: Batch, house: House) -> Ints:
    """Audited rows, game after game, each by its numbers; with numbers for each table, table after table."""
    placed = whole.placed
    rows = np.flatnonzero(~placed.duplicate)
    game = _game(whole)
    if not house.seq_by_table:
        return rows[np.lexsort((placed.position[rows], game[rows]))]
    table = table_of_order(whole).fill_null(_HIGHEST_TABLE + 1).to_numpy(zero_copy_only=False)
    return rows[np.lexsort((placed.position[rows], table[rows], game[rows]))]


def table_of_order(batch: Batch) -> Any:
    """The table in whose numbers a row stands: its own, else the one that a move comes from."""
    return pc.coalesce(batch.column("table").array, batch.column("from_table").array)


def _game(whole: Batch) -> Ints:
    """A number for each site and game."""
    site = whole.column("site").array.fill_null(UNKNOWN).to_numpy(zero_copy_only=False).astype(np.int64)
    game = whole.column("game_id").array.to_numpy(zero_copy_only=False).astype(np.int64)
    return (site + 1) * (int(game.max(initial=0)) + 1) + game  # type: ignore[no-any-return]


def rows_of(whole: Batch) -> tuple[Rows, Ints]:
    """The rows of whole games, and where each stands in the audit."""
    house = house_of(whole.pack.house)
    order = order_of(whole, house)
    read, players = _Reader(whole, order), Players()
    who, against, scorer = (read.people(name, players) for name in ("player", "opponents", "scorer"))
    dice = np.stack([read.numbers(die, 0) for die in DICE], axis=1)
    bad = np.zeros(whole.size, dtype=bool)
    for die in DICE:
        bad[whole.unreadable.get(die, np.zeros(0, dtype=np.int64))] = True
    kind = read.numbers("kind")
    file = np.zeros(whole.size, dtype=np.int64) if whole.file_of is None else whole.file_of.astype(np.int64)
    game = _game(whole)[order]
    gap = whole.placed.gap_before[order].copy()
    known = {name: read.mask(name) for name in JUDGED_BY_KIND}
    rows = Rows(
        house=house,
        players=players,
        game=game,
        kind=kind,
        seq=read.numbers("seq", most=1 << 62),
        round=read.numbers("round", most=9999),
        table=read.numbers("table", most=_HIGHEST_TABLE),
        who=who,
        against=against,
        scorer=players.single[scorer],
        dice=dice,
        bad_dice=bad[order],
        points=read.numbers("points", 0),
        points_known=known["points"],
        total=read.numbers("team_total", 0),
        total_known=known["team_total"],
        called=read.numbers("called"),
        score=read.numbers("score", 0),
        score_known=known["score"],
        opponent_score=read.numbers("opponent_score", 0),
        opponent_score_known=known["opponent_score"],
        from_table=read.numbers("from_table", most=_HIGHEST_TABLE),
        to_table=read.numbers("to_table", most=_HIGHEST_TABLE),
        card=read.numbers("card", most=_HIGHEST_TABLE),
        category=read.numbers("category"),
        value=read.numbers("value", 0),
        value_known=known["value"],
        gap_before=gap,
        logged=logged_here(kind, known, file[order]),
    )
    return rows, order


class _Back:
    """Columns over the audit from columns over the rows of games."""

    def __init__(self, size: int, order: Ints) -> None:
        self.size, self.order = size, order

    def flags(self, mask: Bools) -> Any:
        out = np.zeros(self.size, dtype=bool)
        out[self.order] = mask
        return pa.array(out)

    def truths(self, values: Ints) -> Any:
        out = np.zeros(self.size, dtype=np.int8)
        out[self.order] = values
        return pa.array(out == YES, mask=out == UNKNOWN)

    def texts(self, by_row: Mapping[int, str]) -> Any:
        if not by_row:
            return pa.nulls(self.size, pa.string())
        place = np.full(self.size, UNKNOWN, dtype=np.int64)
        place[self.order[np.fromiter(by_row, dtype=np.int64, count=len(by_row))]] = np.arange(len(by_row))
        return pa.array(list(by_row.values()), pa.string()).take(pa.array(place, mask=place < 0))


def games(whole: Batch) -> Games:
    """Hold all games against the rules, once for the whole audit."""
    rows, order = rows_of(whole)
    result = judged(rows)
    back = _Back(whole.size, order)
    facts: dict[str, Any] = {}
    for code in CODES:
        facts.update(_columns(code, result.found[code], result, back))
    facts["unplaced"] = back.flags(result.unplaced)
    facts.update(_game_wide(result, back))
    return Games(facts)


def _columns(code: str, ruling: Ruling, result: Judged, back: _Back) -> dict[str, Any]:
    columns = {
        f"{code} applies": back.flags(ruling.applies),
        f"{code} breach": back.truths(ruling.breach),
        f"{code} named": back.flags(ruling.quiet),
        f"{code} unlogged": back.flags(ruling.unlogged),
    }
    teller = _Teller(result)
    said = {row: teller.tell(code, row, phrase) for row, phrase in ruling.phrase.items()}
    for place, name in enumerate(TOLD):
        columns[f"{code} {name}"] = back.texts({row: texts[place] for row, texts in said.items()})
    return columns


class _Teller:
    """Sentences about rows that breach, from the catalogue's templates."""

    def __init__(self, result: Judged) -> None:
        self.result, self.rows = result, result.rows

    def tell(self, code: str, row: int, phrase: str) -> tuple[str, str, str]:
        """Message, expected and recorded."""
        given = self.result.found[code].fields.get(row, {})
        names = self._context(row) | {key: self._said(key, value) for key, value in given.items()}
        message, expected, recorded = (
            CATALOGUE.text("rules", code, "found", phrase, key).format_map(names) for key in TOLD
        )
        return message, expected, recorded

    def _context(self, row: int) -> dict[str, str]:
        rows = self.rows
        table = int(self.result.turns.seating.table[row])
        return {
            "player": rows.players.said(rows.people(row)),
            "dice": "-".join(str(die) for die in rows.dice[row]) if rows.kind[row] == ROLL else "",
            "round": str(int(rows.played[row])),
            "at_table": table_name(table),
        }

    def _said(self, key: str, value: Any) -> str:
        if key.startswith("who_"):
            return self.rows.players.names[value] if value >= 0 else CATALOGUE.text("nobody")
        if key in ("table", "other", "to", "went", "sits", "from_table", "card"):
            return table_name(int(value))
        if key == "counts":
            return ", ".join(
                CATALOGUE.text("teams_at").format(table=table_name(table), teams=teams)
                for table, teams in value.items()
            )
        return str(value)


def table_name(table: int) -> str:
    """A table as its sign has it: the head table, table 2, table 3."""
    if table < 0:
        return CATALOGUE.text("table_unknown")
    return CATALOGUE.text("head_table") if table == 1 else CATALOGUE.text("table_numbered").format(number=table)


def _game_wide(result: Judged, back: _Back) -> dict[str, Any]:
    """BUN-02 of a game as a whole, on its first row."""
    applies = np.zeros(len(result.rows), dtype=bool)
    breach = np.zeros(len(result.rows), dtype=np.int8)
    said: dict[str, dict[int, str]] = {name: {} for name in TOLD}
    for row, by_table in result.found.game_wide.items():
        applies[row] = True
        breach[row] = len(set(by_table.values())) > 1
        players_at = CATALOGUE.text("players_at")
        sizes = ", ".join(players_at.format(table=table_name(t), players=n) for t, n in by_table.items())
        for name in TOLD:
            said[name][row] = CATALOGUE.text("rules", "BUN-02", "found", "sizes", name).format(sizes=sizes)
    texts = {f"sizes {name}": back.texts(by_row) for name, by_row in said.items()}
    return {"sizes applies": back.flags(applies), "sizes breach": back.truths(breach), **texts}


def derived(batch: Batch) -> dict[str, Any]:
    """The id of a row: its game and its number there; with numbers for each table, the table before the number."""
    game = batch.texts("game_id").take(batch.column("game_id").array)
    number = batch.column("seq").array.cast(pa.string())
    table = table_of_order(batch).cast(pa.string())
    if not batch.pack.house.get("seq_by_table"):
        return {"row_id": pc.binary_join_element_wise(game, number, "#"), "place": table}
    own = pc.binary_join_element_wise(game, table.fill_null(""), "#")
    return {"row_id": pc.binary_join_element_wise(own, number, "."), "place": table, "game_and_table": own}
