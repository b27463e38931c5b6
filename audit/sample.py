"""Write a pack's synthetic log and its answer key, as a stream, whole or not at all."""

from __future__ import annotations

import csv
import os
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from audit.errors import OutputError, UsageError
from rules.kit import Pack
from rules.sampling import Sample

ANSWER_COLUMNS = ("event_id", "part", "rule", "outcome")


@contextmanager
def _whole(path: Path) -> Iterator[TextIO]:
    """A file that appears under its name only when it is complete. Raises OutputError."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as out:
            yield out
        os.replace(temporary, path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_sample(pack: Pack, request: Sample, log: Path, answers: Path | None) -> None:
    """Write ``log`` and, if wanted, ``answers``. Raises UsageError where the pack makes no logs, OutputError."""
    if pack.sampler is None:
        raise UsageError(f"pack {pack.name} makes no sample logs")
    if answers is not None and answers.absolute() == log.absolute():
        raise UsageError("--out and --answers name one file")
    for path in filter(None, (log, answers)):
        if path.is_dir() or not os.access(path.absolute().parent, os.W_OK):
            raise UsageError(f"cannot write {path}: its folder is not there or cannot be written to")
    with ExitStack() as files:
        out = files.enter_context(_whole(log))
        key = csv.writer(files.enter_context(_whole(answers)), lineterminator="\n") if answers else None
        if key:
            key.writerow(ANSWER_COLUMNS)
        for stretch in pack.sampler()(request):
            out.write(stretch.text)
            if key:
                key.writerows(stretch.answers)
