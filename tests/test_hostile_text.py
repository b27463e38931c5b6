"""R-23, R-24: whatever stands in a cell is text in every output, and no name of the log becomes a file's."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pikepdf
import pytest
from conftest import Audited
from test_reading import HEAD, row
from test_report import text_of

from audit import output
from rules import drawing
from rules.sections import Figure

ATTACKS = (
    "<link rel=attachment href='file:///etc/hostname'>",
    "{{7*7}}{% raw %}",
    "=HYPERLINK(\"http://x\")",
    "</text></svg><script>alert(1)</script>",
    "<svg onload=alert(1)><image href=file:///etc/passwd>",
    "\x1b[31mred\x1b]0;title\x07",
    "\u202egnp.exe\U0001f3b2",
    "../../etc/x",
    "a/b",
    "CON",
    "x" * 300,
)  # fmt: skip
FORMATS = ("pdf", "floor", "html", "csv", "json", "parquet")


def hostile(attack: str) -> str:
    quoted = '"' + attack.replace('"', '""') + '"'
    people = {"site": quoted, "table": quoted, "stickperson": quoted, "note": quoted}
    throws = [
        row(n, **people, throw_id=f'"{n}{attack.replace(chr(34), chr(34) * 2)}"', stick_used="no") for n in (1, 2)
    ]
    return HEAD + "".join(throws) + row(3, **people, throw_id="", off1_called=quoted) + row(4, off1_called=quoted)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """All attacks in one run of the installed command, in a folder of its own."""
    home = tmp_path_factory.mktemp("attacked")
    (home / "logs").mkdir()
    for n, attack in enumerate(ATTACKS):
        (home / "logs" / f"{n}.csv").write_text(hostile(attack), "utf-8")
    command = [str(Path(sys.executable).parent / "throwaudit"), "check", "logs", "--out", "in/out", "--annex", "all"]
    done = subprocess.run([*command, "--format", ",".join(FORMATS)], cwd=home, capture_output=True, check=False)
    assert done.returncode == 3, done.stderr
    assert {path.name for path in home.iterdir()} == {"logs", "in"}
    assert {path.name for path in (home / "in").iterdir()} == {"out"}
    return home / "in" / "out", (done.stdout + done.stderr).decode()


def test_files_are_ours_and_nothing_stands_elsewhere(attacked: tuple[Path, str]) -> None:
    folder, _ = attacked
    assert {path.name for path in folder.iterdir()} <= {*output._OURS, output.SUMS}


def test_the_terminal_is_sent_nothing_that_it_would_obey(attacked: tuple[Path, str]) -> None:
    _, said = attacked
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", said)


@pytest.mark.parametrize("name", ["report.pdf", "floor.pdf"])
def test_pdf_holds_text_and_no_more_than_its_own_files(name: str, attacked: tuple[Path, str]) -> None:
    folder, _ = attacked
    with pikepdf.open(folder / name) as pdf:
        ours = ["findings.csv", "quarantine.csv", "summary.json"] if name == "report.pdf" else []
        assert list(pdf.attachments) == ours
        kinds = {str(o.get("/S", "")) for o in pdf.objects if isinstance(o, pikepdf.Dictionary)}
        assert not kinds & {"/JavaScript", "/URI", "/Launch", "/GoToR", "/SubmitForm", "/ImportData"}
        assert not [o for o in pdf.objects if isinstance(o, pikepdf.Stream) and o.get("/Subtype") == "/Image"]
    text = re.sub(r"\s+", "", text_of(folder / name))
    assert "{{7*7}}" in text
    assert "<svg" in text
    assert "[U+001B]" in text
    assert "[U+202E]" in text


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def test_html_holds_no_element_of_the_log(attacked: tuple[Path, str]) -> None:
    html = (attacked[0] / "report.html").read_text("utf-8")
    assert "&lt;script&gt;alert(1)" in html
    seen = _Elements()
    seen.feed(html)
    assert not seen.tags & {"script", "link", "image", "img", "iframe", "object", "a"}
    assert not [name for name in seen.attributes if name.startswith("on") or name in ("href", "src")]
    assert "default-src 'none'" in html


def test_csv_holds_no_formula_and_nothing_that_a_terminal_would_obey(attacked: tuple[Path, str]) -> None:
    for name in ("findings.csv", "quarantine.csv"):
        text = (attacked[0] / name).read_text("utf-8")
        assert "\\x1b" in text if name == "quarantine.csv" else "[U+001B][31mred" in text
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text), name
        with (attacked[0] / name).open(encoding="utf-8", newline="") as lines:
            cells = [cell for line in csv.reader(lines) for cell in line]
        assert not [cell for cell in cells if cell[:1] in ("=", "+", "@", "\t", "\r") or re.match(r"-\D", cell)], name


def test_json_holds_it_to_the_letter(attacked: tuple[Path, str]) -> None:
    findings = json.loads((attacked[0] / "findings.json").read_text("utf-8"))
    sites = {finding["site"] for finding in findings}
    assert set(ATTACKS) <= sites


def test_a_log_of_one_endless_word_fills_no_pages(tmp_path: Path, audited: Audited) -> None:
    word = "word" * 30_000
    record = audited({"log.csv": HEAD + row(1, note=word, stick_used="no", off1_called=word)}, formats=("pdf",))
    output.write(record, tmp_path, ("pdf",), "2026-03-04")
    with pikepdf.open(tmp_path / "report.pdf") as pdf:
        assert len(pdf.pages) < 12
    assert "more characters]" in text_of(tmp_path / "report.pdf")


def test_drawings_escape_their_texts() -> None:
    made = drawing.figure(10, 10, [drawing.text(0, 0, "<script>&\"'")], "<b>&")
    assert "<script" not in made.svg
    assert "<title>&lt;b&gt;&amp;</title>" in made.svg
    assert isinstance(made, Figure)


@pytest.mark.parametrize(
    "url", ["file:///etc/hostname", "http://127.0.0.1/", "font:../x", "data:text/css,x", "report:x"]
)
def test_the_renderer_can_fetch_nothing_but_fonts(url: str, caplog: pytest.LogCaptureFixture) -> None:
    from reports.rendering import render

    out = io.BytesIO()
    asked = f"<link rel='stylesheet' href='{url}'/><img alt='x' src='{url}'/><link rel='attachment' href='{url}'/>"
    assert render(f"<html lang='en'><title>t</title><body>{asked}<p>kept</p></body></html>", out) == 1
    with pikepdf.open(out) as pdf:
        assert not list(pdf.attachments)


def luminance(color: str) -> float:
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def test_what_a_drawing_tells_by_color_it_tells_in_gray_too() -> None:
    """A red die is dark under white pips, others white under dark pips; dark cells are apart from tinted ones."""
    assert luminance(drawing.RED) < 0.3 < 0.75 < luminance(drawing.LINE)
    shapes = {re.sub(r'(fill|stroke)="[^"]*"', "", drawing.mark(d, 5, 5)) for d in drawing.MARKS}
    assert len(shapes) == len(drawing.MARKS)
