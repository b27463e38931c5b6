"""The renderer, given the package's own fonts and nothing else, and spared work that shows nowhere.

It is one release of the renderer whose inner parts are used here (see ``pyproject.toml``): a page is read by a strict
parser, which is faster and refuses what is not well formed, and drawings are put on it by ``reports.painting``.
"""

from __future__ import annotations

import ctypes.util
import gc
import logging
import os
import re
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import IO, Any
from xml.etree import ElementTree

from audit.errors import NO_PANGO, OutputError
from reports.fonts import FACES, font_file
from reports.html import package_file
from reports.painting import Painter

_FONT, _FIGURE = "font:", "figure:"
_DRAWING = re.compile(r"<svg\b.*?<title>(.*?)</title>.*?</svg>", re.DOTALL)
VARIANT = "pdf/a-3a"


def fetcher(figures: Mapping[str, str]) -> Any:
    """What the renderer may fetch: fonts of the package, drawings of the page."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class OwnFilesOnly(URLFetcher):  # type: ignore[misc]
        """Serves the page's own, and refuses whatever else it may ask for."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            if url in figures:
                return URLFetcherResponse(url, figures[url].encode(), {"Content-Type": "image/svg+xml"})
            face = url.removeprefix(_FONT)
            if not url.startswith(_FONT) or face not in FACES:
                raise ValueError(f"not one of the report's own files: {url[:80]}")
            return URLFetcherResponse(url, font_file(face), {"Content-Type": "font/ttf"})

    return OwnFilesOnly()


class _Later(ModuleType):
    """A module that is loaded when one of its functions is called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: getattr(import_module(self.__name__), name)(*args, **kwargs)


@contextmanager
def _loaded_later(*names: str) -> Iterator[None]:
    """Whoever imports these modules meanwhile gets them without their being loaded."""
    absent = [name for name in names if name not in sys.modules]
    sys.modules.update((name, _Later(name)) for name in absent)
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


def _renderer() -> Any:
    """WeasyPrint, imported without the search for libraries that starts a compiler for each name.

    Its list of names holds those that the dynamic linker knows; where they do not do, the search is allowed. What it
    has for fonts that HarfBuzz cannot cut, and for those of several weights in one, is loaded if it comes to that.
    Raises OutputError where Pango is not there.
    """
    with _loaded_later("fontTools.subset", "fontTools.varLib.instancer"):
        return _imported()


def _imported() -> Any:
    search = ctypes.util.find_library
    ctypes.util.find_library = lambda name: None
    try:
        return import_module("weasyprint")
    except OSError:
        ctypes.util.find_library = search
    finally:
        ctypes.util.find_library = search
    try:
        return import_module("weasyprint")
    except OSError as error:
        raise OutputError(NO_PANGO) from error


def _apart(markup: str) -> tuple[str, dict[str, str]]:
    """The page with images in place of its drawings, and those: no style of the page is asked of their elements."""
    figures: dict[str, str] = {}

    def image(drawing: re.Match[str]) -> str:
        url = f"{_FIGURE}{len(figures)}"
        figures[url] = drawing[0]
        shows = drawing[1].replace('"', "&quot;")
        return f'<img src="{url}" alt="{shows}"/>'

    return _DRAWING.sub(image, markup), figures


def _page(weasyprint: Any, markup: str) -> Any:
    """The page, parsed strictly. Raises ``ElementTree.ParseError`` where it is not well formed."""
    from cssselect2 import ElementWrapper

    class Page(weasyprint.HTML):  # type: ignore[misc]
        """What the class is where it parses the page itself."""

        def __init__(self) -> None:
            page, figures = _apart(markup)
            self.base_url, self.url_fetcher, self.media_type = "report:", fetcher(figures), "print"
            self.wrapper_element = ElementWrapper.from_html_root(ElementTree.fromstring(page), content_language=None)
            self.etree_element = self.wrapper_element.etree_element

        def _ua_stylesheets(self, forms: bool = False) -> list[Any]:
            """What the elements of a report are, and no others: each rule that might hold is tried on each element,
            and the renderer's own give every element the looks of six kinds of footnote."""
            return [weasyprint.CSS(string=package_file("style", "elements.css"))]

    return Page()


