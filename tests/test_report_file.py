"""The report as a file for years: archival, tagged, with its data inside; and the outputs beside it."""

from __future__ import annotations

import re
import subprocess
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from conftest import Audited
from PIL import Image, ImageChops
from test_reading import HEAD, row
from test_report import SAMPLES, text_of

from audit import output
from audit.pipeline import Options, audit_logs
from audit.record import RunRecord
from reports import rendering
from reports.rendering import render
from rules import drawing
from rules.three_dice_football import PACK

ALL = ("pdf", "floor", "csv", "json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample log with errors, on A4, with an annex of all findings."""
    record = audit_logs(Options((str(SAMPLES / "errors.csv"),), formats=ALL), [PACK])
    made = tmp_path_factory.mktemp("file")
    output.write(record, made, ALL, "2026-03-04", paper="a4", annex=True)
    return made


def elements(node: Any) -> list[Any]:
    """All structure elements below one."""
    kids = node.get("/K", [])
    found = []
    for kid in kids if isinstance(kids, pikepdf.Array) else [kids]:
        if isinstance(kid, pikepdf.Dictionary) and "/S" in kid:
            found += [kid, *elements(kid)]
    return found


@pytest.mark.parametrize("name", ["report.pdf", "floor.pdf"])
def test_it_is_built_as_pdf_a_3a(name: str, folder: Path) -> None:
    with pikepdf.open(folder / name) as pdf:
        with pdf.open_metadata() as about:
            assert (about["pdfaid:part"], about["pdfaid:conformance"]) == ("3", "A")
            assert about["dc:title"]
        assert str(pdf.Root.Lang) == "en"
        assert pdf.Root.MarkInfo.Marked
        assert pdf.Root.ViewerPreferences.DisplayDocTitle
        assert pdf.Root.OutputIntents[0].S == "/GTS_PDFA1"
        assert not {"/JavaScript", "/OpenAction", "/AA"} & set(pdf.Root.keys())
        descriptors = [
            o for o in pdf.objects if isinstance(o, pikepdf.Dictionary) and o.get("/Type") == "/FontDescriptor"
        ]
        assert descriptors
        assert all({"/FontFile", "/FontFile2", "/FontFile3"} & set(d.keys()) for d in descriptors)
        figures = [e for e in elements(pdf.Root.StructTreeRoot) if e.S == "/Figure"]
        assert figures
        assert all(len(str(figure.Alt)) > 20 for figure in figures)
        assert [round(float(x)) for x in pdf.pages[0].MediaBox[2:]] == [595, 842]
    if name == "report.pdf":
        assert "built as PDF/A-3a" in text_of(folder / name)


def test_the_data_are_attached_as_they_stand_beside_it(folder: Path) -> None:
    with pikepdf.open(folder / "report.pdf") as pdf:
        assert list(pdf.attachments) == ["findings.csv", "quarantine.csv", "summary.json"]
        for name in pdf.attachments:
            assert pdf.attachments[name].get_file().read_bytes() == (folder / name).read_bytes()
        assert {str(entry.AFRelationship) for entry in pdf.Root.AF} == {"/Data"}


@pytest.mark.parametrize("name", ["report.pdf", "floor.pdf"])
def test_a_checker_of_accessibility_finds_no_error(name: str, folder: Path) -> None:
    """But that it claims no conformance with PDF/UA (DOC-012): it is built as PDF/A, and not more than that."""
    outloud = pytest.importorskip("outloud")
    from click.testing import CliRunner
    from outloud.cli import main

    assert outloud
    said = CliRunner().invoke(main, ["--skip", "DOC-012", "--fail-on", "error", str(folder / name)])
    assert said.exit_code == 0, said.output


def test_the_annex_has_every_finding_and_bookmarks(folder: Path, tmp_path: Path, audited: Audited) -> None:
    with pikepdf.open(folder / "report.pdf") as pdf, pdf.open_outline() as outline:
        (annex,) = [item for item in outline.root[0].children if item.title.startswith("Annex")]
        assert any(item.title.startswith("TDF-E2 ·") for item in annex.children)
    for count, shown in ((60, 25), (510, 1)):
        log = HEAD + "".join(row(n, stick_used="no") for n in range(1, count + 1))
        record = audited({"log.csv": log}, formats=("pdf",))
        output.write(record, tmp_path, ("pdf",), "2026-03-04", annex=True)
        text = text_of(tmp_path / "report.pdf")
        assert f"Showing {shown} of {count}; the annex has them all." in text
        lines = text[text.rindex("Annex: every finding") :]
        assert all(f"T{n}:" in lines for n in range(1, count + 1))


def test_no_line_of_the_annex_leaves_the_paper_or_forges_another(tmp_path: Path, audited: Audited) -> None:
    forged = {"throw_id": '"T2\n9  2026-03-02 11:00:00 · TDF-09 · S-9 · T9"', "stick_used": "no"}
    wide = {"throw_id": "W" * 60, "table": "M" * 60, "stickperson": "Q" * 60, "stick_used": "no"}
    named = {"note": ("\u202e" + "a" * 12) * 30, "throw_id": '"' + "T4\n" * 30 + '"', "stickperson": "Q" * 60}
    named["stick_used"] = "no"
    log = HEAD + row(1, **forged) + row(2, **wide) + row(3, site="OTHER", stick_used="no") + row(4, **named)
    record = audited({"log.csv": log}, formats=("pdf",))
    output.write(record, tmp_path, ("pdf",), "2026-03-04", annex=True)
    assert max(word[3] for page in placed(tmp_path / "report.pdf") for word in page) <= 612 - 18 * _MM + 0.5
    text = text_of(tmp_path / "report.pdf")
    assert "T2[U+000A]9" in text
    assert "T4[U+000A]T4[U+000A]T4" in text[text.rindex("Annex: every finding") :]
    lines = text[text.rindex("Annex: every finding") :]
    assert not re.search(r"^\s*9  2026", lines, re.MULTILINE)
    assert re.search(r"^OTHER · 007 · 2026$", lines, re.MULTILINE)


_MM = 72 / 25.4


def placed(pdf: Path) -> list[list[tuple[str, float, float, float, float]]]:
    """For each page its words, each with its box: left, top, right, bottom."""
    said = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, text=True, check=True).stdout
    word = re.compile(r'<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*)</word>')
    return [
        [(text, *map(float, (left, top, right, bottom))) for left, top, right, bottom, text in word.findall(page)]
        for page in said.split("<page ")[1:]
    ]


