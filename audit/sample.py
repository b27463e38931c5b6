"""Write a pack's synthetic log and its answer key, as a stream, whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from audit.errors import OutputError, UsageError
from audit.reading.profile import Profile
from audit.sample_parquet import typed_parquet
from rules.kit import Pack
from rules.sampling import Sample

ANSWER_COLUMNS = ("event_id", "part", "rule", "outcome")


@contextmanager
def _whole(path: Path) -> Iterator[TextIO]:
    """A text that appears under its name only when it is complete. Raises OutputError."""
    with _whole_name(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as out:
        yield out


@contextmanager
def _whole_name(path: Path) -> Iterator[Path]:
    """A name for a file that takes its own when it is complete. Raises OutputError."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


Write = Callable[[str], Any]


@contextmanager
def _as_csv(path: Path, _: Pack) -> Iterator[Write]:
    with _whole(path) as out:
        yield out.write


@contextmanager
def _as_tsv(path: Path, _: Pack) -> Iterator[Write]:
    with _whole(path) as out:
        writer = csv.writer(out, delimiter="\t", lineterminator="\n")
        yield lambda text: writer.writerows(csv.reader(io.StringIO(text)))


class _Entries:
    """The rows of a stretch of CSV as they nest in JSON: ``off1_rest`` stands in ``dice``, there in ``off1``."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._header: list[str] = []

    def of(self, text: str) -> Iterator[dict[str, Any]]:
        rows = csv.reader(io.StringIO(text))
        if not self._header:
            self._header = next(rows)
        for row in rows:
            yield self._nested(dict(zip(self._header, row, strict=True)))

    def _nested(self, cells: dict[str, str]) -> dict[str, Any]:
        entry: dict[str, Any] = {}
        for name, text in cells.items():
            column = self._pack.by_name[name]
            if text and column.part:
                entry.setdefault("dice", {}).setdefault(column.part, {})[column.field] = text
            elif text:
                entry[name] = text
        return entry


@contextmanager
def _as_json_lines(path: Path, pack: Pack) -> Iterator[Write]:
    entries = _Entries(pack)
    with _whole(path) as out:
        yield lambda text: out.writelines(json.dumps(e, ensure_ascii=False) + "\n" for e in entries.of(text))


@contextmanager
def _as_json(path: Path, pack: Pack) -> Iterator[Write]:
    entries, between = _Entries(pack), ["[\n"]

    def write(text: str) -> None:
        for entry in entries.of(text):
            out.write(between[-1] + json.dumps(entry, ensure_ascii=False))
            between[:] = [",\n"]

    with _whole(path) as out:
        yield write
        out.write("]\n" if between == [",\n"] else "[]\n")


@contextmanager
def _as_parquet(path: Path, pack: Pack) -> Iterator[Write]:
    with _whole_name(path) as temporary, typed_parquet(temporary, pack) as write:
        yield write


_WRITERS: dict[str, Callable[[Path, Pack], AbstractContextManager[Write]]] = {
    ".tsv": _as_tsv,
    ".jsonl": _as_json_lines,
    ".ndjson": _as_json_lines,
    ".json": _as_json,
    ".parquet": _as_parquet,
}


def write_sample(pack: Pack, request: Sample, log: Path, answers: Path | None) -> None:
    """Write ``log``, in the format that its ending names, and, if wanted, ``answers``.

    Raises UsageError where the pack makes no logs by these options or the format is not known, OutputError.
    """
    if pack.sampler is None:
        raise UsageError(f"pack {pack.name} makes no sample logs")
    Profile(house=request.house).check_against(pack, {})
    request = replace(request, house=pack.for_house(request.house).house)
    if answers is not None and answers.absolute() == log.absolute():
        raise UsageError("--out and --answers name one file")
    for path in filter(None, (log, answers)):
        if path.is_dir() or not os.access(path.absolute().parent, os.W_OK):
            raise UsageError(f"cannot write {path}: its folder is not there or cannot be written to")
    writer = _WRITERS.get(log.suffix.lower(), _as_csv)
    with ExitStack() as files:
        write = files.enter_context(writer(log, pack))
        key = csv.writer(files.enter_context(_whole(answers)), lineterminator="\n") if answers else None
        if key:
            key.writerow(ANSWER_COLUMNS)
        try:
            for stretch in pack.sampler()(request):
                write(stretch.text)
                if key:
                    key.writerows(stretch.answers)
        except ValueError as error:
            raise UsageError(f"no sample log by these options of [house]: {error}") from error
