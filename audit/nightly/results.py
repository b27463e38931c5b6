"""The results of a site's gaming day as plain numbers and a table of findings: stored, read back, added up."""

from __future__ import annotations

import base64
import io
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from audit import __version__
from audit.errors import OutputError
from audit.findings import COUNTS, FINDINGS, OUTCOMES, WORKING, joined
from audit.nightly.daily import DayFound
from audit.nightly.files import as_json
from audit.nightly.state import PartRecord, SiteDay, State
from audit.nightly.taking import read_quarantine
from audit.pipeline import status_of
from audit.pseudonyms import Pseudonyms, withheld
from audit.reading.events import Events
from audit.reading.profile import Profile
from audit.record import InputRecord, QuarantinedRow, RuleRecord, RunRecord, all_rules
from audit.status import Exit
from audit.tallies import Tallies, Tally
from audit.telling import clause_in_full
from rules.kit import Disposition, Pack

#: What is stored of a result and does not make it another: who made it.
_MADE_BY = "made_by"


@dataclass(frozen=True)
class Results:
    """One day's results. ``numbers`` as JSON has them; ``findings`` in the columns of ``audit.findings.WORKING``."""

    numbers: Mapping[str, Any]
    findings: Any

    @property
    def pseudonyms(self) -> str:
        """The fingerprint of the key under whose pseudonyms people are named; blank where they have their names."""
        return str(self.numbers.get("pseudonyms", ""))

    def same_as(self, other: Results) -> bool:
        """Whether the report of the one can stand for the other: the same rows, and the same findings told alike.

        That a neighbor that has come in lets the day's last throws be tested, with nothing found, is no reason for
        another report; under another edition of the pack every count is.
        """
        free = {_MADE_BY, "outcomes"} if self.numbers[_MADE_BY] == other.numbers[_MADE_BY] else {_MADE_BY}
        mine, theirs = ({k: v for k, v in r.numbers.items() if k not in free} for r in (self, other))
        return as_json(mine) == as_json(theirs) and self.findings.cast(_STORED).equals(other.findings.cast(_STORED))


_STORED = pa.schema(
    [(f.name, pa.string() if pa.types.is_dictionary(f.type) else f.type) for f in WORKING if f.name != "row"]
)


def results_of(
    archive: Path, state: State, pack: Pack, profile: Profile, where: SiteDay, found: DayFound, key: Pseudonyms | None
) -> Results:
    """What an audit found of a day, with the inputs that its rows came in. ``key``: that of the pseudonyms in it."""
    parts = [part for part in state.parts_of[where] if _stands(state, part)]
    logs = [(part, state.inputs[part.input]["logs"][part.log]) for part in parts]
    needs = {rule.code: pack.columns_needed(rule, "") for rule in all_rules(pack)}
    lacking = {name for part, log in logs if part.units for own in needs.values() for name in own} - {""}
    lacking = {name for name in lacking if any(name not in log["logged"] for part, log in logs if part.units)}
    times = [sum(log["times"][k] for part, log in logs if part.first) for k in range(3)]
    numbers = {
        _MADE_BY: {"tool": __version__, "edition": pack.edition},
        "pack": where.pack,
        "site": where.site,
        "day": where.day,
        "outcomes": found.outcomes.to_pylist(),
        "errors": {error.rule: error.message for error in found.errors},
        "tallies": _tallies_as_json(found.tallies),
        "inputs": [_input(state, where, part, log) for part, log in logs],
        "quarantine": [row for part, log in logs for row in _quarantine(archive, where, part, log, key)],
        **({"pseudonyms": key.fingerprint} if key else {}),
        "lacking": sorted(lacking),
        "raised": {code: disposition.value for code, disposition in profile.dispositions.items()},
        "house": dict(profile.house),
        "blank": dict(profile.blank),
        "timezone": str(profile.timezone or ""),
        "gaming_day_starts": profile.gaming_day_starts,
        "times": times,
    }
    return Results(json.loads(as_json(numbers)), found.findings.drop_columns(["row"]))


def _stands(state: State, part: PartRecord) -> bool:
    """Rows of the part stand for its day, or it is there for rows set aside alone."""
    current = state.current.get(part.where, {})
    return not part.units or any(part.path in paths for paths in current.values())


