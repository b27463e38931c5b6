"""Shared by all tests: the packs, and an audit of texts as they would lie on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from audit.pipeline import Options, audit_logs
from audit.record import RunRecord
from rules.kit import Pack
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
