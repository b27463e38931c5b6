"""Which logs are meant, and their bytes: folders, globs, compressed files, archives; hashed as they are parsed."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from glob import glob, has_magic
from pathlib import Path
from typing import IO, Any, BinaryIO

import zstandard

from audit import errors
from audit.errors import UnreadableInputError

#: A compressed file may unpack to this many times its size (once past EXPANSION_FLOOR bytes).
EXPANSION_LIMIT = 300
EXPANSION_FLOOR = 64 << 20

_LOG_ENDINGS = (
    ".csv",
    ".tsv",
    ".tab",
    ".txt",
    ".json",
    ".jsonl",
    ".ndjson",
    ".parquet",
    ".xlsx",
    ".xls",
    ".ods",
)
_PACKED_ENDINGS = (".gz", ".zst", ".zip")

GZIP, ZSTD, ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"


class _Hashed(io.RawIOBase):
    """A stream that hashes what is read from it."""

    def __init__(self, inner: BinaryIO) -> None:
        self.inner = inner
        self.digest = hashlib.sha256()
        self.size = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        data = self.inner.read(-1 if size is None else size)
        self.digest.update(data)
        self.size += len(data)
        return data

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        size = self.inner.readinto(view)  # type: ignore[attr-defined]
        self.digest.update(view[:size])
        self.size += size
        return size  # type: ignore[no-any-return]

    def drain(self) -> None:
        while self.read(1 << 20):
            pass


class _Limited:
    """Unpacked content, refused past a stated expansion."""

    def __init__(self, inner: IO[bytes], packed_size: Callable[[], int]) -> None:
        self._inner, self._packed_size, self._size = inner, packed_size, 0

    def read(self, size: int) -> bytes:
        try:
            data = self._inner.read(size)
        except EOFError as error:
            raise UnreadableInputError(errors.CUT_OFF) from error
        except RuntimeError as error:
            raise UnreadableInputError(errors.ENCRYPTED) from error
        except (OSError, zlib.error, zipfile.BadZipFile, zstandard.ZstdError, NotImplementedError) as error:
            raise UnreadableInputError(errors.DAMAGED) from error
        self._size += len(data)
        if self._size > EXPANSION_FLOOR and self._size > EXPANSION_LIMIT * self._packed_size():
            raise UnreadableInputError(errors.expands_too_far(EXPANSION_LIMIT))
        return data


class Content:
    """The bytes of one log, unpacked, read once from front to back.

    ``length``: how many there are likely to be; 0 where it is not known.
    """

    def __init__(self, read: Callable[[int], bytes], stored: _Hashed, packed: bool, length: int = 0) -> None:
        self._read, self._stored, self._packed, self.length = read, stored, packed, length
        self._digest = hashlib.sha256()
        self._pending = b""

    def peek(self, size: int) -> bytes:
        """The first bytes, without consuming them."""
        while len(self._pending) < size:
            data = self._read(size)
            if not data:
                break
            self._pending += data
        return self._pending[:size]

    def read(self, size: int) -> bytes:
        data, self._pending = self._pending[:size], self._pending[size:]
        if len(data) < size:
            data += self._read(size - len(data))
        if self._packed:
            self._digest.update(data)
        return data

    def read_into(self, view: memoryview) -> int:
        """Fill ``view`` with the next bytes; how many they are, 0 at the end."""
        if not self._packed and not self._pending:
            return self._stored.readinto(view)
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)

    def finish(self) -> tuple[str, int, str]:
        """Read to the end; the file's SHA-256 and size as stored, and the SHA-256 of the log in it."""
        while self.read(1 << 20):
            pass
        self._stored.drain()
        stored = self._stored.digest.hexdigest()
        return stored, self._stored.size, self._digest.hexdigest() if self._packed else stored