@pytest.mark.parametrize("name", ["report.pdf", "floor.pdf"])
def test_no_word_lies_on_another_or_leaves_the_paper(name: str, folder: Path) -> None:
    for page in placed(folder / name):
        lines: dict[float, list[Any]] = {}
        for word in page:
            lines.setdefault(round((word[2] + word[4]) / 2), []).append(word)
            assert 15 * _MM - 0.5 <= word[1] < word[3] <= 595.3 - 15 * _MM + 0.5, word
        for line in lines.values():
            line.sort(key=lambda word: word[1])
            for before, after in pairwise(line):
                assert before[3] <= after[1] + 1, (before, after)


def test_each_file_is_attached_once(folder: Path) -> None:
    with pikepdf.open(folder / "report.pdf") as pdf:
        assert len(pdf.Root.AF) == 3


def test_the_same_record_has_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772500000")
    made = []
    for name in "ab":
        record = audit_logs(Options((str(SAMPLES / "clean.csv"),), formats=ALL), [PACK])
        output.prepare(tmp_path / name)
        output.write(record, tmp_path / name, ALL, "2026-03-04")
        made.append((tmp_path / name / "SHA256SUMS").read_bytes())
    assert made[0] == made[1]


def floor_text(record: RunRecord, folder: Path) -> list[str]:
    output.prepare(folder)
    output.write(record, folder, ("floor",), "2026-03-04")
    return text_of(folder / "floor.pdf").split("\f")[:-1]


def test_the_floor_has_one_page_a_site_and_day(tmp_path: Path, audited: Audited) -> None:
    log = HEAD + "".join(
        row(n, site=f"CAS0{n % 2}", stick_used="no", thrown_at=f"2026-03-0{2 + n % 3}T12:00:0{n % 10}Z")
        for n in range(1, 200)
    )  # fmt: skip
    pages = floor_text(audited({"log.csv": log}, formats=("floor",)), tmp_path / "out")
    assert len(pages) == 6
    for page in pages:
        assert re.search(r"CAS0\d · 2026-03-0\d", page)
        assert re.search(r"Shown are the gravest \d+ of \d+", page)
        assert "The stick was not used" in page
        assert re.search(r"12:00:0\d", page)


def test_hostile_text_breaks_no_page_of_the_floor(tmp_path: Path, audited: Audited) -> None:
    long = dict.fromkeys(("throw_id", "stickperson", "table", "site", "camera_ref"), "W" * 5000)
    log = HEAD + "".join(row(n, **{**long, "throw_id": f"{n}" + "W" * 5000}, stick_used="no") for n in range(1, 40))
    assert len(floor_text(audited({"log.csv": log}, formats=("floor",)), tmp_path / "out")) == 1


