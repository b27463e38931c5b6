"""What lies in the inboxes: which files are complete, which are still being written, which are known already."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

from audit.errors import UsageError
from audit.nightly.config import Config, Inbox
from audit.nightly.files import as_json, sha256_of, write_bytes

SEEN = "seen.json"


@dataclass(frozen=True)
class Arrived:
    """A complete file of an inbox. ``problem``: why its bytes cannot be had."""

    inbox: int
    path: Path
    sha256: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Found:
    """What the inboxes hold: complete files in the order of their names, and those left for the next run."""

    complete: tuple[Arrived, ...]
    unfinished: tuple[Path, ...]


def look(config: Config) -> Found:
    """Look through the inboxes. Raises UsageError where one's folder is not there, OutputError."""
    seen = _Seen(config.archive / SEEN)
    complete: list[Arrived] = []
    unfinished: list[Path] = []
    met: set[str] = set()
    for number, inbox in enumerate(config.inboxes):
        for path in _files(inbox, config.done_marker):
            if str(path) in met:
                continue
            met.add(str(path))
            try:
                found = path.stat()
                if not _is_complete(path, found, config):
                    unfinished.append(path)
                    continue
                digest = seen.sha256(path, found)
                complete.append(Arrived(number, path, digest))
            except FileNotFoundError:
                continue  # gone since it was listed
            except _ChangedError:
                unfinished.append(path)
            except OSError as error:
                complete.append(Arrived(number, path, problem=error.strerror or str(error)))
    seen.save()
    return Found(tuple(complete), tuple(unfinished))


def _files(inbox: Inbox, marker: str) -> Iterator[Path]:
    """The files of an inbox by name; hidden ones and markers are none."""
    here = Path(inbox.files)
    if here.is_dir():
        paths = [str(here / name) for name in os.listdir(here)]
    else:
        paths = glob(inbox.files, recursive=True)
        if not paths:
            _check_folder(here)
    for text in sorted(paths):
        path = Path(text)
        if not path.name.startswith(".") and not (marker and text.endswith(marker)) and path.is_file():
            yield path


def _check_folder(pattern: Path) -> None:
    """An empty inbox is no error; one whose folder is not there is a wrong path, or a share that is not mounted."""
    folder = pattern.parent
    while has_magic(str(folder)):
        folder = folder.parent
    if not folder.is_dir():
        raise UsageError(f"inbox {pattern}: there is no folder {folder}")


def _is_complete(path: Path, found: os.stat_result, config: Config) -> bool:
    if config.done_marker:
        markers = (f"{path}{config.done_marker}", f"{path.with_suffix('')}{config.done_marker}")
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
        try:
            entries = json.loads(path.read_bytes())
            if isinstance(entries, dict):
                self._before = entries
        except (OSError, ValueError):
            pass

    def sha256(self, path: Path, found: os.stat_result) -> str:
        mark = _mark(found)
        known = self._before.get(str(path))
        if isinstance(known, list) and known[1:] == mark and isinstance(known[0], str):
            digest = known[0]
        else:
            digest = sha256_of(path)
            if _mark(path.stat()) != mark:
                raise _ChangedError
        self._now[str(path)] = [digest, *mark]
        return digest

    def save(self) -> None:
        if self._now != self._before:
            write_bytes(self._path, as_json(self._now))


def _mark(found: os.stat_result) -> list[object]:
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]
