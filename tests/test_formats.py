"""Spreadsheets, JSON and Parquet on real bytes: the same events from each, and what nobody can read is named."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter
import zstandard
from conftest import Audited, found
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_reading import HEAD, PLAIN, problems, row

from audit.packs import load_packs
from audit.pipeline import Options, audit_logs
from audit.record import RunRecord
from audit.sample import write_sample
from rules.sampling import Sample
from rules.three_dice_football import PACK

NAMES = HEAD.strip().split(",")
FIRST = dict(zip(NAMES, row(1).strip().split(","), strict=True))


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]], make: Callable[[Any, Any], None] | None = None) -> bytes:
    """An Excel file with these cells; dates as real date cells."""
    data = io.BytesIO()
    book = xlsxwriter.Workbook(data, {"in_memory": True, "default_date_format": "yyyy-mm-dd hh:mm:ss"})
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        for at, cells in enumerate(rows):
            for place, cell in enumerate(cells):
                if isinstance(cell, date):
                    sheet.write_datetime(at, place, cell)
                elif isinstance(cell, str):
                    if cell:
                        sheet.write_string(at, place, cell)
                else:
                    sheet.write(at, place, cell)
        if make:
            make(book, sheet)
    book.close()
    return data.getvalue()


def parquet(columns: Mapping[str, Any]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), sink)
    return sink.getvalue()


def events(record: RunRecord) -> int:
    return record.tallies.audited


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("samples")
    request = Sample(250, 5, 0.15, 0.05)
    for ending in ("csv", "tsv", "jsonl", "json", "parquet"):
        write_sample(PACK, request, folder / f"log.{ending}", None)
    rows = [line.split(",") for line in (folder / "log.csv").read_text("utf-8").splitlines() if '"' not in line]
    return {path.name: path.read_bytes() for path in folder.iterdir()} | {
        "log.xlsx": workbook({"Sheet1": rows}),
        "plain.csv": ("\n".join(",".join(cells) for cells in rows) + "\n").encode(),
    }


@pytest.mark.parametrize("name", ["log.tsv", "log.jsonl", "log.json", "log.parquet"])
def test_what_sample_wrote_gives_the_same_events_in_each_format(
    name: str, samples: dict[str, bytes], audited: Audited
) -> None:
    record, other = audited({"log.csv": samples["log.csv"]}), audited({name: samples[name]})
    assert found(other) == found(record)
    assert events(other) == events(record)
    ids = [set(one.findings["finding_id"].to_pylist()) for one in (record, other)]
    assert ids[0] == ids[1]


def test_a_spreadsheet_gives_the_same_events(samples: dict[str, bytes], audited: Audited) -> None:
    record, other = audited({"plain.csv": samples["plain.csv"]}), audited({"log.xlsx": samples["log.xlsx"]})
    assert found(other) == found(record)
    assert other.findings["source_line"].to_pylist() == record.findings["source_line"].to_pylist()


@pytest.mark.parametrize("name", ["log.jsonl", "log.parquet", "log.xlsx"])
def test_r17_each_format_plain_packed_or_in_an_archive(name: str, samples: dict[str, bytes], audited: Audited) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr(name, samples[name])
    packed = {
        f"{name}.gz": gzip.compress(samples[name]),
        f"{name}.zst": zstandard.compress(samples[name]),
        "logs.zip": archive.getvalue(),
    }
    plain = found(audited({name: samples[name]}))
    for own, data in packed.items():
        assert found(audited({own: data})) == plain


@pytest.mark.parametrize("name", ["log.jsonl", "log.parquet", "log.xlsx", "log.json"])
def test_r17_a_file_cut_off_is_refused_or_its_rows_set_aside(
    name: str, samples: dict[str, bytes], audited: Audited
) -> None:
    record = audited({name: samples[name][: len(samples[name]) * 2 // 3], "log.csv": PLAIN})
    assert record.status == 3
    assert record.rows_read == record.accepted + len(record.quarantine)
    assert problems(record) or record.quarantine


# Spreadsheets


def test_r03_date_cells_where_faces_or_ids_are_meant(audited: Audited) -> None:
    cells = [NAMES, [*row(1).strip().split(",")], [*row(2).strip().split(",")]]
    cells[1][NAMES.index("off1_called")] = datetime(2026, 4, 5)  # type: ignore[assignment]
    cells[2][NAMES.index("stickperson")] = datetime(2026, 4, 5)  # type: ignore[assignment]
    record = audited({"log.xlsx": workbook({"S": cells})})
    told = [(f["event_id"], f["recorded"]) for f in record.findings.to_pylist() if f["rule"] == "LOG-5"]
    assert told == [("T1", "2026-04-05 00:00:00"), ("T2", "2026-04-05 00:00:00")]
    assert "spreadsheet" in record.findings["expected"].to_pylist()[0]


def test_r04_numbers_in_cells_are_ids_as_long_as_they_are_whole(audited: Audited) -> None:
    cells: list[list[Any]] = [[*NAMES], row(1).strip().split(","), row(2).strip().split(",")]
    cells[1][NAMES.index("stickperson")] = 7
    cells[2][NAMES.index("stickperson")] = 9.45e17
    record = audited({"log.xlsx": workbook({"S": cells})})
    assert [(f["rule"], f["recorded"]) for f in record.findings.to_pylist()] == [("LOG-5", "9.45E+17")]


def test_r19_the_sheet_with_our_columns_below_a_title(tmp_path: Path, audited: Audited) -> None:
    rows = [row(n).strip().split(",") for n in (1, 2, 3)]

    def styled(book: Any, sheet: Any) -> None:
        if sheet.get_name() == "Log":
            grey = book.add_format({"bg_color": "gray"})
            sheet.set_column(2, 2, None, None, {"hidden": True})
            for at in range(30, 1_048_000, 997):
                sheet.write_blank(at, 3, None, grey)

    log = [["Throw log of pit 3"], [], ["week 12", "", "all shifts"], NAMES, *rows]
    data = workbook({"Staff": [["name", "since"], ["Ann", "2019"]], "Log": log}, styled)
    record = audited({"log.xlsx": data})
    assert (events(record), record.rows_read) == (3, 3)
    assert any("Staff" in note for note in record.inputs[0].notes)
    profile = tmp_path / "p.toml"
    profile.write_text('sheet = "Logg"', "utf-8")
    record = audited({"log.xlsx": data}, profile=profile)
    assert problems(record) == ["has no sheet 'Logg'; did you mean Log?"]


def test_r19_every_sheet_that_is_a_log_is_read(audited: Audited) -> None:
    days = {f"Day {n}": [NAMES, row(n).strip().split(",")] for n in (1, 2)}
    record = audited({"log.xlsx": workbook(days)})
    assert [i.name.rpartition("/")[2] for i in record.inputs] == ["log.xlsx!Day 1", "log.xlsx!Day 2"]
    assert events(record) == 2


def test_r20_formulas_with_and_without_a_stored_value(audited: Audited) -> None:
    place = NAMES.index("off1_called")

    def formulas(_: Any, sheet: Any) -> None:
        sheet.write_formula(1, place, "=1+2", None, 3)
        sheet.write_formula(2, place, "=1+2", None, "")

    rows = [NAMES, row(1).strip().split(",")[:-1], row(2).strip().split(",")[:-1]]
    data = workbook({"S": rows}, formulas)
    # a program that never computed the formula leaves no value at all
    bare = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(bare, "w") as new:
        for item in old.namelist():
            new.writestr(item, old.read(item).replace(b"<v></v>", b""))
    for content in (data, bare.getvalue()):
        record = audited({"log.xlsx": content})
        told = [(f["event_id"], f["recorded"]) for f in record.findings.to_pylist() if f["rule"] == "LOG-5"]
        assert told == [("T2", "a formula without a stored value")]


def test_an_encrypted_or_broken_workbook_is_refused(audited: Audited) -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 4096
    record = audited({"old.xls": ole, "page.xls": "<html><table><tr><td>x</td></tr></table></html>", "log.csv": PLAIN})
    assert len(problems(record)) == 2
    assert events(record) == 3


# JSON


def lines(*entries: Any) -> str:
    return "".join((e if isinstance(e, str) else json.dumps(e)) + "\n" for e in entries)


def test_r28_nested_dice_numbers_and_lines_that_are_no_json(audited: Audited) -> None:
    def throw(number: int, **more: Any) -> dict[str, Any]:
        base = {name: text for name, text in FIRST.items() if name != "off1_called"}
        return base | {"throw_id": f"T{number}", "seq": number, "thrown_at": f"2026-03-03T12:0{number}:00Z"} | more

    log = lines(
        throw(1, dice={"off1": {"called": 3, "rest": "layout"}}),
        throw(2, dice={"off1": {"called": "3", "rest": "LAYOUT"}}),
        throw(3, dice=[{"die": "off1", "called": 3.0, "rest": "under the table"}]),
        "not json",
        "[1, 2]",
        throw(4),
        '{"throw_id": "T5", "throw_id": "T6"}',
    )
    record = audited({"log.jsonl": log})
    assert events(record) == 4
    assert [(q.source_line, q.kind) for q in record.quarantine] == [
        (4, "the line is not JSON"),
        (5, "the line is no JSON object"),
        (7, "an object has one name twice"),
    ]
    told = [
        (f["event_id"], f["recorded"], f["source_line"]) for f in record.findings.to_pylist() if f["rule"] == "LOG-5"
    ]
    assert told == [("T3", "under the table", 3)]


def test_a_column_that_turns_up_late_is_read(audited: Audited) -> None:
    first = [dict(FIRST, throw_id=f"T{n}", seq=str(n), thrown_at=f"2026-03-03T12:{n:02d}:00Z") for n in range(1, 9)]
    first[-1]["off1_observed"] = "8"
    record = audited({"log.jsonl": lines(*first)})
    assert [f["recorded"] for f in record.findings.to_pylist() if f["rule"] == "LOG-5"] == ["8"]


@pytest.mark.parametrize("wrap", ["[%s]", '{"exported": "2026-03-04", "throws": [%s]}', "[\n%s\n]\n"])
def test_arrays_with_the_lines_on_which_rows_begin(wrap: str, audited: Audited) -> None:
    entries = [dict(FIRST, throw_id=f"T{n}", seq=str(n), off1_called=str(n + 5)) for n in (1, 2)]
    record = audited({"log.json": wrap % ",\n".join(json.dumps(entry, indent=1) for entry in entries)})
    (told,) = [f for f in record.findings.to_pylist() if f["rule"] == "LOG-5"]
    assert told["event_id"] == "T2"
    assert told["source_line"] == 13 + wrap.startswith("[\n")
    broken = audited({"log.json": "[" + json.dumps(FIRST) + ",\n{", "log.csv": PLAIN})
    assert problems(broken) == ["line 2: is broken JSON: nothing after this line can be read"]


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 100_000])
def test_depths_do_not_fell_the_reader(deep: str, audited: Audited) -> None:
    record = audited({"log.jsonl": lines(FIRST, deep), "log.json": deep, "log.csv": PLAIN})
    assert record.status == 3


# Undeclared dates


@pytest.mark.parametrize("stamp", ["03/09/2018 12:02", "14/09/2018 14:09", "3.9.18 12:02"])
def test_r05_an_undeclared_order_of_day_and_month_is_refused(stamp: str, audited: Audited) -> None:
    record = audited({"log.csv": HEAD + row(1, thrown_at=stamp) + row(2, thrown_at=stamp), "good.csv": PLAIN})
    (problem,) = problems(record)
    assert "datetime" in problem
    assert stamp in problem
    one = audited({"log.csv": PLAIN + row(4, thrown_at=stamp)})
    assert [q.kind for q in one.quarantine] == ["thrown_at cannot be read"]


def test_r23_hostile_cells_are_text_in_every_format(audited: Audited) -> None:
    hostile = '<link rel=attachment href="file:///etc/hostname">{{7*7}}=HYPERLINK("http://x")'
    entry = dict(FIRST, stickperson=hostile, off1_called=hostile)
    for name, data in {
        "log.jsonl": lines(entry),
        "log.xlsx": workbook({"S": [NAMES, list(entry.values())]}),
        "log.parquet": parquet({name: [text] for name, text in entry.items()}),
    }.items():
        record = audited({name: data})
        (told,) = [f for f in record.findings.to_pylist() if f["rule"] == "LOG-5"]
        assert told["recorded"] == hostile


def test_packs_are_told_from_any_format(samples: dict[str, bytes], tmp_path: Path) -> None:
    for name in ("log.jsonl", "log.parquet", "log.xlsx"):
        (tmp_path / name).write_bytes(samples[name])
        record = audit_logs(Options((str(tmp_path / name),), formats=()), load_packs())
        assert record.pack is not None
        assert record.pack.name == "three-dice-football"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["log.jsonl", "log.json", "log.parquet", "log.xlsx"]),
    at=st.floats(0, 1),
    gone=st.integers(0, 40),
    put=st.binary(max_size=20),
)
def test_whatever_bytes_come_rows_add_up(
    name: str, at: float, gone: int, put: bytes, samples: dict[str, bytes], tmp_path: Path
) -> None:
    data = samples[name]
    place = int(at * len(data))
    path = tmp_path / name
    path.write_bytes(data[:place] + put + data[place + gone :])
    record = audit_logs(Options((str(path),), formats=()), [PACK])
    assert record.rows_read == record.accepted + len(record.quarantine)
    assert not record.rules_in_error
