"""The catalogue of sentences: complete, and every field in a template is one that can be filled in."""

from __future__ import annotations

import re

import pytest

from audit.record import all_rules
from audit.telling import Words
from rules import log_integrity
from rules.catalogue import pieces_of
from rules.three_dice_football import PACK

WORDS = Words(PACK, log_integrity.CATALOGUE)
CODES = [rule.code for rule in all_rules(PACK)]


@pytest.mark.parametrize("code", CODES)
def test_every_rule_has_its_sentences(code: str) -> None:
    for key in ("title", "question", "message", "expected", "recorded", "effect"):
        assert WORDS.rule(code, key), key
    assert WORDS.rule(code, "question").endswith("?")
    assert WORDS.rule(code, "effect").endswith(".")


def test_no_sentence_stands_for_a_rule_that_is_not() -> None:
    for catalogue in (PACK.catalogue, log_integrity.CATALOGUE):
        assert set(catalogue.table("rules")) <= set(CODES)


def test_every_column_and_word_has_its_own_label() -> None:
    for column in PACK.columns:
        key = ("part_columns", column.field) if column.part else ("columns", column.name)
        assert PACK.catalogue.find(*key), key
    assert {"off1", "off2", "def"} == set(PACK.catalogue.table("parts"))


def test_the_report_asks_only_for_sentences_that_are_there() -> None:
    """Calls of say() in the sources name entries of the catalogue, and every entry is asked for."""
    from pathlib import Path

    from reports.text import CATALOGUE

    folder = Path(__file__).parent.parent
    sources = [
        *folder.glob("audit/*.py"),
        *folder.glob("audit/nightly/*.py"),
        *folder.glob("reports/**/*.py"),
        *folder.glob("reports/templates/*.html"),
    ]
    text = "\n".join(path.read_text("utf-8") for path in sources)
    asked = set(re.findall(r"say\(\s*\"(\w+)\",\s*\"(\w+)\"", text))
    assert len(asked) > 60
    for section, key in asked:
        assert isinstance(CATALOGUE.find(section, key), str), (section, key)
    for section, entries in CATALOGUE.entries.items():
        for key in entries:
            # named after what a rule looks at, what became of a finding, and the file that is attached
            built = (section, key.split("_")[0]) in (("explain", "per"), ("night", "finding"))
            built |= section == "attached" and any(f'"{key}.{ending}"' in text for ending in ("csv", "json"))
            assert built or re.search(rf"[\"']{key}[\"']", text), f"no one asks for {section}.{key}"


def test_templates_name_only_columns_and_details() -> None:
    own = {"die", "due", "seconds", "limit", "hours", "minutes", "earlier_step", "later_step"}
    known = own | set(PACK.by_name) | {column.field for column in PACK.columns}
    for rule in PACK.rules:
        for key in ("message", "expected", "recorded", "unverified", "whole_message", "whole_recorded"):
            names = {name for name, is_field in pieces_of(WORDS.rule(rule.code, key)) if is_field}
            assert names <= known, (rule.code, key)
