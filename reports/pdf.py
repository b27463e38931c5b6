"""``report.pdf``: the report on Letter paper. The renderer is given nothing but the package's own fonts."""

from __future__ import annotations

import ctypes.util
import logging
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import IO, Any

from audit.errors import NO_PANGO, OutputError
from audit.record import RunRecord
from reports.html import rendered

_SCHEME = "font:"
_FONTS = ("Regular", "It", "Semibold", "Bold")


def _font(face: str) -> bytes:
    return files("font_source_sans_pro").joinpath("files", f"SourceSansPro-{face}.ttf").read_bytes()


@cache
def _characters() -> frozenset[int]:
    """The characters that the embedded font can show."""
    from io import BytesIO

    from fontTools.ttLib import TTFont

    return frozenset(TTFont(BytesIO(_font("Regular")), lazy=True).getBestCmap())


def _fetcher() -> Any:
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class OwnFilesOnly(URLFetcher):  # type: ignore[misc]
        """Serves the fonts, and refuses whatever else a page may ask for."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            face = url.removeprefix(_SCHEME)
            if not url.startswith(_SCHEME) or face not in _FONTS:
                raise ValueError(f"not one of the report's own files: {url[:80]}")
            return URLFetcherResponse(url, _font(face), {"Content-Type": "font/ttf"})

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


def write_report(record: RunRecord, out: IO[bytes], date: str) -> None:
    """Render the report. The same record gives the same bytes under one SOURCE_DATE_EPOCH."""
    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    html_class = _renderer()
    html = rendered(record, "print.css", lambda c: ord(c) in _characters(), date)
    html_class(string=html, base_url="report:", url_fetcher=_fetcher()).write_pdf(out, pdf_tags=True)
