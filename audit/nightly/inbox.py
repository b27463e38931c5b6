"""What lies in the inboxes: which files are complete, which are still being written, which are known already."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from stat import S_ISREG

from audit.errors import UsageError
from audit.nightly.config import Config, Inbox
from audit.nightly.files import as_json, sha256_of, write_bytes

SEEN = "seen.json"


@dataclass(frozen=True)
class Arrived:
    """A complete file of an inbox. ``problem``: why its bytes cannot be had."""

    inbox: int
    name: str
    sha256: str = ""
    problem: str = ""

    @property
    def path(self) -> Path:
        return Path(self.name)


@dataclass(frozen=True)
class Found:
    """What the inboxes hold: complete files in the order of their names, and those left for the next run.

    ``seen``: SHA-256 of all that is known of the complete ones.
    """

    complete: Sequence[Arrived]
    unfinished: Sequence[str]
    seen: str


def look(config: Config) -> Found:
    """Look through the inboxes. Raises UsageError where one's folder is not there, OutputError."""
    seen = _Seen(config.archive / SEEN)
    complete: list[Arrived] = []
    unfinished: list[str] = []
    met: set[str] = set()
    for number, inbox in enumerate(config.inboxes):
        for name in _files(inbox, config.done_marker):
            if name in met:
                continue
            met.add(name)
            try:
                found = os.stat(name)
                if not S_ISREG(found.st_mode):
                    continue
                if not _is_complete(name, found, config):
                    unfinished.append(name)
                    continue
                complete.append(Arrived(number, name, seen.sha256(name, found)))
            except FileNotFoundError:
                continue  # gone since it was listed
            except _ChangedError:
                unfinished.append(name)
            except OSError as error:
                complete.append(Arrived(number, name, problem=error.strerror or str(error)))
    return Found(complete, unfinished, seen.save())


def _files(inbox: Inbox, marker: str) -> Iterator[str]:
    """What lies in an inbox, by name; hidden files and markers are none."""
    if os.path.isdir(inbox.files):
        names = [os.path.join(inbox.files, name) for name in os.listdir(inbox.files)]
    else:
        names = glob(inbox.files, recursive=True)
        if not names:
            _check_folder(Path(inbox.files))
    for name in sorted(names):
        if not os.path.basename(name).startswith(".") and not (marker and name.endswith(marker)):
            yield name


def _check_folder(pattern: Path) -> None:
    """An empty inbox is no error; one whose folder is not there is a wrong path, or a share that is not mounted."""
    folder = pattern.parent
    while has_magic(str(folder)):
        folder = folder.parent
    if not folder.is_dir():
        raise UsageError(f"inbox {pattern}: there is no folder {folder}")


def _is_complete(name: str, found: os.stat_result, config: Config) -> bool:
    if config.done_marker:
        markers = (f"{name}{config.done_marker}", f"{os.path.splitext(name)[0]}{config.done_marker}")
        return any(os.path.exists(marker) for marker in markers)
    return time.time() - found.st_mtime >= config.quiet_minutes * 60


class _ChangedError(OSError):
    """The file changed while it was read: somebody is writing to it."""


class _Seen:
    """SHA-256 of files by path, so that what lies there for years is not read every night.

    A file is taken for the one that was read as long as place on disk, size and both times are the same. What stands
    here only saves work: without it every file is read again and known by its bytes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before: Mapping[str, list[object]] = {}
        self._now: dict[str, list[object]] = {}
        self._data = b""
        try:
            self._data = path.read_bytes()
            entries = json.loads(self._data)
            if isinstance(entries, dict):
                self._before = entries
        except (OSError, ValueError):
            pass

    def sha256(self, name: str, found: os.stat_result) -> str:
        mark = _mark(found)
        known = self._before.get(name)
        if isinstance(known, list) and known[1:] == mark and isinstance(known[0], str):
            digest = known[0]
        else:
            digest = sha256_of(Path(name))
            if _mark(os.stat(name)) != mark:
                raise _ChangedError
        self._now[name] = [digest, *mark]
        return digest

    def save(self) -> str:
        """Keep what is seen for the next run; its SHA-256."""
        if self._now != self._before:
            self._data = as_json(self._now)
            write_bytes(self._path, self._data)
        return hashlib.sha256(self._data).hexdigest()


def _mark(found: os.stat_result) -> list[object]:
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]
