"""``report.pdf`` and ``floor.pdf``: built as PDF/A-3a, tagged, the data attached.

The same record gives the same bytes under one ``SOURCE_DATE_EPOCH``.
"""

from __future__ import annotations

import io
import re
from typing import IO, Any

from audit.record import RunRecord
from reports import csv, json
from reports.columns import columns
from reports.fonts import characters
from reports.html import environment, package_file, rendered
from reports.rendering import render
from reports.text import Speaker

#: Paper and its margins: the text is 180 mm wide on both.
PAPERS = {
    "letter": "@page { size: Letter; margin: 20mm 18mm 18mm }",
    "a4": "@page { size: A4; margin: 22mm 15mm 19mm }",
}
#: Data are attached up to this size, in all; a file to be opened by readers is no place for more.
_ATTACHED = 64 * 1024 * 1024


def print_style(paper: str, *names: str) -> str:
    """The style sheets of the print, for one paper; its variables are filled in here, since each use costs."""
    css = PAPERS[paper] + "".join(package_file("style", name) for name in names)
    values = dict(re.findall(r"(--[a-z]+): ([^;]+);", css))
    return re.sub(r"var\((--[a-z]+)\)", lambda use: values[use[1]], css)


def print_environment() -> Any:
    """Templates whose texts the embedded fonts can show."""
    known = characters()
    return environment(lambda c: ord(c) in known, columns)


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