class _Lost(logging.Handler):
    """Hears of drawings that the renderer would leave out without a word."""

    said = ""

    def emit(self, record: logging.LogRecord) -> None:
        if "SVG" in record.getMessage() or _FIGURE in record.getMessage():
            self.said += f"{record.getMessage()} {record.exc_info[1] if record.exc_info else ''} "


@contextmanager
def _nothing_lost() -> Iterator[None]:
    """Raises RuntimeError afterwards if a drawing could not be drawn."""
    log, lost = logging.getLogger("weasyprint"), _Lost()
    before = log.level, log.propagate
    log.setLevel(logging.DEBUG)
    log.propagate = False
    log.addHandler(lost)
    try:
        yield
    finally:
        log.removeHandler(lost)
        log.setLevel(before[0])
        log.propagate = before[1]
    if lost.said:
        raise RuntimeError(lost.said)


@contextmanager
def _put(place: Any, **values: Any) -> Iterator[None]:
    """Attributes changed for a while."""
    before = {name: getattr(place, name) for name in values}
    for name, value in values.items():
        setattr(place, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(place, name, value)


def _made_once(owner: Any, name: str) -> Any:
    """A property of a class, its value kept once made."""
    kept = cached_property(getattr(owner, name).fget)
    kept.__set_name__(owner, name)
    return kept


@contextmanager
def _at_speed() -> Iterator[None]:
    """Rendering without what costs much and gives little: looking for garbage among boxes that all stay in use, making
    the list of all pages anew for every tag, writing every stream twice to name the file, setting each line again to
    draw it, all of SVG where drawings have little of it, the last two percent of compression."""
    import pydyf
    from weasyprint import images
    from weasyprint.text import line_break

    packer = SimpleNamespace(compressobj=lambda level: zlib.compressobj(6))
    collects = gc.isenabled()
    gc.disable()
    try:
        with (
            # no tag is made before the last page, so the list does not change any more
            _put(pydyf.PDF, page_references=_made_once(pydyf.PDF, "page_references")),
            # a stream is first written when it is whole
            _put(pydyf.Stream, data=_made_once(pydyf.Stream, "data")),
            _put(pydyf, zlib=packer),
            # what was set in lines once is drawn as it was set; and few styles ask for anything of the font
            _put(line_break.Layout, deactivate=lambda self: None, reactivate=lambda self, style: None),
            _put(line_break, font_features=lru_cache(maxsize=256)(line_break.font_features)),
            _put(images, SVGImage=Painter(images.SVGImage).drawing),
        ):
            yield
    finally:
        if collects:
            gc.enable()


def render(html: str, out: IO[bytes], attached: Sequence[tuple[str, str, bytes]] = ()) -> int:
    """Write well-formed HTML as a PDF, with files ``attached`` (name, what it is, content); how many pages it has."""
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    weasyprint = _renderer()
    when = _moment()
    files = [
        weasyprint.Attachment(
            string=content, name=name, description=said, relationship="Data", created=when, modified=when,
            url_fetcher=fetcher({}),
        )
        for name, said, content in attached
    ]  # fmt: skip
    with _nothing_lost(), _at_speed():
        document = _page(weasyprint, html).render(pdf_variant=VARIANT)
        document.write_pdf(out, finisher=_finished, pdf_variant=VARIANT, attachments=files)
        return len(document.pages)


def _finished(_: Any, pdf: Any) -> None:
    """Name each attached file once: the renderer finds it both by its name and among all objects."""
    if files := pdf.catalog.get("AF"):
        files[:] = dict.fromkeys(files)


def _moment() -> datetime:
    """The moment of SOURCE_DATE_EPOCH where it is set, else now."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
