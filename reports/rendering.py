"""The renderer, given the package's own fonts and nothing else, and spared work that shows nowhere.

It is one release of the renderer whose inner parts are used here (see ``pyproject.toml``): a page is read by a strict
parser, which is faster and refuses what is not well formed, and type in drawings is set line by line (the renderer
would set it letter by letter, without kerning).
"""

from __future__ import annotations

import ctypes.util
import gc
import logging
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from importlib import import_module
from math import inf
from types import SimpleNamespace
from typing import IO, Any
from xml.etree import ElementTree

from audit.errors import NO_PANGO, OutputError
from reports.fonts import FACES, font_file

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


def _renderer() -> Any:
    """WeasyPrint, imported without the search for libraries that starts a compiler for each name.

    Its list of names holds those that the dynamic linker knows; where they do not do, the search is allowed.
    Raises OutputError where Pango is not there.
    """
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


def _line_of_type(svg: Any, node: Any, font_size: float) -> None:
    """A ``text`` of a drawing, with ``x`` and ``y`` one number each."""
    from weasyprint.css.properties import INITIAL_VALUES
    from weasyprint.draw.text import draw_first_line
    from weasyprint.matrix import Matrix
    from weasyprint.svg.text import Style, TextBox
    from weasyprint.text.line_break import split_first_line

    if not node.text:
        return
    style = Style(INITIAL_VALUES)
    style.font_config = svg.font_config
    family = [name.strip() for name in node.get("font-family").split(",")]
    style.update(font_family=family, font_weight=int(node.get("font-weight", 400)), font_size=font_size)
    layout, _, _, width, _, baseline = split_first_line(node.text, style, svg.context, inf, 0)
    x = float(node.get("x")) - width * {"middle": 0.5, "end": 1.0}.get(node.get("text-anchor", ""), 0.0)
    fill, stroke = svg.set_graphical_state(node, font_size)
    svg.stream.begin_text()
    layout.reactivate(style)
    svg.fill_stroke(fill, stroke, text=True)
    box = TextBox(layout, style)
    box.baseline = baseline
    draw_first_line(svg.stream, box, "none", "none", Matrix(d=-1, e=x, f=float(node.get("y"))))
    svg.stream.end_text()


_STEP = re.compile(r"([a-zA-Z])([^a-zA-Z]*)")
_NUMBER = re.compile(r"-?[0-9.]+")


def _way(svg: Any, node: Any, font_size: float) -> None:
    """A ``path`` of a drawing, of the steps that ``rules.drawing.path`` allows."""
    stream = svg.stream
    x = y = 0.0
    bend = 0.0, 0.0  # from the last curve's second handle to its end
    for step, written in _STEP.findall(node.get("d")):
        n = [float(number) for number in _NUMBER.findall(written)]
        if step == "q":
            n = [n[0] * 2 / 3, n[1] * 2 / 3, (n[0] * 2 + n[2]) / 3, (n[1] * 2 + n[3]) / 3, n[2], n[3]]
        elif step == "s":
            n = [*bend, *n]
        match step:
            case "z":
                stream.close()
            case "c" | "s" | "q":
                stream.curve_to(x + n[0], y + n[1], x + n[2], y + n[3], x + n[4], y + n[5])
                x, y, bend = x + n[4], y + n[5], (n[4] - n[2], n[5] - n[3])
            case "M" | "L":
                x, y = n
            case "m" | "l":
                x, y = x + n[0], y + n[1]
            case "H":
                x = n[0]
            case "V":
                y = n[0]
            case "h":
                x += n[0]
            case "v":
                y += n[0]
            case _:
                raise ValueError(f"no step of a drawing: {step}")
        if step in "Mm":
            stream.move_to(x, y)
        elif step in "LlHhVv":
            stream.line_to(x, y)


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
    draw it, letters of drawings one by one, the last two percent of compression."""
    import pydyf
    from weasyprint import svg
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
            _put(svg, TAGS={**svg.TAGS, "text": _line_of_type, "path": _way}),
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
