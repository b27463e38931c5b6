"""Times: ISO 8601 with and without offset, the hours that clocks skip or repeat, and the gaming day."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from conftest import Audited
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import UsageError
from audit.reading import declared_times
from audit.reading.times import offsets_at, parse, parse_one, zone

HEAD = "table,throw_id,seq,thrown_at\n"


def log(*times: str, seq: bool = False) -> str:
    return HEAD + "".join(f"1,T{n},{n if seq else ''},{time}\n" for n, time in enumerate(times))


def starts(audited: Audited, text: str, **options: str) -> tuple[str, str]:
    period: tuple[str, str] = audited({"log.csv": text}, **options).tallies.period()
    return period


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-03T12:01:00-05:00", "2026-03-03T12:01:00-05:00"),
        ("2026-03-03 12:01:00-0500", "2026-03-03T12:01:00-05:00"),
        ("2026-03-03 12:01:00.250+01:00", "2026-03-03T12:01:00.250000+01:00"),
        ("2026-03-03T12:01Z", "2026-03-03T12:01:00+00:00"),
        ("2026-03-03T12:01:00", "2026-03-03T12:01:00+00:00"),
    ],
)
def test_iso_times(text: str, expected: str, audited: Audited) -> None:
    assert starts(audited, log(text))[0] == expected


@pytest.mark.parametrize(
    "text", ["2026-02-30T12:00:00Z", "2026-03-03T24:30:00", "03/03/2026 12:01", "12:01", "2026-03-03"]
)
def test_what_is_no_time(text: str) -> None:
    assert parse_one(text) is None


@given(st.lists(st.datetimes(), min_size=1, max_size=20), st.sampled_from(["", "Z", "-05:00", "+0930"]))
def test_a_column_is_read_as_its_cells_are(stamps: list[object], suffix: str) -> None:
    """The quick way through a column of one shape agrees with reading each cell."""
    texts = [f"{stamp.isoformat(timespec='seconds')}{suffix}" for stamp in stamps]  # type: ignore[attr-defined]
    texts = [text for text in texts if text[:4] >= "1700"]
    if texts:
        column = parse(pa.array(texts, pa.string()))
        assert list(zip(column.wall.to_pylist(), column.offset.to_pylist(), strict=True)) == [
            parse_one(t) for t in texts
        ]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        # the hour occurs twice on 2026-11-01: 01:30 is EDT first, then EST
        (["2026-11-01T01:10:00", "2026-11-01T01:50:00", "2026-11-01T01:20:00"], "2026-11-01T01:20:00-05:00"),
        (["2026-11-01T01:20:00", "2026-11-01T01:50:00", "2026-11-01T01:10:00"][::-1], "2026-11-01T01:20:00-05:00"),
        (["2026-11-01T01:30:00"], "2026-11-01T01:30:00-04:00"),
        # the hour from 02:00 does not exist on 2026-03-08: moved forward
        (["2026-03-08T02:30:00"], "2026-03-08T03:30:00-04:00"),
    ],
)
def test_r22_clock_changes(times: list[str], expected: str, audited: Audited) -> None:
    assert starts(audited, log(*times, seq=True), timezone="America/New_York")[1] == expected


def test_r22_a_descending_log_without_numbers(audited: Audited) -> None:
    times = ["2026-11-01T01:20:00", "2026-11-01T01:05:00", "2026-11-01T01:50:00", "2026-11-01T01:10:00"]
    record = audited({"log.csv": log(*times)}, timezone="America/New_York")
    assert record.tallies.period() == ("2026-11-01T01:10:00-04:00", "2026-11-01T01:20:00-05:00")
    assert record.times == {"without_offset": 4, "twice": 4, "never": 0}


def test_the_gaming_day_starts_at_six_by_the_wall_clock(audited: Audited) -> None:
    text = log("2026-03-03T05:59:59-05:00", "2026-03-03T06:00:00-05:00")
    assert sorted(audited({"log.csv": text}).tallies.days) == ["2026-03-02", "2026-03-03"]


def test_the_gaming_day_of_a_profile(tmp_path: Path, audited: Audited) -> None:
    profile = tmp_path / "p.toml"
    profile.write_text('timezone = "America/New_York"\ngaming_day_starts = "04:00"\n', "utf-8")
    text = log("2026-03-03T08:59:59Z", "2026-03-03T09:00:00Z")
    assert sorted(audited({"log.csv": text}, profile=profile).tallies.days) == ["2026-03-02", "2026-03-03"]


@given(
    st.lists(st.datetimes(datetime(1950, 1, 1), datetime(9998, 12, 30)), min_size=1, max_size=5),
    st.sampled_from(
        ["America/New_York", "Africa/Casablanca", "Asia/Kathmandu", "Australia/Lord_Howe", "+05:30", "UTC"]
    ),
)
def test_offsets_are_those_of_the_zone(moments: list[datetime], name: str) -> None:
    instants = np.array([(moment - datetime(1970, 1, 1)) // timedelta(microseconds=1) for moment in moments])
    own = timezone(timedelta(hours=5, minutes=30)) if name == "+05:30" else ZoneInfo(name)
    expected = [moment.replace(tzinfo=UTC).astimezone(own).utcoffset() for moment in moments]
    assert offsets_at(name, instants).tolist() == [
        (offset or timedelta()) // timedelta(minutes=1) for offset in expected
    ]


def test_offsets_change_at_the_moment_at_which_clocks_do() -> None:
    spring = (datetime(2026, 3, 8, 7) - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    instants = np.array([spring - 1, spring, spring + 12 * 3600 * 1_000_000])
    assert offsets_at("America/New_York", instants).tolist() == [-300, -240, -240]


def test_an_unknown_zone_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="unknown time zone 'Mars/Olympus'"):
        zone("Mars/Olympus")


FORMATS = ("%m/%d/%Y %I:%M:%S %p", "%d.%m.%Y %H:%M:%S", "%Y/%m/%d %H:%M:%S", "%d %b %Y %H:%M:%S", "%d/%m/%y %H:%M:%S")


@given(
    st.lists(st.datetimes(datetime(1970, 1, 1), datetime(2068, 12, 31)), min_size=1, max_size=20),
    st.sampled_from(FORMATS),
    st.booleans(),
)
def test_declared_formats_are_read_as_python_reads_them(stamps: list[datetime], form: str, padded: bool) -> None:
    texts = [stamp.replace(microsecond=0).strftime(form) for stamp in stamps]
    if not padded:
        texts = [re.sub(r"\b0(\d)\b", r"\1", text) for text in texts]
    wall = declared_times.parse(pa.array([*texts, "no time", "31/31/2000 99:99:99"]), (form,)).wall.to_pylist()
    for text, micro in zip(texts, wall, strict=False):
        try:
            meant = datetime.strptime(text, form)
        except ValueError:  # a year of one digit
            assert micro is None
            continue
        assert datetime(1970, 1, 1) + timedelta(microseconds=micro) == meant
    assert wall[-2:] == [None, None]
