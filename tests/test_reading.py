"""Reading on real bytes: the kinds of input that tools of this kind get wrong, and whatever bytes come."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Audited, found
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.pipeline import Options, audit_logs
from audit.reading.rows import ROW_LIMIT
from audit.record import RunRecord
from rules.three_dice_football import PACK

HEAD = "site,table,throw_id,seq,thrown_at,ruling,stickperson,note,stick_used,off1_called\n"


def row(number: int, **cells: str) -> str:
    values = {
        "site": "CAS01",
        "table": "007",
        "throw_id": f"T{number}",
        "seq": str(number),
        "thrown_at": f"2026-03-03T12:{number % 60:02d}:00-05:00",
        "ruling": "valid",
        "stickperson": "S1",
        "note": "",
        "stick_used": "yes",
        "off1_called": "3",
    } | cells
    return ",".join(values.values()) + "\n"


PLAIN = HEAD + row(1) + row(2) + row(3)


def problems(record: RunRecord) -> list[str]:
    return [i.problem for i in record.inputs if i.problem]


def reasons(record: RunRecord) -> list[tuple[int, str]]:
    return [(q.source_line, q.reason) for q in record.quarantine]


# Encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_r01_r11_encodings_are_read_as_what_they_are(encoding: str, audited: Audited) -> None:
    text = HEAD.replace("site", '"site"', 1) + row(1, stickperson="O’Brien") + row(2)
    raw = text.encode(encoding)
    if encoding in ("utf-16-le", "utf-16-be"):
        raw = "\ufeff".encode(encoding) + raw
    record = audited({"log.csv": raw})
    assert record.accepted == 2
    assert sorted(name for _, name in record.tallies.by_responsible) == ["O’Brien", "S1"]
    assert record.inputs[0].encoding.startswith(encoding[:6].replace("utf-8-", "utf-8"))


def test_r11_one_odd_line_in_utf8_is_set_aside(audited: Audited) -> None:
    raw = (
        (HEAD + row(1, note="café")).encode()
        + row(2, note="caf").encode().replace(b"caf", b"caf\xe9")
        + row(3).encode()
    )
    record = audited({"log.csv": raw})
    assert record.accepted == 2
    assert reasons(record) == [(3, "the line is not UTF-8 text")]
    assert b"caf\xe9" in record.quarantine[0].raw


def test_r11_bytes_without_meaning_in_windows_1252(audited: Audited) -> None:
    raw = (
        HEAD.encode()
        + row(1, note="X").encode().replace(b"X", b"\x92")
        + row(2, note="X").encode().replace(b"X", b"\x81")
    )
    record = audited({"log.csv": raw})
    assert reasons(record) == [(3, "the line is not Windows-1252 text")]


# Cells


def test_r02_ids_stay_text_to_the_letter(audited: Audited) -> None:
    text = (
        HEAD
        + row(1, stickperson="NA")
        + row(2, stickperson="None")
        + row(3, stickperson=" null ")
        + row(4, stickperson="?")
    )
    record = audited({"log.csv": text})
    assert sorted(name for _, name in record.tallies.by_responsible) == ["", "NA", "None", "null"]
    assert list(record.tallies.by_place) == [("CAS01", "007")]


@pytest.mark.parametrize("text", ["5-Apr", "2026-04-05", "04/05/2026", "Apr-05", "5-Apr-26"])
def test_r03_faces_that_became_dates_are_not_guessed_back(text: str, audited: Audited) -> None:
    record = audited({"log.csv": HEAD + row(1, off1_called=text)})
    (finding,) = record.findings.to_pylist()
    assert finding["rule"] == "LOG-5"
    assert finding["recorded"] == text
    assert "looks like a date that a spreadsheet made of it" in finding["message"]


def test_r04_ids_that_became_numbers(audited: Audited) -> None:
    head = HEAD.replace("off1_called", "off1_die")
    record = audited({"log.csv": head + row(1, off1_called="9.45E+12") + row(2, off1_called="945")})
    assert [f[0] for f in found(record)] == ["LOG-5"]
    record = audited({"log.csv": HEAD + row(1, throw_id="9.45E+12") + row(2)})
    assert "spreadsheet shortened" in record.quarantine[0].reason


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("TRUE", "yes"),
        ("false", "no"),
        ("N", "no"),
        ("yes", "yes"),
        ("1.0", "yes"),
        ("x", "yes"),
        ("0", "no"),
        ("?", "unknown"),
        ("", "unknown"),
        ("n/a", "unknown"),
        (" NULL ", "unknown"),
        ("--", "unknown"),
        ("maybe", "unreadable"),
        ("2", "unreadable"),
    ],
)
def test_r14_booleans(text: str, means: str, audited: Audited) -> None:
    """By what H1 says of the stick: no is a breach, unknown is indeterminate, unreadable is LOG-5's."""
    record = audited({"log.csv": HEAD + row(1, stick_used=text) + row(2)})
    expected = {
        "yes": [],
        "no": [("TDF-H1", "breach", "T1", "")],
        "unknown": [("TDF-H1", "unverifiable", "T1", "")],
        "unreadable": [("LOG-5", "breach", "T1", "")],
    }
    assert found(record) == expected[means]


