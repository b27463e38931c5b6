"""Every example beside the rules yields exactly the findings that it names; every rule has examples of both kinds."""

from __future__ import annotations

import pytest
from conftest import Audited, found

from audit.record import all_rules
from rules.examples import BREACH, CONFORMS, UNVERIFIABLE, Example, Examples
from rules.three_dice_football import PACK

EXAMPLES = Examples(PACK)


@pytest.mark.parametrize("example", EXAMPLES.all, ids=lambda e: f"{e.rule}: {e.name}")
def test_example(example: Example, audited: Audited) -> None:
    record = audited({"log.csv": EXAMPLES.log(example)}, dict(example.house))
    expected = sorted((e.rule, e.outcome, e.event_id, e.part) for e in example.findings)
    assert not record.rules_in_error
    assert found(record) == expected


@pytest.mark.parametrize("code", [rule.code for rule in all_rules(PACK)])
def test_rule_has_a_conforming_and_a_breaching_example(code: str) -> None:
    shown = {example.shows for example in EXAMPLES.of(code)}
    assert CONFORMS in shown
    assert shown & {BREACH, UNVERIFIABLE}


@pytest.mark.parametrize("code", ["TDF-E5", "TDF-S2"])
def test_threshold_has_examples_below_at_and_above(code: str) -> None:
    examples = EXAMPLES.of(code)
    assert sum(example.shows == CONFORMS for example in examples) >= 2
    assert any(example.shows == BREACH for example in examples)
