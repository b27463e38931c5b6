"""Hold a run against the results of an earlier one: inputs, options, versions, counts, and findings one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from audit.errors import UsageError
from audit.record import RunRecord
from reports.json import summary

#: What of a finding may differ: a log may have another name.
_FREE = ("source_file",)
#: What of the options bears on no result.
_ASIDE = ("formats", "date", "profile", "fail_on")


@dataclass
class Compared:
    """Differences, a line each: of the inputs and how they were held; of the results."""

    basis: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)

    @property
    def identical(self) -> bool:
        return not self.basis and not self.results


def read(folder: Path) -> tuple[Mapping[str, Any], list[Mapping[str, Any]] | None]:
    """Summary and findings of an earlier run (``None`` where it wrote no findings.json). Raises UsageError."""
    try:
        told = json.loads((folder / "summary.json").read_bytes())
        path = folder / "findings.json"
        findings = json.loads(path.read_bytes()) if path.exists() else None
        if not {"inputs", "options", "rules", "findings", "rows"} <= set(told):
            raise ValueError
    except FileNotFoundError as error:
        raise UsageError(f"--against {folder}: there is no summary.json") from error
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"--against {folder}: its results cannot be read") from error
    return told, findings


def compare(record: RunRecord, folder: Path) -> Compared:
    """What differs between this run and the results in ``folder``.

    Where those are of one site and gaming day, as the nightly job issues them, only this run's findings of that day are
    held against them, and not the counts of rules.
    """
    earlier, findings = read(folder)
    now = json.loads(json.dumps(summary(record)))
    night = earlier.get("night")
    found = Compared()
    found.basis += _inputs(earlier, now)
    for key in ("tool", "pack", "house", "blank", "gaming_day_starts", "dispositions_raised", "timezone"):
        found.basis += _differs(key, earlier.get(key), now.get(key))
    if not night:
        for key in sorted(set(earlier["options"]) | set(now["options"])):
            if key not in _ASIDE:
                found.basis += _differs(f"option {key}", earlier["options"].get(key), now["options"].get(key))
        for key in ("rows", "period"):
            found.results += _differs(key, earlier.get(key), now.get(key))
        for code in sorted(set(earlier["rules"]) | set(now["rules"])):
            found.results += _differs(f"counts of {code}", earlier["rules"].get(code), now["rules"].get(code))
    own = record.findings.to_pylist()
    if night and "day" in night:
        own = [row for row in own if (row["site"] or "", row["day"]) == (night["site"], night["day"])]
    if findings is None:
        found.basis.append("findings: findings.json was not written, so only counts could be compared")
    else:
        found.results += _findings(findings, own)
    return found


def _inputs(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """By what the logs hold, whatever they are called and however they are packed."""
    old, new = ({i["content_sha256"] or i["sha256"] or i["name"]: i for i in s["inputs"]} for s in (earlier, now))
    for key in [*old, *(key for key in new if key not in old)]:
        if key not in new:
            yield f"input {old[key]['name']} ({key[:16]}…) was audited then and is not among these"
        elif key not in old:
            yield f"input {new[key]['name']} ({key[:16]}…) was not audited then"


def _differs(what: str, then: Any, now: Any) -> Iterator[str]:
    if then != now:
        if isinstance(then, dict) and isinstance(now, dict):
            for key in sorted(set(then) | set(now)):
                if then.get(key) != now.get(key):
                    yield f"{what}, {key}: then {then.get(key)}, now {now.get(key)}"
        else:
            yield f"{what}: then {then}, now {now}"


def _findings(then: list[Mapping[str, Any]], now: list[Mapping[str, Any]]) -> Iterator[str]:
    old, new = ({row["finding_id"]: row for row in rows} for rows in (then, now))
    for key in [*old, *(key for key in new if key not in old)]:
        row = old.get(key) or new[key]
        about = f"finding {key} ({row['rule']}, {row['event_id']})"
        if key not in new:
            yield f"{about}: then {row['message']} Now not found"
        elif key not in old:
            yield f"{about}: not found then. Now {row['message']}"
        else:
            for name in old[key]:
                if name not in _FREE and old[key][name] != new[key].get(name):
                    yield f"{about}, {name}: then {old[key][name]}, now {new[key].get(name)}"
