"""From bytes to blocks of whole lines of UTF-8 text, with the number of their first line.

A block ends at a line break outside quotes wherever its quotes allow to tell. The encoding is UTF-8 unless a byte
order mark says UTF-16, or the file has bytes that are no UTF-8 and not one character that is: then Windows-1252.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading.sources import Content

BLOCK = 2 << 20
LINE_LIMIT = 64 << 20
_STEP = 1 << 19  # bytes looked at in one go: they stay in the processor's cache


@dataclass(frozen=True)
class Block:
    """Whole lines as UTF-8 (or, where ``odd``, with lines that are not). ``line``: number of the first, from 1."""

    data: bytes
    line: int
    encoding: str
    odd: bool = False
    ascii: bool = False

    @cached_property
    def line_count(self) -> int:
        return count_lines(self.data)


def count_lines(data: bytes) -> int:
    """Lines that begin in ``data``; CR, LF and CRLF each end one."""
    ends = _occurrences(data, b"\n")
    if b"\r" in data:
        ends += data.count(b"\r") - data.count(b"\r\n")
    return ends + (0 if not data or data.endswith((b"\n", b"\r")) else 1)


def _occurrences(data: bytes, byte: bytes, end: int | None = None) -> int:
    """How often a byte occurs before ``end``: many times faster than ``bytes.count`` where it occurs often."""
    view = np.frombuffer(data, dtype=np.uint8, count=len(data) if end is None else end)
    return sum(int(np.count_nonzero(view[at : at + _STEP] == byte[0])) for at in range(0, len(view), _STEP))


def _cut(data: bytes) -> int:
    """Where the last whole line ends, outside quotes if that can be told; 0 where none does."""
    end = data.rfind(b"\n") + 1
    if end == 0:
        end = data.rfind(b"\r", 0, len(data) - 1) + 1
    if end == 0 or b'"' not in data:
        return end
    quotes = _occurrences(data, b'"', end)
    here = end
    while quotes % 2 and here > max(0, end - (1 << 20)):
        before = max(data.rfind(b"\n", 0, here - 1), data.rfind(b"\r", 0, here - 2)) + 1
        if before <= 0:
            break
        quotes -= data.count(b'"', before, here)
        here = before
    return end if quotes % 2 else here


def has_utf8_characters(content: Content) -> bool:
    """Whether any line holds a character beyond ASCII that is UTF-8."""
    rest = b""
    while data := content.read(BLOCK):
        rest += data
        cut = _cut(rest) or len(rest)
        chunk, rest = rest[:cut], rest[cut:]
        if not chunk.isascii() and _any_utf8_line(chunk):
            return True
    return not rest.isascii() and _any_utf8_line(rest)


def _any_utf8_line(chunk: bytes) -> bool:
    for line in chunk.splitlines():
        if not line.isascii():
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                continue
            return True
    return False


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def blocks(content: Content, look_ahead: Callable[[], bool], encoding: str = "") -> Iterator[Block]:
    """The log as blocks. ``look_ahead`` reads it afresh and tells whether it holds UTF-8 characters at all.

    ``encoding``: what the house says that the log is in, where it does.

    Raises UnreadableInputError for an empty file, an unfinished one, and one that is not the text it says it is.
    """
    head = content.peek(4)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        yield from _decoded_blocks(
            content, "utf-16-le" if head.startswith(codecs.BOM_UTF16_LE) else "utf-16-be", "utf-16"
        )
        return
    if encoding and encoding not in ("utf-8", "utf-8-sig", "cp1252"):
        yield from _decoded_blocks(content, encoding, encoding)
        return
    if head.startswith(codecs.BOM_UTF8):
        content.read(len(codecs.BOM_UTF8))
    pending, line = b"", 1
    decided = head.startswith(codecs.BOM_UTF8) or bool(encoding)
    encoding = "cp1252" if encoding == "cp1252" else "utf-8"
    while True:
        data = content.read(max(BLOCK - len(pending), 1 << 16))
        ended = not data
        pending += data
        cut = len(pending) if ended else _cut(pending)
        if cut == 0:
            if ended:
                return
            if len(pending) > LINE_LIMIT:
                raise UnreadableInputError(errors.endless_line(LINE_LIMIT), line)
            continue
        chunk, pending = pending[:cut], pending[cut:]
        if ended and chunk.endswith(b"\0\0"):
            raise UnreadableInputError(errors.UNFINISHED)
        odd, plain = False, chunk.isascii()
        if not plain:
            if encoding == "utf-8" and not _is_utf8(chunk):
                if not decided and not look_ahead():
                    encoding = "cp1252"
                odd = encoding == "utf-8"
            decided = True
            if encoding == "cp1252":
                chunk, odd = _from_1252(chunk)
        block = Block(chunk, line, encoding, odd, plain)
        yield block
        line += block.line_count


def _from_1252(chunk: bytes) -> tuple[bytes, bool]:
    """As UTF-8; untouched, and odd, where a byte has no meaning in Windows-1252."""
    try:
        return chunk.decode("cp1252").encode("utf-8"), False
    except UnicodeDecodeError:
        return chunk, True


def _decoded_blocks(content: Content, encoding: str, codec: str) -> Iterator[Block]:
    """Blocks of a log in an encoding of which no single line can be told apart: all of it is that, or it is refused."""
    decoder = codecs.getincrementaldecoder(codec)()
    pending, line = b"", 1
    while True:
        data = content.read(BLOCK)
        try:
            pending += decoder.decode(data, final=not data).encode("utf-8")
        except UnicodeError as error:
            raise UnreadableInputError(errors.not_encoded(encoding, line + count_lines(pending))) from error
        cut = len(pending) if not data else _cut(pending)
        if cut:
            chunk, pending = pending[:cut], pending[cut:]
            if not data and chunk.endswith(b"\0\0"):
                raise UnreadableInputError(errors.UNFINISHED)
            block = Block(chunk, line, encoding)
            yield block
            line += block.line_count
        if not data:
            return
        if len(pending) > LINE_LIMIT:
            raise UnreadableInputError(errors.endless_line(LINE_LIMIT), line)
