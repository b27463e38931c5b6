"""The log of runs: a file that is begun anew when it grows, for people, or for machines as JSON lines."""

from __future__ import annotations

import json
import logging
import logging.handlers
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from audit.nightly.clock import stamp

#: A log file of this many bytes is put aside, and so many of those are kept.
SIZE, KEPT = 5 << 20, 9


class Journal:
    """Notes what was done: a word for what it is, and its values."""

    def __init__(self, logger: logging.Logger | None, as_json: bool) -> None:
        self._logger, self._as_json = logger, as_json

    def note(self, what: str, **values: Any) -> None:
        """One line. Control characters in values are written as escapes."""
        if self._logger is None:
            return
        if self._as_json:
            line = json.dumps({"at": stamp(), "what": what, **values}, ensure_ascii=True, default=str)
        else:
            said = " ".join(
                f"{key}={json.dumps(value, ensure_ascii=True, default=str)}" for key, value in values.items()
            )
            line = f"{stamp()} {what} {said}".rstrip()
        self._logger.info(line)


@contextmanager
def journal(path: Path | None, as_json: bool) -> Iterator[tuple[Journal, str]]:
    """The journal, and what is wrong with its file, where something is: the work goes on without."""
    if path is None:
        yield Journal(None, as_json), ""
        return
    logger = logging.Logger("throwaudit.nightly")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(path, maxBytes=SIZE, backupCount=KEPT, encoding="utf-8")
    except OSError as error:
        yield Journal(None, as_json), f"cannot write the log {path}: {error.strerror or error}"
        return
    handler.handleError = lambda record: None  # type: ignore[method-assign]  # a full disk is said by what matters more
    logger.addHandler(handler)
    try:
        yield Journal(logger, as_json), ""
    finally:
        handler.close()
