"""For honesty: about forty of the predicates as one hand-written DuckDB query over the same file.

It knows no unknowns, no lines, no messages, no neighbours, and counts only.
"""

import sys

import duckdb

DICE = ("off1", "off2", "def")


def any_die(predicate: str) -> str:
    return "(" + " or ".join(predicate.format(d=die) for die in DICE) + ")"


def each_die(name: str, predicate: str) -> list[tuple[str, str]]:
    return [(f"{name} {die}", predicate.format(d=die)) for die in DICE]


DEAD = any_die("({d}_left_table = 'yes' or {d}_rest in ('off_table', 'on_die'))")
HUNG = any_die("({d}_resting_sides like '%|%')")
LIVE = f"(ruling = 'valid' and not {DEAD} and not {HUNG})"

PREDICATES: list[tuple[str, str]] = [
    ("A1", "ruling = 'valid' and released_together = 'no'"),
    *each_die("A2", "ruling = 'valid' and {d}_hit_far_end = 'no'"),
    *each_die("B1", "ruling = 'valid' and ({d}_left_table = 'yes' or {d}_rest = 'off_table')"),
    *each_die("B2", "ruling = 'valid' and {d}_rest = 'on_die'"),
    ("B3", f"ruling = 'invalid' and not {DEAD} and not {HUNG}"),
    *each_die("B4", "{d}_left_table = 'no' and {d}_rest = 'off_table'"),
    ("C1", "ruling = 'no_roll' and no_roll_grounds like '%c1%' and released_together = 'yes'"),
    ("C5", "device_suspected = 'yes'"),
    ("C7", "ruling = 'no_roll' and no_roll_grounds = 'other'"),
    *each_die("C8", LIVE + " and {d}_rest in ('bank', 'cup', 'rail')"),
    ("C9", "ruling in ('no_roll', 'void') and ruling_by = 'other'"),
    ("D1", "ruling = 'no_roll' and no_roll_grounds = 'chips'"),
    ("D3", "ruling = 'no_roll' and no_roll_grounds like '%chips%' and touched_chips = 'no'"),
    *each_die("E2", LIVE + " and {d}_rest = 'layout' and {d}_called <> {d}_observed and disputed = 'no'"),
    ("E5", f"{LIVE} and called_at::timestamptz - at_rest_at::timestamptz > interval 10 second"),
    ("E6", f"{LIVE} and called_at::timestamptz < at_rest_at::timestamptz"),
    *each_die(
        "F1",
        LIVE + " and {d}_rest = 'cocked' and {d}_resting_sides ~ '^[1-6]$'"
        " and try_cast({d}_called as int) <> 7 - try_cast({d}_resting_sides as int)",
    ),
    *each_die("F2", "ruling = 'valid' and {d}_resting_sides like '%|%'"),
    ("F3", f"ruling = 'void' and not {DEAD} and not {HUNG} and disputed = 'no'"),
    ("G5", "disputed = 'no' and dispute_ruling <> ''"),
    ("H1", "stick_used = 'no'"),
    ("H2", "ruling <> 'valid' and settlement = 'settled'"),
    ("H3", "ruling = 'valid' and settlement = 'not_settled'"),
    ("H4", "settled_at::timestamptz < collected_at::timestamptz"),
    ("H6", "ruling = 'valid' and dice_centered = 'no'"),
    ("S1", "off1_color <> 'green' or off2_color <> 'green' or def_color <> 'red'"),
    ("S2", "thrown_at::timestamptz - set_opened_at::timestamptz > interval 24 hour"),
    ("S4", "off1_die = off2_die or off1_die = def_die or off2_die = def_die"),
]

counts = ", ".join(f'count(*) filter (where {sql}) as "{name}"' for name, sql in PREDICATES)
query = f"select {counts} from read_csv(?, all_varchar = true, header = true)"
for name, count in zip((n for n, _ in PREDICATES), duckdb.execute(query, [sys.argv[1]]).fetchone() or (), strict=True):
    print(name, count)
