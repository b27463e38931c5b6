"""What the command line's options can hold: lists, dates, folders, and what a shell may complete."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audit.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

FORMATS = ("pdf", "floor", "html", "csv", "json", "parquet")
FAIL_ON = ("violation", "discrepancy", "indeterminate", "observation", "never")


def complete_pack(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Packs whose name begins so, for the shell."""
    from audit.packs import pack_names

    return [name for name in pack_names() if name.startswith(incomplete)]


def complete_code(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Codes of rules that begin so, for the shell."""
    from audit.packs import load_packs
    from audit.record import all_rules

    codes = {rule.code for pack in load_packs() for rule in all_rules(pack)}
    return sorted(code for code in codes if code.startswith(incomplete.upper()))


class Comma(click.ParamType[Any]):
    """Words apart by commas; the option may also be given several times."""

    name = "list"

    def __init__(self, known: tuple[str, ...] = (), complete: Callable[..., list[str]] | None = None) -> None:
        self._known, self._complete = known, complete

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        words = tuple(word.strip() for word in value.split(",") if word.strip())
        option = param.opts[0] if param else "option"
        if not words:
            raise UsageError(f"{option} is empty")
        for word in words:
            if self._known and word not in self._known:
                from audit.errors import unknown

                raise unknown(f"value of {option}", word, self._known)
        return words

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        before, _, last = incomplete.rpartition(",")
        words = self._complete(ctx, param, last) if self._complete else [w for w in self._known if w.startswith(last)]
        return [CompletionItem(f"{before},{word}" if before else word) for word in words]


def flat(values: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """All words of an option that was given several times, each once."""
    return tuple(dict.fromkeys(word for value in values for word in value))


def iso_date(_: click.Context, param: click.Parameter, value: str | None) -> str:
    """A date as ISO 8601 writes it; blank where none is given. Raises UsageError."""
    if not value:
        return ""
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError as error:
        raise UsageError(f"{param.opts[0]} is {value!r}: expected a date such as 2026-03-03") from error


def folder(_: click.Context, param: click.Parameter, value: str) -> Path:
    """A folder's path. Raises UsageError where it is empty."""
    if not value:
        raise UsageError(f"{param.opts[0]} is empty")
    return Path(value)
