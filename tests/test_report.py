"""The report: the same totals as the summary, the same bytes, text shown as text, and nothing fetched."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import Audited
from test_reading import HEAD, row

from audit import output
from audit.record import RunRecord
from reports.text import number

SAMPLES = Path(__file__).parent.parent / "sample_logs" / "three_dice_football"

HOSTILE = HEAD + row(
    1,
    site="../../etc/x",
    table="<link rel=attachment href='file:///etc/hostname'>",
    throw_id="{{7*7}}<script>alert(1)</script>",
    stickperson='"<img src=http://127.0.0.1:9/x>\u202e\U0001f3b2"',
    stick_used="no",
) + row(2, throw_id="x" * 5000, stick_used="no")  # fmt: skip


def written(record: RunRecord, folder: Path, name: str) -> Path:
    output.prepare(folder)
    output.write(record, folder, (name.rpartition(".")[2],), "2026-03-04")
    return folder / name


def text_of(pdf: Path) -> str:
    done = subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunRecord, Path]:
    from audit.pipeline import Options, audit_logs
    from rules.three_dice_football import PACK

    record = audit_logs(Options((str(SAMPLES / "errors.csv"),)), [PACK])
    return record, written(record, tmp_path_factory.mktemp("report"), "report.pdf")


def test_the_report_holds_the_totals_of_the_summary(report: tuple[RunRecord, Path]) -> None:
    record, pdf = report
    text = text_of(pdf)
    for disposition, count in record.by_disposition.items():
        assert re.search(rf"^\s*\S\s+{disposition.capitalize()}\s+{number(count)}\s", text, re.MULTILINE)
    assert (
        f"Findings made: {number(record.findings.num_rows)}, in {number(record.tallies.audited)} throws audited."
        in text
    )
    for rule in record.rules:
        counts = r"\s+".join(
            number(rule.counts[n]) for n in ("applicable", "tested", "breached", "unverifiable", "not_logged")
        )
        assert re.search(rf"{rule.code}\b.*?{counts}\s*$", text, re.MULTILINE), rule.code
    assert record.inputs[0].sha256 in re.sub(r"\s", "", text)


def test_every_finding_is_in_the_report(report: tuple[RunRecord, Path]) -> None:
    record, pdf = report
    text = re.sub(r"\s+", "", text_of(pdf))
    for finding in record.findings.to_pylist():
        assert finding["event_id"] in text
        assert finding["rule"] in text


def test_pages_have_numbers_headers_and_bookmarks(report: tuple[RunRecord, Path]) -> None:
    import pikepdf

    _, pdf = report
    pages = text_of(pdf).split("\f")[:-1]
    for place, page in enumerate(pages, start=1):
        assert f"Page {place} of {len(pages)}" in page
        assert place == 1 or "Compliance report · Three Dice Football · CAS01" in page
    with pikepdf.open(pdf) as document:
        with document.open_outline() as outline:
            titles = [item.title for item in outline.root[0].children]
        assert "Checklist" in titles
        assert document.Root.MarkInfo.Marked
        fonts = [f for page in document.pages for f in page.Resources.get("/Font", {}).values()]
        assert fonts
        assert all("Source-Sans-Pro" in str(f.BaseFont) for f in fonts)


def test_the_same_report_has_the_same_bytes(
    report: tuple[RunRecord, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, _ = report
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772500000")
    assert (
        written(record, tmp_path / "a", "report.pdf").read_bytes()
        == written(record, tmp_path / "b", "report.pdf").read_bytes()
    )


def test_findings_past_the_cap_are_counted_and_said(tmp_path: Path, audited: Audited) -> None:
    log = HEAD + "".join(row(n, stick_used="no") for n in range(1, 41))
    text = text_of(written(audited({"log.csv": log}, formats=("pdf",)), tmp_path / "out", "report.pdf"))
    assert "Showing 25 of 40; the rest is in findings.csv." in text
    assert "T25" in text
    assert "T26 " not in text


def test_the_cap_is_of_a_rule_whatever_its_dice(tmp_path: Path, audited: Audited) -> None:
    """Findings of one rule count together though each die is asked for itself."""
    head = HEAD.replace("\n", ",off1_rest,off1_observed,off2_called,off2_rest,off2_observed\n")
    dice = {"off1_rest": "layout", "off1_observed": "5", "off2_called": "2"}
    log = head + "".join(row(n, **dice, off2_rest="layout", off2_observed="6") for n in range(1, 21))
    record = audited({"log.csv": log}, select=("TDF-E2",), formats=("pdf",))
    parts = [f["part"] for f in record.findings.to_pylist()]
    assert len(parts) == 40
    assert set(parts) == {"off1", "off2"}
    text = text_of(written(record, tmp_path / "out", "report.pdf"))
    assert "Showing 25 of 40; the rest is in findings.csv." in text
    assert record.by_disposition == {**dict.fromkeys(record.by_disposition, 0), "indeterminate": 40}


def test_an_incomplete_audit_opens_with_it(tmp_path: Path, audited: Audited) -> None:
    record = audited({"bad.csv": "a,b\n", "log.csv": HEAD + row(1) + row(2, table="")}, formats=("pdf",))
    first = text_of(written(record, tmp_path / "out", "report.pdf")).split("\f")[0]
    warning = first.index("This audit is incomplete.")
    assert warning < first.index("Result")
    assert "1 of 2 inputs could not be read." in first
    assert "1 of 2 rows were set aside" in first


def test_text_of_the_log_is_shown_as_text(tmp_path: Path, audited: Audited) -> None:
    import pikepdf

    record = audited({"log.csv": HOSTILE}, formats=("pdf", "html"))
    pdf = written(record, tmp_path / "pdf", "report.pdf")
    text = re.sub(r"\s+", "", text_of(pdf))
    assert "{{7*7}}<script>alert(1)</script>" in text
    assert "<linkrel=attachmenthref='file:///etc/hostname'>" in text
    assert "[U+202E][U+1F3B2]" in text
    with pikepdf.open(pdf) as document:
        assert list(document.attachments) == ["findings.csv", "quarantine.csv", "summary.json"]
    html = written(record, tmp_path / "html", "report.html").read_text("utf-8")
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;script&gt;" in html


def test_the_renderer_serves_the_packages_own_fonts_only() -> None:
    from reports.rendering import fetcher as own_files

    fetcher = own_files({})
    assert fetcher.fetch("font:Regular").read(4) == b"\0\1\0\0"
    for url in ("file:///etc/hostname", "http://127.0.0.1/", "font:../../x", "data:text/plain,x"):
        with pytest.raises(ValueError, match="not one of the report's own files"):
            fetcher.fetch(url)


def test_html_in_a_browser(tmp_path: Path, audited: Audited) -> None:
    """No request leaves the page, nothing is wider than the screen, headings are in order."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    page_file = written(audited({"log.csv": HOSTILE}, formats=("html",)), tmp_path / "out", "report.html")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(page_file.as_uri())
        width = page.evaluate("document.documentElement.scrollWidth")
        levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
        browser.close()
    assert asked == [page_file.as_uri()]
    assert width <= 1200
    assert levels[0] == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
