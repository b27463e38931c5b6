"""``rules``, ``explain`` and ``schema``: what the packs say of themselves."""

from __future__ import annotations

import csv
import io
import json
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import click

from audit.errors import unknown
from audit.record import all_rules
from audit.telling import Words, clause_in_full
from reports.text import Speaker
from rules import log_integrity
from rules.examples import BREACH, CONFORMS, UNVERIFIABLE, Example, Examples
from rules.kit import Kind, Pack, Rule
from rules.options import UNSET, Option


def _words(pack: Pack) -> Words:
    return Words(pack, log_integrity.CATALOGUE)


def _needs(pack: Pack, rule: Rule) -> list[str]:
    return list(pack.columns_needed(rule, ""))


def _entry(pack: Pack, rule: Rule) -> dict[str, Any]:
    words = _words(pack)
    return {
        "pack": pack.name,
        "code": rule.code,
        "clause": clause_in_full(pack, rule),
        "disposition": rule.disposition.value,
        "title": words.rule(rule.code, "title"),
        "question": words.rule(rule.code, "question"),
        "unit": rule.per.value,
        "needs": _needs(pack, rule),
    }


def list_rules(packs: Sequence[Pack], form: str) -> None:
    """Print the rules of ``packs`` as a table, as JSON or as Markdown."""
    entries = [_entry(pack, rule) for pack in packs for rule in all_rules(pack)]
    if form == "json":
        click.echo(json.dumps(entries, ensure_ascii=False, indent=2))
        return
    say = Speaker(None).say
    heads = [say("rules", key) for key in ("code", "clause", "disposition", "title", "needs")]
    rows = [[e["code"], e["clause"], e["disposition"], e["title"], _fields(e["needs"])] for e in entries]
    if form == "md":
        click.echo("| " + " | ".join(heads) + " |")
        click.echo("|" + " --- |" * len(heads))
        for row in rows:
            click.echo("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
        return
    _print_table(heads, rows)


def _fields(needs: Sequence[str]) -> str:
    return ", ".join(needs)


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table in columns; on a terminal the last one is wrapped to the width of the screen."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="bold")
        for head in heads:
            table.add_column(head, overflow="fold")
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        Console().print(table)
        return
    widths = [max(len(row[place]) for row in (heads, *rows)) for place in range(len(heads) - 1)]
    for row in (heads, *rows):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        click.echo("  ".join([*cells, row[-1]]).rstrip())


def explain(code: str, packs: Sequence[Pack]) -> None:
    """Print all there is to say of one rule. Raises UsageError, with the nearest match, for one that is none."""
    known: dict[str, tuple[Pack, Rule]] = {}
    for pack in packs:
        for rule in all_rules(pack):
            known.setdefault(rule.code, (pack, rule))
    if code.upper() not in known:
        raise unknown("rule", code, known)
    pack, rule = known[code.upper()]
    words, say = _words(pack), Speaker(pack).say
    click.secho(f"{rule.code}  {words.rule(rule.code, 'title')}", bold=True)
    click.echo(f"{clause_in_full(pack, rule)} · {say('dispositions', rule.disposition.value).lower()}")
    click.echo()
    _paragraph(say("explain", "tests"), rule.duty or words.rule(rule.code, "question"))
    _paragraph(say("explain", "question"), words.rule(rule.code, "question"))
    _paragraph(say("explain", "looks_at"), say("explain", f"per_{rule.per.name.lower()}"))
    _paragraph(say("explain", "needs"), ", ".join(_needs(pack, rule)) or say("explain", "no_needs"))
    _paragraph(say("explain", "effect"), words.rule(rule.code, "effect").replace("{judged}", pack.roles.judged))
    reading = words.rule(rule.code, "reading")
    if reading:
        _paragraph(say("explain", "reading"), reading)
    _examples(pack, rule, say)


def _paragraph(head: str, text: str) -> None:
    click.echo(textwrap.fill(text, 100, initial_indent=f"{head + ':':<12}", subsequent_indent=" " * 12))


def _examples(pack: Pack, rule: Rule, say: Any) -> None:
    """One example of each kind: conforming, breaching, and where it cannot be told."""
    examples = Examples(pack)
    own = examples.of(rule.code)
    for shows, key in ((CONFORMS, "conforming"), (BREACH, "breaching"), (UNVERIFIABLE, "cannot_tell")):
        chosen = next((example for example in own if example.shows == shows), None)
        if chosen:
            click.echo()
            click.secho(f"{say('explain', key)}: {chosen.name}", bold=True)
            _example(examples, chosen, rule, pack, say)


def _example(examples: Examples, example: Example, rule: Rule, pack: Pack, say: Any) -> None:
    roles = pack.roles
    looked_at = pack.columns_needed(rule, "", rule.needs + rule.reads)
    if rule in log_integrity.RULES:
        looked_at = (roles.event_id, roles.seq, roles.time, *looked_at)
    looked_at = tuple(name for name in looked_at if not pack.by_name[name].derived)
    for number, (given, filled) in enumerate(zip(example.rows, examples.filled(example), strict=True), start=1):
        shown = {name: filled[name] for name in looked_at if filled.get(name)} if len(looked_at) <= 4 else {}
        shown |= dict(given)
        if not shown and len(example.rows) == 1:
            shown = {name: filled[name] for name in looked_at if filled.get(name)}
        told = ", ".join(f"{name} = {value or '(blank)'}" for name, value in shown.items())
        head = say("explain", "throw", number=number) + f" ({examples.event_id(filled)})"
        text = f"{head}: {told or say('explain', 'as_base')}"
        click.echo(textwrap.fill(text, 100, initial_indent="  ", subsequent_indent="      "))
    if example.without:
        click.echo("  " + say("explain", "without", columns=", ".join(example.without)))
    for finding in example.findings:
        part = f", {_words(pack).part(finding.part)}" if finding.part else ""
        kind = say("explain", "finding" if finding.outcome == BREACH else "finding_open")
        click.echo(f"  → {finding.rule}: {kind}, {finding.event_id}{part}")
    if not example.findings:
        click.echo(f"  → {say('explain', 'nothing')}")


def _column_entries(pack: Pack) -> list[dict[str, Any]]:
    catalogue = pack.catalogue
    entries = []
    for column in pack.columns:
        if column.derived:
            continue
        meaning = catalogue.find("part_columns", column.field) if column.part else None
        meaning = meaning or catalogue.find("columns", column.name) or ""
        values = list(column.words)
        if column.kind is Kind.BOOL:
            values = ["yes", "no"]
        elif column.kind in (Kind.FACE, Kind.FACES):
            values = [str(face) for face in range(1, 7)]
        if column.none_is_value:
            values.append("none")
        entries.append(
            {
                "column": column.name,
                "type": column.kind.value,
                "required": column.required,
                "values": values,
                "meaning": str(meaning),
            }
        )
    return entries


def _option_entries(pack: Pack) -> list[dict[str, Any]]:
    entries = []
    for option in pack.options:
        if not option.number:
            entries.append(_own_option(pack, option))
            continue
        period = pack.numbers.periods(option.number)[-1]
        entries.append(
            {
                "option": option.name,
                "default": period.value,
                "unit": pack.numbers.entries[option.number]["unit"],
                "meaning": str(pack.catalogue.find("options", option.name) or ""),
                "reference": period.reference,
            }
        )
    return entries


def _own_option(pack: Pack, option: Option) -> dict[str, Any]:
    return {
        "option": option.name,
        "default": option.default if option.default is None or option.texts else option.shown(option.default),
        "values": option.values,
        "meaning": str(pack.catalogue.find("options", option.name) or ""),
    }


def _default(entry: Mapping[str, Any]) -> str:
    default = entry["default"]
    if default is None:
        return UNSET
    told = ", ".join(default) if isinstance(default, list | tuple) else str(default)
    return f"{told} {entry['unit']}" if "unit" in entry else told


def schema(pack: Pack, form: str) -> None:
    """Print the log layout of a pack as a table, as JSON, or as an empty log with its header."""
    columns, options = _column_entries(pack), _option_entries(pack)
    if form == "csv":
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow([entry["column"] for entry in columns])
        click.echo(line.getvalue(), nl=False)
        return
    if form == "json":
        entry: Mapping[str, Any] = {"pack": pack.name, "columns": columns, "house": options}
        click.echo(json.dumps(entry, ensure_ascii=False, indent=2))
        return
    say = Speaker(pack).say
    heads = [say("schema", key) for key in ("column", "type", "required", "values", "meaning")]
    yes_no = {True: say("schema", "yes"), False: ""}
    _print_table(
        heads,
        [[c["column"], c["type"], yes_no[c["required"]], " ".join(c["values"]), c["meaning"]] for c in columns],
    )
    if options:
        click.echo()
        click.secho(say("schema", "house"), bold=True)
        heads = [say("schema", key) for key in ("option", "default", "values", "meaning")]
        rows = [[o["option"], _default(o), ", ".join(o.get("values", ())), o["meaning"]] for o in options]
        if not any(row[2] for row in rows):
            heads, rows = [*heads[:2], heads[3]], [[*row[:2], row[3]] for row in rows]
        _print_table(heads, rows)
