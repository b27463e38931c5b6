"""``report.pdf`` and ``floor.pdf``: built as PDF/A-3a, tagged, the data attached.

The renderer is given nothing but the package's own fonts. The same record gives the same bytes under one
``SOURCE_DATE_EPOCH``.
"""

from __future__ import annotations

import ctypes.util
import gc
import io
import logging
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from types import SimpleNamespace
from typing import IO, Any

from audit.errors import NO_PANGO, OutputError
from audit.record import RunRecord
from reports import csv, json
from reports.fonts import FACES, characters, font_file, started
from reports.html import environment, package_file, rendered
from reports.text import Speaker

_SCHEME = "font:"
VARIANT = "pdf/a-3a"
#: Paper and its margins: the text is 180 mm wide on both.
PAPERS = {
    "letter": "@page { size: Letter; margin: 20mm 18mm 18mm }",
    "a4": "@page { size: A4; margin: 22mm 15mm 19mm }",
}
#: Data are attached up to this size, in all; a file to be opened by readers is no place for more.
_ATTACHED = 64 * 1024 * 1024


def fetcher() -> Any:
    """What the renderer may fetch."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class OwnFilesOnly(URLFetcher):  # type: ignore[misc]
        """Serves the fonts, and refuses whatever else a page may ask for."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            face = url.removeprefix(_SCHEME)
            if not url.startswith(_SCHEME) or face not in FACES:
                raise ValueError(f"not one of the report's own files: {url[:80]}")
            return URLFetcherResponse(url, font_file(face), {"Content-Type": "font/ttf"})

    return OwnFilesOnly()


def _renderer() -> Any:
    """WeasyPrint's document class, imported without the search for libraries that starts a compiler for each name.

    Its list of names holds those that the dynamic linker knows; where they do not do, the search is allowed.
    Raises OutputError where Pango is not there.
    """
    search = ctypes.util.find_library
    ctypes.util.find_library = lambda name: None
    try:
        return import_module("weasyprint").HTML
    except OSError:
        ctypes.util.find_library = search
    finally:
        ctypes.util.find_library = search
    try:
        return import_module("weasyprint").HTML
    except OSError as error:
        raise OutputError(NO_PANGO) from error


@contextmanager
def _at_speed() -> Iterator[None]:
    """Rendering without what costs much and gives little: looking for garbage among boxes that all stay in use, making
    the list of all pages anew for every tag, the last two percent of compression."""
    import pydyf

    collects, plain, packer = gc.isenabled(), pydyf.PDF.page_references, pydyf.zlib
    # no tag is made before the last page, so the list does not change any more
    pages = cached_property(plain.fget)
    pages.__set_name__(pydyf.PDF, "page_references")
    gc.disable()
    pydyf.PDF.page_references = pages
    pydyf.zlib = SimpleNamespace(compressobj=lambda level: zlib.compressobj(6))
    try:
        yield
    finally:
        pydyf.PDF.page_references, pydyf.zlib = plain, packer
        if collects:
            gc.enable()


def render(html: str, out: IO[bytes], attached: Sequence[tuple[str, str, bytes]] = ()) -> int:
    """Write the HTML as a PDF, with files ``attached`` (name, what it is, content); how many pages it has."""
    logging.getLogger("weasyprint").setLevel(logging.CRITICAL)
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    html_class = _renderer()
    attachment = import_module("weasyprint").Attachment
    when = _moment()
    files = [
        attachment(
            string=content, name=name, description=said, relationship="Data", created=when, modified=when,
            url_fetcher=fetcher(),
        )
        for name, said, content in attached
    ]  # fmt: skip
    with _at_speed():
        document = html_class(string=html, base_url="report:", url_fetcher=fetcher()).render(pdf_variant=VARIANT)
        document.write_pdf(out, pdf_variant=VARIANT, attachments=files)
        return len(document.pages)


def _moment() -> datetime:
    """The moment of SOURCE_DATE_EPOCH where it is set, else now."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)


def print_style(paper: str, *names: str) -> str:
    """The style sheets of the print, for one paper; its variables are filled in here, since each use costs."""
    css = PAPERS[paper] + "".join(package_file("style", name) for name in names)
    values = dict(re.findall(r"(--[a-z]+): ([^;]+);", css))
    return re.sub(r"var\((--[a-z]+)\)", lambda use: values[use[1]], css)


def print_environment() -> Any:
    """Templates whose texts the embedded fonts can show."""
    known = characters()
    return environment(lambda c: ord(c) in known, started)


def attachments(record: RunRecord) -> list[tuple[str, str, bytes]]:
    """The data files of the record, as they are written beside the report, in the order of their names."""
    files = []
    for name, writer in (
        ("findings.csv", csv.write_findings),
        ("quarantine.csv", csv.write_quarantine),
        ("summary.json", json.write_summary),
    ):
        content = io.BytesIO()
        writer(record, content)
        files.append((name, Speaker(record.pack).say("attached", name.partition(".")[0]), content.getvalue()))
    return files


def write_report(record: RunRecord, out: IO[bytes], date: str, paper: str = "letter", annex: bool = False) -> None:
    """``report.pdf``. Raises OutputError where a system library is missing."""
    say = Speaker(record.pack).say
    files = attachments(record)
    names = ", ".join(name for name, _, _ in files)
    key = "file_value"
    if sum(len(content) for _, _, content in files) > _ATTACHED:
        files, key = [], "file_alone"
    about = [(say("labels", "file"), say("labels", key, names=names, limit=_ATTACHED >> 20))]
    css = print_style(paper, "report.css", "print.css")
    render(rendered(print_environment(), record, css, date, annex, about), out, files)
