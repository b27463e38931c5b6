"""Shared by all tests: the packs, and an audit of texts as they would lie on disk."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from audit.pipeline import Options, audit_logs
from audit.record import RunRecord
from rules.kit import Pack
from rules.sampling import Answered, Sample
from rules.three_dice_football import PACK

Finding = tuple[str, str, str, str]


def found(record: RunRecord) -> list[Finding]:
    """Findings as rule, outcome, event and part, in order of these."""
    return sorted(
        (
            row["rule"],
            "unverifiable" if row["disposition"] == "indeterminate" else "breach",
            row["event_id"],
            row["part"] or "",
        )
        for row in record.findings.to_pylist()
    )


Audited = Callable[..., RunRecord]


@pytest.fixture
def audited(tmp_path: Path) -> Audited:
    """Audit logs given as file name → text or bytes."""

    def run(
        logs: Mapping[str, str | bytes], house: Mapping[str, Any] | None = None, of: Pack = PACK, **options: Any
    ) -> RunRecord:
        paths = []
        for name, content in logs.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
            paths.append(str(path))
        if house:
            profile = tmp_path / "profile.toml"
            profile.write_text("[house]\n" + "".join(f"{k} = {_toml(v)}\n" for k, v in house.items()), "utf-8")
            options["profile"] = profile
        options.setdefault("formats", ())
        return audit_logs(Options(tuple(paths), **options), [of])

    return run


def _toml(value: Any) -> str:
    """A value as a profile has it."""
    return json.dumps(list(value) if isinstance(value, tuple) else value)


Findings = Counter[tuple[str, ...]]


def planted_and_found(pack: Pack, request: Sample, folder: Path) -> tuple[Findings, Findings]:
    """What a pack's sampler says it put into a log, and what the audit finds in it."""
    assert pack.sampler is not None
    log = folder / "sample.csv"
    stretches: list[Answered] = list(pack.sampler()(request))
    log.write_text("".join(s.text for s in stretches), "utf-8")
    record = audit_logs(Options((str(log),), formats=()), [pack])
    assert not record.rules_in_error
    assert record.accepted == request.events
    planted = Counter((rule, outcome, event, part) for s in stretches for event, part, rule, outcome in s.answers)
    return planted, Counter(found(record))