@dataclass
class Source:
    """One log: a file, or a member of an archive. ``label`` is how the user named it."""

    label: str
    path: Path
    member: str = ""
    problem: str = ""
    _streams: list[BinaryIO] = field(default_factory=list)

    def open(self) -> Content:
        """Open the log for one reading. Raises UnreadableInputError."""
        try:
            handle = self.path.open("rb")
        except PermissionError as error:
            raise UnreadableInputError(errors.NOT_PERMITTED) from error
        except OSError as error:
            raise UnreadableInputError(error.strerror or str(error)) from error
        self._streams.append(handle)
        stored = _Hashed(handle)
        if self.member:
            return self._open_member(handle, stored)
        head = handle.peek(4)[:4]
        if head[:2] == GZIP:
            unpacked: Any = gzip.GzipFile(fileobj=stored, mode="rb")
        elif head == ZSTD:
            unpacked = _unzstd(stored)
        else:
            return Content(stored.read, stored, packed=False, length=os.fstat(handle.fileno()).st_size)
        self._streams.append(unpacked)
        limited = _Limited(unpacked, lambda: stored.size)
        return Content(limited.read, stored, packed=True)

    def _open_member(self, handle: BinaryIO, stored: _Hashed) -> Content:
        """A member's bytes; the archive itself is hashed from the same open file."""
        stored.drain()
        handle.seek(0)
        try:
            archive = zipfile.ZipFile(handle)
            info = archive.getinfo(self.member)
            stream: IO[bytes] = archive.open(info)
        except RuntimeError as error:
            raise UnreadableInputError(errors.ENCRYPTED) from error
        except (zipfile.BadZipFile, NotImplementedError, KeyError) as error:
            raise UnreadableInputError(errors.DAMAGED) from error
        self._streams.append(stream)  # type: ignore[arg-type]
        limited: Any = _Limited(stream, lambda: info.compress_size)
        if self.member.lower().endswith(".gz"):
            limited = gzip.GzipFile(fileobj=limited, mode="rb")
        elif self.member.lower().endswith(".zst"):
            limited = _unzstd(limited)
        outer = _Limited(limited, lambda: info.compress_size)
        return Content(outer.read, stored, packed=True)

    def identity(self) -> tuple[str, int]:
        """SHA-256 and size of the file as stored; blank and 0 where it cannot be read."""
        try:
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size
        except OSError:
            return "", 0

    def close(self) -> None:
        while self._streams:
            self._streams.pop().close()


def _unzstd(packed: Any) -> Any:
    return zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)


def _looks_like_log(name: str) -> bool:
    lower = name.lower()
    for ending in _PACKED_ENDINGS:
        if lower.endswith(ending):
            return True
    return lower.endswith(_LOG_ENDINGS)


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in Path(name).parts)


def _members(label: str, path: Path) -> Iterator[Source]:
    """The logs inside an archive, in the order of their names."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(info.filename for info in archive.infolist() if not info.is_dir())
    except (zipfile.BadZipFile, OSError, NotImplementedError):
        yield Source(label, path, problem=errors.CUT_OFF)
        return
    if "[Content_Types].xml" in names or "mimetype" in names:
        yield Source(label, path)
        return
    logs = [name for name in names if not _hidden(name) and _looks_like_log(name)]
    if not logs:
        yield Source(label, path, problem=errors.NO_LOGS)
    for name in logs:
        yield Source(f"{label}!{name}", path, member=name)


def _file(label: str, path: Path) -> Iterator[Source]:
    try:
        with path.open("rb") as handle:
            head = handle.read(4)
    except PermissionError:
        yield Source(label, path, problem=errors.NOT_PERMITTED)
        return
    except OSError as error:
        yield Source(label, path, problem=error.strerror or str(error))
        return
    if head == ZIP:
        yield from _members(label, path)
    else:
        yield Source(label, path)


def _label(path: str | Path) -> str:
    """How a file is named in every output: bytes of its name that are no text are written as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _is_results(folder: Path) -> bool:
    """The folder holds results of ours: what stands in it is no log."""
    return (folder / "SHA256SUMS").is_file() and (folder / "summary.json").is_file()


def _inside(folder: Path) -> Iterator[Source]:
    """The logs in a folder and below it, by name; a folder that cannot be entered is named."""
    barred: list[OSError] = []
    found: list[Path] = []
    for top, folders, names in os.walk(folder, onerror=barred.append):
        here = Path(top)
        folders[:] = sorted(name for name in folders if not _hidden(name) and not _is_results(here / name))
        if not _is_results(here):
            found += [here / name for name in names if not _hidden(name) and _looks_like_log(name)]
    for error in barred:
        yield Source(_label(error.filename), Path(error.filename), problem=errors.NOT_PERMITTED)
    for file in sorted(found):
        yield from _file(_label(file), file)
    if not found and not barred:
        yield Source(_label(folder), folder, problem=errors.NO_LOGS)


def _expand(argument: str) -> Iterator[Source]:
    path = Path(argument)
    if not argument:
        yield Source("''", path, problem=errors.MISSING)
    elif path.is_dir():
        yield from _inside(path)
    elif path.exists():
        yield from _file(_label(argument), path)
    elif has_magic(argument):
        matches = sorted(glob(argument, recursive=True))
        if not matches:
            yield Source(_label(argument), path, problem=errors.NO_MATCH)
        for match in matches:
            yield from _expand(match)
    else:
        yield Source(_label(argument), path, problem=errors.MISSING)


def find_sources(arguments: list[str]) -> tuple[list[Source], list[str]]:
    """The logs that ``arguments`` stand for, in their order, and notes on those named twice (by path or link)."""
    sources: list[Source] = []
    notes: list[str] = []
    seen: dict[tuple[int, int, str], str] = {}
    for argument in arguments:
        for source in _expand(argument):
            if not source.problem:
                stat = source.path.stat()
                key = (stat.st_dev, stat.st_ino, source.member)
                if key in seen:
                    same = errors.SAME_AGAIN.format(other=seen[key])
                    notes.append(f"{source.label} {same}")
                    continue
                seen[key] = source.label
            sources.append(source)
    return sources, notes