@pytest.mark.parametrize("ruling", ["No Roll", "NO-ROLL", "noroll", "no_roll"])
def test_words_match_without_case_spaces_and_dashes(ruling: str, audited: Audited) -> None:
    record = audited({"log.csv": HEAD + row(1, ruling=ruling)})
    assert record.tallies.by_hour[12].rulings == {"no_roll": 1}


@pytest.mark.parametrize("called", ["4|5", "4/5", "4;5", "4+5", "4 5", '"4,5"', "4.0 / 5"])
def test_lists_of_faces(called: str, audited: Audited) -> None:
    from rules.examples import Examples

    examples = Examples(PACK)
    log = examples.log(next(e for e in examples.of("TDF-E3") if e.shows == "breach"))
    assert "4/5" in log
    assert found(audited({"log.csv": log.replace("4/5", called)})) == [("TDF-E3", "breach", "T1", "def")]


@pytest.mark.parametrize("called", ["4/7", "4/x", "4-5", "0.5"])
def test_one_bad_face_makes_the_whole_cell_unreadable(called: str, audited: Audited) -> None:
    assert [f[0] for f in found(audited({"log.csv": HEAD + row(1, off1_called=called)}))] == ["LOG-5"]


# Shape


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_r12_the_header_proves_the_delimiter(delimiter: str, audited: Audited) -> None:
    text = PLAIN.replace(",", delimiter).replace("yes", '"yes"')
    record = audited({"log.csv": text})
    assert record.accepted == 3
    assert record.inputs[0].delimiter == delimiter


def test_r06_trailing_delimiters_shift_nothing(audited: Audited) -> None:
    every = "".join(line + ",\n" for line in PLAIN.splitlines())
    assert audited({"log.csv": every}).accepted == 3
    rows = HEAD + "".join(line + ",\n" for line in (row(1) + row(2)).splitlines())
    assert audited({"log.csv": rows}).accepted == 2
    some = HEAD + row(1) + row(2).rstrip("\n") + ",\n" + row(3).rstrip("\n") + ",5\n"
    record = audited({"log.csv": some})
    assert record.accepted == 2
    assert reasons(record) == [(4, "11 fields where the header has 10")]


def test_r07_a_column_twice_is_refused(audited: Audited) -> None:
    record = audited({"log.csv": PLAIN.replace("stick_used", "Throw ID")})
    assert problems(record) == ["line 1: has the column Throw ID and throw_id twice"]


def test_r08_nul_bytes(audited: Audited) -> None:
    record = audited({"log.csv": HEAD + row(1) + row(2, note="a\0b") + row(3)})
    assert record.accepted == 2
    assert reasons(record) == [(3, "the row holds a NUL byte")]
    assert problems(audited({"log.csv": PLAIN + "\0" * 500})) == ["ends in NUL bytes: an unfinished file"]


def test_r09_a_quote_never_closed_swallows_nothing(audited: Audited) -> None:
    text = HEAD + row(1) + row(2, note='"oh') + row(3) + row(4, note='"a ""b"", c"') + row(5)
    record = audited({"log.csv": text})
    assert record.accepted == 4
    assert reasons(record) == [(3, "a quote is opened on this line and not closed")]


def test_r10_long_cells(audited: Audited) -> None:
    record = audited({"log.csv": HEAD + row(1, note="x" * 140_000) + row(2)})
    assert record.accepted == 2
    record = audited({"log.csv": HEAD + row(1, note="x" * 20_000_000) + row(2)})
    assert record.accepted == 1
    assert reasons(record) == [(2, f"the row is longer than {ROW_LIMIT:,} characters")]


