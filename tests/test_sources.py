"""Which files are read, and their bytes: compressed, in archives, twice, in folders, and what is refused."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from pathlib import Path

import zstandard
from conftest import Audited
from test_reading import HEAD, PLAIN, problems, row

from audit.pipeline import Options, audit_logs
from rules.three_dice_football import PACK


def _zip(members: dict[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def test_r17_compressed_files(audited: Audited) -> None:
    second = HEAD + row(4)
    third = HEAD + row(5)
    fourth = HEAD + row(6)
    logs = {
        "a.csv.gz": gzip.compress(PLAIN.encode()),
        "b.csv.zst": zstandard.compress(second.encode()),
        "c.zip": _zip(
            {"x/one.csv": third, "x/": b"", ".DS_Store": b"\0\1", "two.csv.gz": gzip.compress(fourth.encode())}
        ),
    }
    record = audited(logs)
    assert problems(record) == []
    assert record.accepted == 6
    assert [Path(i.name).name for i in record.inputs][:2] == ["a.csv.gz", "b.csv.zst"]
    assert all(i.sha256 and i.sha256 != i.content_sha256 for i in record.inputs)


def test_r17_a_cut_or_damaged_file_is_refused_whole(audited: Audited) -> None:
    packed = gzip.compress((HEAD + "".join(row(n) for n in range(5000))).encode())
    record = audited(
        {"cut.csv.gz": packed[: len(packed) // 2], "bad.zip": _zip({"a.csv": PLAIN})[:60], "good.csv": PLAIN}
    )
    assert record.accepted == 3
    assert problems(record) == ["is cut off: the compressed data end too early"] * 2


def test_r17_a_bomb_is_refused_past_a_stated_expansion(audited: Audited) -> None:
    record = audited({"bomb.csv.gz": gzip.compress(HEAD.encode() + row(1).encode() * 2_000_000), "good.csv": PLAIN})
    assert problems(record) == ["expands to more than 300 times its size: refused"]
    assert record.accepted == 3


def test_r18_a_last_row_without_newline_is_a_row(audited: Audited) -> None:
    import hashlib

    text = PLAIN.rstrip("\n")
    record = audited({"log.csv": text})
    assert record.accepted == 3
    assert record.inputs[0].sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_r25_the_same_bytes_are_read_once(tmp_path: Path, audited: Audited) -> None:
    (tmp_path / "a.csv").write_text(PLAIN, "utf-8")
    os.symlink(tmp_path / "a.csv", tmp_path / "link.csv")
    (tmp_path / "b.zip").write_bytes(_zip({"copy.csv": PLAIN}))
    names = ["a.csv", "a.csv", "link.csv", "b.zip"]
    record = audit_logs(Options(tuple(str(tmp_path / name) for name in names), formats=()), [PACK])
    assert record.accepted == 3
    assert len(record.notes) == 2
    assert [note for i in record.inputs for note in i.notes] == [
        f"holds the same bytes as {tmp_path / 'a.csv'}: read once"
    ]


def test_r27_one_bad_file_among_fifty(audited: Audited) -> None:
    logs: dict[str, str | bytes] = {f"{n:02d}.csv": HEAD + row(n) for n in range(49)}
    record = audited(logs | {"bad.csv": b"\x7fELF\0\0\0\0"})
    assert record.accepted == 49
    assert len(problems(record)) == 1
    assert int(record.status) == 3


def test_folders_and_globs(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "empty").mkdir()
    for n in (1, 2):
        (tmp_path / "in" / f"{n}.csv").write_text(HEAD + row(n), "utf-8")
    (tmp_path / "in" / ".hidden.csv").write_text("no log", "utf-8")
    for argument in (tmp_path / "in", tmp_path / "in" / "*.csv"):
        assert audit_logs(Options((str(argument),), formats=()), [PACK]).accepted == 2
    arguments = (str(tmp_path / "empty"), str(tmp_path / "no*.csv"), str(tmp_path / "none.csv"))
    record = audit_logs(Options(arguments, formats=()), [PACK])
    assert problems(record) == ["holds no log", "matches no file", "no such file or folder"]
    assert int(record.status) == 3


def test_a_folder_of_results_is_no_folder_of_logs(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(PLAIN, "utf-8")
    results = tmp_path / "audit-out"
    results.mkdir()
    for name in ("SHA256SUMS", "summary.json", "findings.csv"):
        (results / name).write_text("x", "utf-8")
    record = audit_logs(Options((str(tmp_path),), formats=()), [PACK])
    assert [Path(i.name).name for i in record.inputs] == ["log.csv"]


def test_names_that_are_no_text(tmp_path: Path, audited: Audited) -> None:
    path = os.fsencode(tmp_path) + b"/odd\xff.csv"
    Path(os.fsdecode(path)).write_text(HEAD + row(1, stick_used="no"), "utf-8")
    record = audit_logs(Options((os.fsdecode(path),), formats=()), [PACK])
    assert record.findings["source_file"].to_pylist() == [f"{tmp_path}/odd\\xff.csv"]


def test_an_unreadable_input_is_still_identified(audited: Audited) -> None:
    (record,) = audited({"bad.csv": "a,b\n1,2\n"}).inputs
    assert record.problem
    assert len(record.sha256) == 64
    assert record.size == 8


def test_an_empty_name_is_no_folder(tmp_path: Path) -> None:
    record = audit_logs(Options(("",), formats=()), [PACK])
    assert [i.problem for i in record.inputs] == ["no such file or folder"]