def test_a_pack_without_days_has_a_page_an_evening_by_its_times(tmp_path: Path) -> None:
    from rules.die import PACK as DIE

    log = (SAMPLES.parent / "die" / "errors.csv").read_text("utf-8")
    late = re.sub(r",2026-05-02T\d\d:", ",2026-05-02T03:", log)  # the small hours are the evening before's
    never = re.sub(r",2026-05-0\d[^,]*", ",", log)
    for name, text, heads in (
        ("as_it_is", log, ["Club · 2026-05-01", "Club · 2026-05-02"]),
        ("late", late, ["Club · 2026-05-01"]),
        ("never", never, ["Club"]),
    ):
        (tmp_path / f"{name}.csv").write_text(text, "utf-8")
        record = audit_logs(Options((str(tmp_path / f"{name}.csv"),), formats=("floor",)), [DIE])
        pages = floor_text(record, tmp_path / name)
        assert [re.search(r"^Club.*$", page, re.MULTILINE)[0] for page in pages] == heads  # type: ignore[index]
        listed = sum(len(re.findall(r"(?:Violation|Discrepancy|Indeterminate|Observation) · ", page)) for page in pages)
        assert listed == record.findings.num_rows or any("Shown are the gravest" in page for page in pages)


def test_rates_stand_with_their_counts_and_not_under_a_hundred(tmp_path: Path, audited: Audited) -> None:
    log = HEAD + "".join(
        row(n, stickperson="S-MANY" if n <= 120 else "S-FEW", stick_used="no" if n in (1, 2, 3, 121) else "yes")
        for n in range(1, 131)
    )
    record = audited({"log.csv": log}, formats=("pdf",))
    output.write(record, tmp_path, ("pdf",), "2026-03-04")
    text = text_of(tmp_path / "report.pdf")
    assert "A count is not a judgement" in text
    people = text[text.index("By stickperson") :]
    many = re.search(r"S-MANY.*$", people, re.MULTILINE)
    few = re.search(r"S-FEW.*$", people, re.MULTILINE)
    assert many is not None
    assert few is not None
    assert "4.2 (5 / 120)" in many[0]
    assert re.search(r"–\s*$", few[0])


def pixels(path: Path) -> Image.Image:
    """The first page, in gray, at 200 dots an inch."""
    command = ["pdftoppm", "-r", "200", "-gray", "-singlefile", path, path.with_suffix("")]
    subprocess.run(command, check=True, capture_output=True)
    return Image.open(path.with_suffix(".pgm"))


def test_drawings_are_drawn_as_the_renderer_draws_them_unaided(tmp_path: Path) -> None:
    """Every step of a way, and type set from its start, middle and end: the same ways, the type where it was."""
    from weasyprint import HTML

    ways = [drawing.box_way(10, 10, 30, 20, 4), drawing.disc_way(60, 20, 8), "M1 2L3 4H9V8m1 -1l2 -2.5h.5v-.25"]
    body = [drawing.path(way, "none", drawing.INK, 1.0) for way in ways]
    body += [drawing.text(50, 40 + 9 * n, "000", anchor=anchor) for n, anchor in enumerate(("", "middle", "end"))]
    body += [
        drawing.turned(drawing.path(drawing.box_way(70, 40, 12, 12, 2), drawing.PAPER, drawing.RED, 1.5), 24, 76, 46),
        drawing.path("M5 60H45", "none", drawing.GREEN, 2.0, "0 4", stroke_linecap="round"),
        drawing.line(5, 66, 45, 64, drawing.ACCENT, 0.5, "1.5 1.5"),
        drawing.marks("violation", [(92, 60), (84, 60)]),
        drawing.text(5, 55, " 0  0 ", bold=True),
    ]
    svg = drawing.figure(100, 70, body, "All steps.").svg
    style = "@page { margin: 20mm } body { margin: 0 }"
    page = f"<html lang='en'><head><title>t</title><style>{style}</style></head><body>{svg}</body></html>"
    with (tmp_path / "own.pdf").open("wb") as out:
        render(page, out)
    HTML(string=page).write_pdf(tmp_path / "unaided.pdf")
    own_page, unaided_page = (pixels(tmp_path / name) for name in ("own.pdf", "unaided.pdf"))
    apart = ImageChops.difference(own_page, unaided_page).histogram()
    assert sum(own_page.histogram()[:250]) > 2000
    assert sum(apart[40:]) < 20

    def drawn(name: str) -> tuple[list[Any], list[list[float]]]:
        with pikepdf.open(tmp_path / name) as pdf:
            steps = [
                (str(operator), [round(float(number), 3) for number in operands])
                for operands, operator in pikepdf.parse_content_stream(pdf.pages[0])
                if str(operator) in ("m", "l", "c", "h")
            ]
        words = subprocess.run(["pdftotext", "-bbox", tmp_path / name, "-"], capture_output=True, text=True).stdout
        places = re.findall(r'xMin="([\d.]+)" yMin="([\d.]+)"[^>]*>000<', words)
        return [step for step in steps if step != ("m", [0.0, 0.0])], [[float(x), float(y)] for x, y in places]

    own, unaided = drawn("own.pdf"), drawn("unaided.pdf")
    assert len(own[0]) > 20
    assert own[0] == unaided[0]
    assert len(own[1]) == 3
    assert own[1] == [pytest.approx(place, abs=0.1) for place in unaided[1]]