def standing_rows(state: State, part: PartRecord) -> int:
    """How many of the part's rows stand for its day."""
    current = state.current.get(part.where, {})
    return sum(rows for table, rows in part.units.items() if part.path in current.get(table, []))


def _input(state: State, where: SiteDay, part: PartRecord, log: Mapping[str, Any]) -> dict[str, Any]:
    accepted = standing_rows(state, part) + (log["joined"] if part.first else 0)
    return {
        "name": log["label"],
        "sha256": part.input,
        "content_sha256": log["content_sha256"],
        "size": state.inputs[part.input]["size"],
        "rows_read": accepted + part.quarantined,
        "accepted": accepted,
        "quarantined": part.quarantined,
        "encoding": log["encoding"],
        "delimiter": log["delimiter"],
        "ignored": log["ignored"],
        "empty": sorted(set(log["columns"]) - set(log["logged"])),
        "notes": log["notes"],
    }


def _quarantine(
    archive: Path, where: SiteDay, part: PartRecord, log: Mapping[str, Any], key: Pseudonyms | None
) -> list[dict[str, Any]]:
    if not part.quarantined:
        return []
    rows = [
        QuarantinedRow(
            log["label"], row["line"], row["reason"], row["kind"], base64.b64decode(row["raw"]), log["encoding"]
        )
        for row in read_quarantine(archive, part.input, part.log)
        if (row["site"], row["day"]) == (where.site, where.day)
    ]
    return [
        {
            "file": row.source_file,
            "line": row.source_line,
            "reason": row.reason,
            "kind": row.kind,
            "raw": base64.b64encode(row.raw).decode("ascii"),
            "encoding": row.encoding,
        }
        for row in ((withheld(row, key) for row in rows) if key else rows)
    ]


# Tallies


def _tallies_as_json(tallies: Tallies) -> dict[str, Any]:
    def counted(entries: Mapping[Any, Tally]) -> list[Any]:
        return sorted(
            [list(k) if isinstance(k, tuple) else [k], t.events, dict(t.rulings), dict(t.findings)]
            for k, t in entries.items()
        )

    return {
        "audited": tallies.audited,
        "by_place": counted(tallies.by_place),
        "by_responsible": counted(tallies.by_responsible),
        "by_hour": counted(tallies.by_hour),
        "matrix": sorted([*key, count] for key, count in tallies.matrix.items()),
        "first": [tallies.first, tallies.first_offset],
        "last": [tallies.last, tallies.last_offset],
        "days": sorted(tallies.days),
    }


def _add_tallies(total: Tallies, own: Mapping[str, Any]) -> None:
    total.audited += own["audited"]
    for name in ("by_place", "by_responsible", "by_hour"):
        entries: Any = getattr(total, name)
        for key, events, rulings, findings in own[name]:
            tally = entries[tuple(key) if name != "by_hour" else key[0]]
            tally.events += events
            for counts, more in ((tally.rulings, rulings), (tally.findings, findings)):
                for word, count in more.items():
                    counts[word] += count
    for called, ruled, count in own["matrix"]:
        total.matrix[called, ruled] += count
    first, last = own["first"], own["last"]
    if first[0] is not None and (total.first is None or first[0] < total.first):
        total.first, total.first_offset = first
    if last[0] is not None and (total.last is None or last[0] > total.last):
        total.last, total.last_offset = last
    total.days.update(own["days"])


# Storing


def findings_as_bytes(results: Results) -> bytes:
    out = io.BytesIO()
    pq.write_table(results.findings.cast(_STORED), out, compression="zstd")
    return out.getvalue()


def stored_names(results: str) -> tuple[str, str]:
    """Where numbers and findings lie, by the name under which both are stored."""
    return f"{results}.json", f"{results}.parquet"


def read_results(archive: Path, name: str, findings: bool = True) -> Results:
    """Stored results. Raises OutputError where they are not there any more."""
    numbers, table = stored_names(name)
    try:
        own = pq.read_table(archive / table) if findings else None
        return Results(json.loads((archive / numbers).read_bytes()), own)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise OutputError(f"cannot read {archive / name}: run throwaudit verify ({error})") from error


# Adding up


