"""What a file is, told by its first bytes, and the logs in those whose format cuts the rows itself."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa

from audit import errors
from audit.errors import UnreadableInputError
from audit.reading.cells import ALL_DIFFER
from audit.reading.delimited import Cut, look_ahead, read_blocks
from audit.reading.header import Header, prove_delimiter, understand
from audit.reading.json_logs import LineReader, document_rows, is_one_document
from audit.reading.lines import Block, blocks
from audit.reading.profile import Profile
from audit.reading.rows import careful_rows
from audit.reading.rowwise import RowLog, Rows
from audit.reading.sources import Content, Source
from audit.reading.typed import Aside, Layout
from rules.kit import Pack


class Format(Enum):
    """How the rows of a log are written."""

    TEXT = "delimited text"
    JSON_LINES = "JSON Lines"
    JSON = "JSON"
    PARQUET = "Parquet"
    SPREADSHEET = "spreadsheet"


TEXT = Format.TEXT
#: The most bytes of a Parquet file, which is read whole.
PARQUET_LIMIT = 4 << 30

#: Blocks of JSON Lines that are read together.
_TOGETHER = 12

_MAGIC = (
    (b"PK\x03\x04", Format.SPREADSHEET),
    (b"\xd0\xcf\x11\xe0", Format.SPREADSHEET),
    (b"PAR1", Format.PARQUET),
)
_NO_LOG = (
    (b"%PDF", errors.not_a_log("a PDF document")),
    (b"\x89PNG", errors.not_a_log("a picture")),
    (b"\xff\xd8\xff", errors.not_a_log("a picture")),
    (b"\x7fELF", errors.not_a_log("a program")),
    (b"SQLite format 3", errors.not_a_log("a database")),
)


def kind_of(content: Content) -> Format:
    """What the content is. Raises UnreadableInputError for what is no log at all."""
    head = content.peek(4096)
    if not head or head == codecs.BOM_UTF8:
        raise UnreadableInputError(errors.EMPTY)
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    for magic, reason in _NO_LOG:
        if head.startswith(magic):
            raise UnreadableInputError(reason)
    text = _as_ascii(head).lstrip()
    if text[:20].lower().startswith((b"<html", b"<!doctype", b"<table")):
        raise UnreadableInputError(errors.HTML)
    if text.startswith((b"{", b"[")):
        return Format.JSON if is_one_document(text) else Format.JSON_LINES
    return TEXT


def _as_ascii(head: bytes) -> bytes:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head[: len(head) // 2 * 2].decode("utf-16", "ignore").encode("utf-8")
    return head.removeprefix(codecs.BOM_UTF8)


def row_logs(
    kind: Format, source: Source, content: Content, pack: Pack | None, packs: Sequence[Pack], profile: Profile
) -> Iterator[RowLog]:
    """The logs in a file, a spreadsheet's sheets each for itself. Raises UnreadableInputError."""
    if kind is Format.PARQUET:
        from audit.reading.parquet_logs import Meant, read_parquet

        def meant(names: Sequence[str]) -> Meant:
            header = understand(names, pack, packs, profile)
            roles = header.pack.roles
            differ = {
                header.names[place]
                for wanted in header.wanted
                for place in wanted.places
                if len(wanted.places) > 1
                or wanted.columns[0].kind in ALL_DIFFER
                or wanted.columns[0].name == roles.event_id
            }
            clocks = [
                header.names[wanted.places[0]]
                for wanted in header.wanted
                if wanted.columns[0].name == roles.time and len(wanted.places) == 1 and not profile.timezone
            ]
            return Meant(frozenset(differ), "".join(clocks[:1]))

        return read_parquet(whole_bytes(content, PARQUET_LIMIT), meant)
    if kind is Format.SPREADSHEET:
        from audit.reading.spreadsheets import FILE_LIMIT, read_spreadsheet

        def fits(names: Sequence[str]) -> None:
            understand(names, pack, packs, profile)

        return read_spreadsheet(whole_bytes(content, FILE_LIMIT), fits, profile)
    if kind is TEXT:
        return _text_rows(source, content, pack, packs, profile)
    parts = frozenset(part.casefold() for one in ([pack] if pack else packs) for part in one.parts)
    text = blocks(content, lambda: look_ahead(source), profile.encoding)
    if kind is Format.JSON:
        return _json_log(document_rows(text, parts))
    reader = LineReader(parts)
    return _json_log(partial(reader.rows, block) for block in _gathered(text))


def _gathered(blocks: Iterator[Block]) -> Iterator[Block]:
    """Longer blocks: the work on columns is done once for each."""
    first: list[Block] = []
    for block in blocks:
        if first and (block.odd or first[0].odd or len(first) == _TOGETHER):
            yield _one_block(first)
            first = []
        first.append(block)
    if first:
        yield _one_block(first)


def _one_block(blocks: list[Block]) -> Block:
    if len(blocks) == 1:
        return blocks[0]
    ascii_only = all(block.ascii for block in blocks)
    return Block(b"".join(block.data for block in blocks), blocks[0].line, blocks[0].encoding, ascii=ascii_only)


def _json_log(runs: Iterator[Callable[[], Rows]]) -> Iterator[RowLog]:
    """The log, with the names that its first rows have."""
    first = next(runs, None)
    if first is None:
        raise UnreadableInputError(errors.EMPTY)
    rows = first()
    if not len(rows) and not rows.aside:
        raise UnreadableInputError(errors.EMPTY)
    yield RowLog(list(rows.columns), chain([lambda: rows], runs), open_ended=True)


def whole_bytes(content: Content, limit: int) -> bytearray:
    """All bytes of a file that must be read whole. Raises UnreadableInputError past ``limit``."""
    if content.length > limit:
        raise UnreadableInputError(errors.too_large(limit))
    whole, size = bytearray(content.length), 0
    with memoryview(whole) as view:
        while got := content.read_into(view[size : size + (1 << 22)]):
            size += got
    del whole[size:]
    while data := content.read(1 << 22):
        whole += data
        if len(whole) > limit:
            raise UnreadableInputError(errors.too_large(limit))
    return whole


def _text_rows(
    source: Source, content: Content, pack: Pack | None, packs: Sequence[Pack], profile: Profile
) -> Iterator[RowLog]:
    """Delimited text row by row, for logs in which several rows make one event."""

    def of_line(line: str) -> tuple[str, Layout]:
        delimiter, header = prove_delimiter(line, pack, packs, profile)
        return delimiter, Layout(header, {})

    pairs = read_blocks(source, content, of_line, profile)
    first = next(pairs, None)
    if first is None:
        raise UnreadableInputError(errors.EMPTY)
    header = first[0].layout.header
    yield RowLog(header.names, (partial(_rows_of, header, cut, block) for cut, block in chain([first], pairs)))


def _rows_of(header: Header, cut: Cut, block: Block) -> Rows:
    found = list(careful_rows(block, cut.delimiter, cut.width))
    good = [row for row in found if not row.reason]
    aside = [Aside(row.line, row.reason, row.raw) for row in found if row.reason]
    columns = {
        name: pa.array([row.cells[place] for row in good], pa.string()) for place, name in enumerate(header.names)
    }
    lines = np.array([row.line for row in good], dtype=np.int64)
    return Rows(columns, lines, lambda row: good[row].raw.rstrip(b"\r\n"), aside, size=len(block.data))
