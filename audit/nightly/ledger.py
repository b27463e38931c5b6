"""The ledger: one line for each thing done, appended and never changed, each bearing the sum of the one before.

A line is there whole or does not count: what a killed process or a full disk left of one is cut off by the next run.
What stands in no line has not happened.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.errors import OutputError, ThrowauditError
from audit.nightly.clock import stamp
from audit.nightly.files import as_json, cannot_write, sync_folder

NAME = "ledger.jsonl"
_FIRST = "0" * 64


class DamagedLedgerError(ThrowauditError):
    """The ledger is not what was written: nothing is done until somebody has looked (exit status 3)."""


Entry = Mapping[str, Any]


class Ledger:
    """The entries of an archive, and the way to add one."""

    def __init__(self, archive: Path) -> None:
        self.path = archive / NAME
        self.entries: list[Entry] = []
        self._last = _FIRST
        self._size = 0
        self._read()

    def _read(self) -> None:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise OutputError(f"cannot read {self.path}: {error.strerror}") from error
        lines = data.split(b"\n")
        torn = lines.pop()  # blank where the last line is whole
        for number, line in enumerate(lines, 1):
            digest = hashlib.sha256(line).hexdigest()
            try:
                entry = json.loads(line)
                sound = entry["previous"] == self._last
            except (ValueError, KeyError, TypeError):
                sound = False
            if not sound:
                raise DamagedLedgerError(f"{self.path}, line {number}, is not what was written: run throwaudit verify")
            self.entries.append(entry)
            self._last = digest
        self._size = len(data) - len(torn)

    @property
    def torn(self) -> bool:
        """A line was begun and not ended."""
        return self.path.exists() and self.path.stat().st_size > self._size

    def add(self, entry: Mapping[str, Any]) -> Entry:
        """Append an entry: with the last byte it counts. Raises OutputError, and nothing has happened."""
        whole = {**entry, "at": stamp(), "previous": self._last}
        line = as_json(whole)
        try:
            new = not self.path.exists()
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                os.ftruncate(handle, self._size)
                os.lseek(handle, self._size, os.SEEK_SET)
                self._write(handle, line + b"\n")
            finally:
                os.close(handle)
            if new:
                sync_folder(self.path.parent)
        except OSError as error:
            raise cannot_write(self.path, error) from error
        self._size += len(line) + 1
        self._last = hashlib.sha256(line).hexdigest()
        self.entries.append(whole)
        return whole

    def _write(self, handle: int, data: bytes) -> None:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(handle, left) :]
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, self._size)
            raise
