"""Parquet logs, typed as databases export them; and files that are read whole."""

from __future__ import annotations

import gzip
import hashlib
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from conftest import Audited
from test_formats import events, parquet
from test_reading import PLAIN, problems

from audit.errors import UnreadableInputError
from audit.reading import parquet_logs
from audit.reading.formats import whole_bytes
from audit.reading.sources import Source


def test_r21_cells_are_read_as_meant(audited: Audited) -> None:
    stamps = pa.array([datetime(2026, 3, 3, 12, n) for n in range(3)], pa.timestamp("ns"))
    record = audited(
        {
            "log.parquet": parquet(
                {
                    "table": pa.array(["007"] * 3).dictionary_encode(),
                    "throw_id": ["T1", "T2", "T3"],
                    "seq": pa.array([1.0, 2.0, 3.0]),
                    "thrown_at": stamps,
                    "ruling": pa.array(["valid", None, "valid"]),
                    "stickperson": pa.array([1.0, float("nan"), 3.0]),
                    "off1_called": pa.array([3.0, float("nan"), 9.0]),
                    "stick_used": [True, None, False],
                    "no_roll_grounds": pa.array([[], ["c1", "c2"], None], pa.list_(pa.string())),
                }
            )
        }
    )
    assert events(record) == 3
    assert record.times["without_offset"] == 3
    told = {(f["rule"], f["event_id"], f["recorded"]) for f in record.findings.to_pylist() if f["rule"] == "LOG-5"}
    assert told == {("LOG-5", "T3", "9")}
    assert any(f["rule"] == "LOG-4" for f in record.findings.to_pylist())  # nan names nobody


@pytest.mark.parametrize(
    ("zone", "told"),
    [("America/New_York", "07:00:00-05:00"), ("+05:30", "17:30:00+05:30"), ("UTC", "12:00:00+00:00")],
)
def test_instants_stand_in_the_zone_of_their_column(audited: Audited, zone: str, told: str) -> None:
    stamps = pa.array([datetime(2026, 3, 3, 12), None], pa.timestamp("us", zone))
    record = audited({"log.parquet": parquet({"table": ["1", "1"], "throw_id": ["T1", "T2"], "thrown_at": stamps})})
    assert record.tallies.period() == (f"2026-03-03T{told}",) * 2
    assert record.times["without_offset"] == 0
    assert [row.reason for row in record.quarantine] == ["no thrown_at"]


def test_a_log_in_an_unknown_zone_is_refused_and_the_others_are_read(audited: Audited) -> None:
    stamps = pa.array([datetime(2026, 3, 3, 12)] * 2, pa.timestamp("us", "Mars/Olympus"))
    columns = {"table": ["1", None], "throw_id": ["T1", "T2"], "thrown_at": stamps, "off1_called": ["9", "9"]}
    record = audited({"far.parquet": parquet(columns), "log.csv": PLAIN})
    assert problems(record) == [
        "has thrown_at in the time zone 'Mars/Olympus', which is not known: "
        "name the zone in a profile or with --timezone"
    ]
    assert events(record) == 3
    told = audited({"far.parquet": parquet(columns)}, timezone="America/New_York", formats=("pdf",))
    assert told.tallies.period() == ("2026-03-03T07:00:00-05:00",) * 2
    assert [aside.reason for aside in told.quarantine] == ["no table"]  # and it can be shown, as the other in a report
    assert [f["rule"] for f in told.findings.to_pylist()] == ["LOG-5"]
    assert '"off1_called": "9"' in str(told.exhibits)


def test_zones_of_other_times_and_of_ids_are_of_no_account(audited: Audited) -> None:
    far = pa.array([datetime(2026, 3, 3, 12, 1)], pa.timestamp("us", "Mars/Olympus"))
    near = pa.array([datetime(2026, 3, 3, 12)], pa.timestamp("us", "UTC"))
    columns = {"table": ["1"], "throw_id": ["T1"], "thrown_at": near, "called_at": far, "round": far}
    record = audited({"log.parquet": parquet(columns)})
    assert events(record) == 1
    told = [(f["rule"], f["recorded"]) for f in record.findings.to_pylist() if f["rule"] == "LOG-5"]
    assert told == [("LOG-5", "2026-03-03 12:01:00")]


@pytest.mark.parametrize(
    ("codes", "sound"),
    [
        ([0, 1, None], True),
        ([], True),
        ([None, None], True),
        ([0, 2], False),
        ([-1, 1], False),
    ],
)
def test_codes_of_a_file_stand_for_texts(codes: list[int | None], sound: bool) -> None:
    texts = pa.array(["a", "b"])
    indices = pa.array(codes, pa.int32())
    array = pa.DictionaryArray.from_arrays(indices, texts, safe=False)
    assert parquet_logs._sound(array) is sound
    junk = pa.array(np.array([7, *(0 if code is None else code for code in codes)], dtype=np.int32))
    mask = pa.array([True, *(code is None for code in codes)]).cast(pa.int8()).to_numpy() > 0
    hidden = pa.Array.from_buffers(
        pa.int32(), len(junk), [pa.array(~mask).buffers()[1], junk.buffers()[1]]
    )  # what stands under a null is nobody's
    assert parquet_logs._sound(pa.DictionaryArray.from_arrays(hidden, texts, safe=False)) is sound
    assert parquet_logs._sound(pa.DictionaryArray.from_arrays(hidden.slice(1), texts, safe=False)) is sound


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("size", [0, 1, (4 << 20) + 1, 9 << 20])
def test_a_file_that_is_read_whole_is_read_whole(tmp_path: Path, size: int, packed: bool) -> None:
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    source = Source("file", path)
    opened = source.open()
    opened.peek(4096)
    assert whole_bytes(opened, size) == content
    stored, length, inner = opened.finish()
    assert (stored, length) == (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size)
    assert inner == hashlib.sha256(content).hexdigest()
    source.close()
    if size:
        with pytest.raises(UnreadableInputError, match="is larger than"):
            whole_bytes(source.open(), size - 1)
        source.close()


def test_a_file_that_grows_or_shrinks_meanwhile_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for now in (20_000, 200_000):
        path.write_bytes(b"a" * 100_000)
        source = Source("file", path)
        opened = source.open()
        path.write_bytes(b"a" * now)
        assert whole_bytes(opened, 1 << 20) == b"a" * now
        source.close()
