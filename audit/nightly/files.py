"""Files that are there whole or not at all, whatever ends the process; and names that no text can make dangerous."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from audit.errors import OutputError

#: Begins the name of whatever is not yet complete; the next run sweeps it.
UNFINISHED = ".unfinished-"


def cannot_write(path: Path, error: OSError) -> OutputError:
    return OutputError(f"cannot write {path}: {error.strerror or error}")


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_whole(path: Path, write: Callable[[Path], object]) -> str:
    """Let ``write`` make a file under a temporary name, then give it its own; its SHA-256. Raises OutputError."""
    temporary = path.with_name(f"{UNFINISHED}{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        with temporary.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)
        return digest
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        with suppress(OSError):  # said already
            temporary.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> str:
    """``data`` as a file. Raises OutputError."""
    return write_whole(path, lambda temporary: temporary.write_bytes(data))


def as_json(value: Any) -> bytes:
    """A value in the one spelling that the archive uses."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8")


def sha256_of(path: Path) -> str:
    """SHA-256 of a file. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_name(text: str) -> str:
    """A text from a log as the name of one folder: nothing in it leads anywhere else."""
    name = quote(text, safe=" ()+,;=@&'!") or "%"
    name = name.replace(".", "%2E") if set(name) == {"."} else name
    return name if len(name) <= 180 else f"{name[:140]}~{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def sweep(folder: Path) -> None:
    """Remove what an earlier run did not complete. Raises OutputError."""
    for top, folders, names in os.walk(folder):
        for name in names:
            if name.startswith(UNFINISHED):
                _remove(Path(top) / name)
        for name in [name for name in folders if name.startswith(UNFINISHED)]:
            remove_folder(Path(top) / name)
            folders.remove(name)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error


def remove_folder(folder: Path) -> None:
    """Remove a folder of files of ours. Raises OutputError."""
    for top, folders, names in os.walk(folder, topdown=False):
        for name in names:
            _remove(Path(top) / name)
        for name in folders:
            (Path(top) / name).rmdir()
    try:
        folder.rmdir()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise cannot_write(folder, error) from error