def record_of(pack: Pack, results: Sequence[Results], options: Mapping[str, Any], fail_on: str) -> RunRecord:
    """The record of some days: every number is the sum of theirs."""
    last = results[-1].numbers
    profile = Profile(dispositions={code: Disposition(value) for code, value in last["raised"].items()})
    pack = pack.for_house(last["house"])
    tallies = Tallies(Events(pack, profile))
    for one in results:
        _add_tallies(tallies, one.numbers["tallies"])
    findings = _joined([one.findings for one in results if one.findings is not None and one.findings.num_rows])
    tallies.add_found_by_hour(findings)
    if results[-1].pseudonyms:
        options = {**options, "pseudonyms": results[-1].pseudonyms}
    record = RunRecord(
        tool_version=__version__,
        pack=pack,
        options=options,
        inputs=_inputs(results),
        notes=(),
        rules=_rules(pack, profile, results),
        outcomes=_outcomes(results),
        findings=findings,
        tallies=tallies,
        quarantine=[
            QuarantinedRow(r["file"], r["line"], r["reason"], r["kind"], base64.b64decode(r["raw"]), r["encoding"])
            for one in results
            for r in one.numbers["quarantine"]
        ],
        timezone=last["timezone"],
        times={
            name: sum(one.numbers["times"][place] for one in results)
            for place, name in enumerate(("without_offset", "twice", "never"))
        },
        house=last["house"],
        blank=last["blank"],
        gaming_day_starts=last["gaming_day_starts"],
        status=Exit.CLEAN,
    )
    return replace(record, status=status_of(record, fail_on))


def _joined(tables: Sequence[Any]) -> Any:
    columns = [*FINDINGS.names, "row"]
    if not tables:
        return WORKING.empty_table().select(columns)
    rows = pa.concat_tables(tables)
    table = rows.append_column("row", pa.nulls(rows.num_rows, pa.int64()).fill_null(-1)).select(WORKING.names)
    coded = [
        table[f.name].combine_chunks().dictionary_encode() if pa.types.is_dictionary(f.type) else table[f.name]
        for f in WORKING
    ]
    return joined([pa.table(coded, schema=WORKING)]).select(columns)


def _inputs(results: Sequence[Results]) -> list[InputRecord]:
    """The inputs of all days: a log that holds several is one of them."""
    merged: dict[tuple[str, str], InputRecord] = {}
    for one in results:
        for own in one.numbers["inputs"]:
            key = (own["sha256"], own["name"])
            before = merged.get(key)
            counts = {k: own[k] + (getattr(before, k) if before else 0) for k in _ROWS}
            merged[key] = InputRecord(
                name=own["name"],
                sha256=own["sha256"],
                content_sha256=own["content_sha256"],
                size=own["size"],
                problem="",
                encoding=own["encoding"],
                delimiter=own["delimiter"],
                ignored_columns=tuple(own["ignored"]),
                columns_without_values=tuple(own["empty"]),
                notes=tuple(own["notes"]),
                **counts,
            )
    return list(merged.values())


_ROWS = ("rows_read", "accepted", "quarantined")


def _outcomes(results: Sequence[Results]) -> Any:
    sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * len(COUNTS))
    for one in results:
        for row in one.numbers["outcomes"]:
            own = sums[row["rule"], row["part"]]
            for place, name in enumerate(COUNTS):
                own[place] += row[name]
    rows = [{"rule": r, "part": p, **dict(zip(COUNTS, own, strict=True))} for (r, p), own in sums.items()]
    return pa.Table.from_pylist(rows, schema=OUTCOMES)


def _rules(pack: Pack, profile: Profile, results: Sequence[Results]) -> list[RuleRecord]:
    sums: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTS, 0))
    for one in results:
        for row in one.numbers["outcomes"]:
            for name in COUNTS:
                sums[row["rule"]][name] += row[name]
    lacking = {name for one in results for name in one.numbers["lacking"]}
    errors = {code: message for one in results for code, message in one.numbers["errors"].items()}
    return [
        RuleRecord(
            code=rule.code,
            clause=clause_in_full(pack, rule),
            group=rule.clause,
            disposition=profile.dispositions.get(rule.code, rule.disposition),
            unit=rule.per.value,
            needs=rule.needs,
            on=True,
            counts=sums[rule.code],
            missing=tuple(name for name in pack.columns_needed(rule, "") if name in lacking),
            error=errors.get(rule.code, ""),
            raised=rule.code in profile.dispositions,
        )
        for rule in all_rules(pack)
    ]
