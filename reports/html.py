"""The report as HTML: one file that fetches nothing."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import IO, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from audit.record import RunRecord
from reports.model import Report
from reports.text import shown_plainly
from rules.sections import Figure


def _package_file(folder: str, name: str) -> str:
    return files("reports").joinpath(folder, name).read_text("utf-8")


def environment(known: Callable[[str], bool]) -> Environment:
    """Templates of the package; every value is escaped, and shown with the characters that ``known`` allows."""

    def finalize(value: Any) -> Any:
        if isinstance(value, Markup):
            return value
        return shown_plainly(value, known) if isinstance(value, str) else value

    return Environment(
        loader=FunctionLoader(lambda name: _package_file("templates", name)),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def rendered(record: RunRecord, style: str, known: Callable[[str], bool], date: str) -> str:
    """The report as one HTML text with its style inside."""
    report = Report(record)
    template = environment(known).get_template("report.html")
    css = Markup(_package_file("style", "report.css") + _package_file("style", style))

    def drawn(figure: Figure) -> Markup:
        """A pack's drawing: its texts are escaped already, and shown like all others."""
        return Markup(shown_plainly(figure.svg, known))

    return template.render(report=report, say=report.say, css=css, date=date, language="en", drawn=drawn)


def write_report(record: RunRecord, out: IO[bytes], date: str) -> None:
    """``report.html``, for a screen."""
    out.write(rendered(record, "screen.css", lambda _: True, date).encode("utf-8", "replace"))