def test_a_log_of_countless_columns_is_refused(audited: Audited) -> None:
    wide = HEAD.strip() + "".join(f",c{n}" for n in range(6_000)) + "\n"
    record = audited({"log.csv": wide, "good.csv": PLAIN})
    assert problems(record) == ["line 1: has 6,010 columns, more than the 5,000 that are read"]


def test_r13_a_header_that_is_none_of_ours(audited: Audited) -> None:
    record = audited({"log.csv": "a,b,c\n1,2,3\n"})
    assert problems(record) == ["line 1: has no header of any pack known here (three-dice-football)"]
    record = audited({"log.csv": PLAIN.replace("throw_id", "thing")})
    assert problems(record) == ["line 1: no header of three-dice-football: required columns missing: throw_id"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_r15_line_ends_and_numbers(end: str, audited: Audited) -> None:
    text = HEAD + row(1, note='"two\nlines"') + "\n" + row(2, stick_used="no") + row(3).rstrip("\n")
    record = audited({"log.csv": text.replace("\n", end)})
    assert record.accepted == 3
    (finding,) = record.findings.to_pylist()
    assert finding["source_line"] == 5


def test_r15_mixed_line_ends(audited: Audited) -> None:
    text = (
        HEAD.replace("\n", "\r") + row(1).replace("\n", "\r\n") + row(2) + row(3, stick_used="no").replace("\n", "\r")
    )
    record = audited({"log.csv": text + row(4)})
    assert record.accepted == 4
    assert record.findings["source_line"].to_pylist() == [4]


def test_r16_empty_files(audited: Audited) -> None:
    logs = {
        "zero.csv": b"",
        "bom.csv": b"\xef\xbb\xbf",
        "blank.csv": b"\n\n",
        "head.csv": HEAD,
        "good.csv": PLAIN + "\n\n\n",
    }
    record = audited(logs)
    assert problems(record) == ["is empty", "is empty", "is empty"]
    assert [i.rows_read for i in record.inputs] == [0, 0, 0, 0, 3]
    assert int(record.status) == 3
    assert int(audited({"head.csv": HEAD}).status) == 0


def test_rows_that_cannot_be_placed(audited: Audited) -> None:
    text = (
        HEAD
        + row(1, throw_id="-")
        + row(2, table=" ")
        + row(3, thrown_at="noon")
        + row(4, thrown_at="2026-03-03")
        + row(5)
    )
    record = audited({"log.csv": text})
    assert record.accepted == 1
    assert [reason.split(":")[0] for _, reason in reasons(record)] == [
        "no throw_id",
        "no table",
        "thrown_at is 'noon'",
        "thrown_at is '2026-03-03'",
    ]


# Whatever comes

PIECES = st.sampled_from(
    [
        HEAD,
        row(1),
        row(2),
        row(3, note='"a\nb"'),
        row(4, note='"'),
        ",",
        '"',
        "\n",
        "\r",
        "\0",
        "é",
        "\ufeff",
        ";",
        "x" * 50,
        "9",
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pieces=st.lists(PIECES, max_size=12),
    tail=st.binary(max_size=40),
    encoding=st.sampled_from(["utf-8", "cp1252", "utf-16"]),
)
def test_whatever_bytes_come_rows_add_up(pieces: list[str], tail: bytes, encoding: str, tmp_path: Path) -> None:
    raw = (HEAD + "".join(pieces)).encode(encoding, "ignore") + tail
    path = tmp_path / "any.csv"
    path.write_bytes(raw)
    record = audit_logs(Options((str(path),), formats=()), [PACK])
    assert record.rows_read == record.accepted + len(record.quarantine)
    assert not record.rules_in_error
    if record.inputs[0].problem:
        assert record.accepted == 0


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ids=st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8), min_size=1, max_size=12))
def test_ids_come_back_as_they_were_written(ids: list[str], tmp_path: Path) -> None:
    import csv

    path = tmp_path / "ids.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["table", "throw_id", "thrown_at", "stickperson"])
        for number, text in enumerate(ids):
            writer.writerow(["1", f"T{number}", "2026-03-03T12:00:00Z", text])
    record = audit_logs(Options((str(path),), formats=()), [PACK])
    assert record.accepted == len(ids)
    unreadable = [f for f in record.findings.to_pylist() if f["rule"] == "LOG-5"]
    expected = {t.strip() if t.strip() not in ("-", "--", "?") else "" for t in ids} - {
        f["recorded"] for f in unreadable
    }
    assert {name for _, name in record.tallies.by_responsible} | {""} == expected | {""}