def test_fonts_are_cut_also_where_harfbuzz_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does it then is loaded only when it is needed."""
    rendering._renderer()
    monkeypatch.setattr("weasyprint.pdf.fonts.harfbuzz_subset", None)
    style = "@font-face { font-family: Own; src: url('font:Regular') } p { font-family: Own }"
    page = f"<html lang='en'><head><title>t</title><style>{style}</style></head><body><p>Kept.</p></body></html>"
    with (tmp_path / "own.pdf").open("wb") as out:
        render(page, out)
    assert text_of(tmp_path / "own.pdf").strip() == "Kept."
    assert (tmp_path / "own.pdf").stat().st_size < 40_000


@pytest.mark.parametrize(
    "body",
    [
        drawing.path("M10 10H60V40H10z", "none"),
        drawing.path("M10 10H60V40H10z", drawing.RED, opacity=0.1),
        drawing.path("M10 10H60V40H10zM20 20H40V30H20z", drawing.RED, fill_rule="evenodd"),
        drawing.path("M10 30H90", "none", drawing.INK, 3.0, "6,3"),
        drawing.path("M10 10H60V40H10z", "orange", "none"),
        drawing.path("M10 10H60V40H10z", ""),
        drawing.path("M10 10l40 0 0 25z"),
        drawing.path("M10 10c5 0 9 4 9 9L40 40s10 0 20 -20", "none", drawing.INK, 1.0),
        drawing.path("M10 10h20v20zm40 0h20v20z"),
        drawing.path("M10 30A20 20 0 0 1 50 30z"),
        '<rect x="10" y="10" width="30" height="20" fill="#a32314"/>',
        '<g fill="#0b6e4f"><circle cx="30" cy="30" r="12"/></g>',
        '<text x="10" y="30" font-size="9" fill="#1b2430">a<tspan dy="9">b</tspan></text>',
    ],
)
def test_what_we_do_not_draw_ourselves_the_renderer_draws(body: str, tmp_path: Path) -> None:
    """A pack may draw by other means than ours, and with more of SVG than we have a use for."""
    from weasyprint import HTML

    svg = drawing.figure(100, 60, [drawing.line(1, 1, 99, 1), body], "Drawn.").svg
    style = "@page { margin: 20mm } body { margin: 0 }"
    page = f"<html lang='en'><head><title>t</title><style>{style}</style></head><body>{svg}</body></html>"
    with (tmp_path / "own.pdf").open("wb") as out:
        render(page, out)
    HTML(string=page).write_pdf(tmp_path / "unaided.pdf")
    apart = ImageChops.difference(pixels(tmp_path / "own.pdf"), pixels(tmp_path / "unaided.pdf")).histogram()
    assert sum(apart[40:]) < 5


@pytest.mark.parametrize("root", ['<svg viewBox="0 0 9 9">', '<svg width="0pt" height="0pt">', '<svg width="9">'])
def test_a_drawing_of_no_size_of_ours_is_no_error(root: str, tmp_path: Path) -> None:
    svg = f"{root.removesuffix('>')} xmlns='http://www.w3.org/2000/svg'><title>Nothing.</title></svg>"
    with (tmp_path / "own.pdf").open("wb") as out:
        assert render(f"<html lang='en'><head><title>t</title></head><body>{svg}</body></html>", out) == 1


def test_a_drawing_that_cannot_be_drawn_is_an_error(tmp_path: Path) -> None:
    """The renderer leaves it out without a word."""
    svg = drawing.figure(10, 10, [drawing.path("M1 1A5 5")], "An arc without an end.").svg
    with (tmp_path / "own.pdf").open("wb") as out, pytest.raises(RuntimeError, match="Failed to render"):
        render(f"<html lang='en'><head><title>t</title></head><body>{svg}</body></html>", out)


def test_every_element_of_the_templates_is_known_to_the_print() -> None:
    templates = resources.files("reports").joinpath("templates").iterdir()
    used = {tag for file in templates for tag in re.findall(r"<([a-z][a-z0-9]*)", file.read_text("utf-8"))}
    style = resources.files("reports").joinpath("style", "elements.css").read_text("utf-8")
    rules = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    known = {
        tag for selectors in re.findall(r"^([^@{]+)\{", rules, re.MULTILINE) for tag in re.findall(r"\w+", selectors)
    }
    assert used - known == {"span"}  # which is no more than its text
