"""The report as HTML: one file that fetches nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import IO, Any
from xml.sax.saxutils import escape

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from audit.record import RunRecord
from reports.model import Report
from reports.pieces import Table
from reports.text import capitalized, shown_plainly
from rules.drawing import MARKS
from rules.sections import Figure

_ROOT = re.compile(r"<svg\b[^>]*>")


def package_file(folder: str, name: str) -> str:
    """A text of this package."""
    return files("reports").joinpath(folder, name).read_text("utf-8")


def _titled(figure: Figure) -> str:
    """The drawing with what it shows as its title: the text alternative of tagged PDF and of browsers."""
    if "<title>" in figure.svg:
        return figure.svg
    return _ROOT.sub(lambda root: f"{root[0]}<title>{escape(figure.shows)}</title>", figure.svg, count=1)


def environment(
    known: Callable[[str], bool], columns: Callable[[Table, Callable[[str], str]], Any] = lambda table, shown: None
) -> Environment:
    """Templates of the package; every value is escaped, and shown with the characters that ``known`` allows.

    ``columns``: how wide the columns of a table are, where that is settled beforehand.
    """

    def shown(text: str) -> str:
        return shown_plainly(text, known)

    def finalize(value: Any) -> Any:
        if isinstance(value, Markup):
            return value
        return shown(value) if isinstance(value, str) else value

    def drawn(figure: Figure) -> Markup:
        """A drawing: its texts are escaped already, and shown like all others."""
        return Markup(shown(_titled(figure)))

    made = Environment(
        loader=FunctionLoader(lambda name: package_file("templates", name)),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["capitalize_first"] = capitalized
    made.globals |= {"drawn": drawn, "marks": MARKS, "language": "en", "newline": Markup("\n")}
    made.globals["columns"] = lambda table: columns(table, shown)
    return made


def rendered(
    made: Environment, record: RunRecord, css: str, date: str, annex: bool, about: Sequence[tuple[str, str]] = ()
) -> str:
    """The report as one HTML text with its style inside. ``about``: facts about the file itself, named."""
    report = Report(record, annex)
    template = made.get_template("report.html")
    return template.render(report=report, say=report.say, css=Markup(css), date=date, about_file=list(about))


def write_report(record: RunRecord, out: IO[bytes], date: str, annex: bool = False) -> None:
    """``report.html``, for a screen."""
    css = package_file("style", "report.css") + package_file("style", "screen.css")
    html = rendered(environment(lambda _: True), record, css, date, annex)
    out.write(html.encode("utf-8", "replace"))
