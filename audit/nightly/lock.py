"""One run at a time. The kernel holds the lock for the process: a dead run holds none, whatever file it left."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from audit.errors import BusyError
from audit.nightly.files import cannot_write


@contextmanager
def only_run(archive: Path) -> Iterator[None]:
    """Hold the archive for this process. Raises BusyError where another holds it, OutputError where none can."""
    path = archive / "lock"
    try:
        archive.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BusyError(f"another run is on in {archive}") from error
        except OSError as error:
            raise cannot_write(path, error) from error
        yield
    finally:
        os.close(handle)
