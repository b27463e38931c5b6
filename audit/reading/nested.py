"""Columns inside columns: ``{"dice": {"off1": {"rest": "layout"}}}`` is the column ``dice.off1.rest``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa


def flattened(table: Any) -> Any:
    """The table with the fields of its structs as columns of their own, down to the last."""
    while any(pa.types.is_struct(kind) for kind in table.schema.types):
        table = table.flatten()
    return table


def flat(entry: Mapping[str, Any], parts: frozenset[str], under: str = "") -> dict[str, Any]:
    """One JSON object with its nested keys joined by dots; lists of dice go by the die that each names."""
    cells: dict[str, Any] = {}
    for key, value in entry.items():
        path = f"{under}.{key}" if under else str(key)
        if isinstance(value, Mapping):
            cells |= flat(value, parts, path)
        elif isinstance(value, list):
            cells |= _of_list(value, parts, path)
        else:
            cells[path] = value
    return cells


def _of_list(values: list[Any], parts: frozenset[str], path: str) -> dict[str, Any]:
    """A list of words is one cell; a list of objects has one object a die, if each says which it is."""
    if not any(isinstance(value, Mapping | list) for value in values):
        return {path: "|".join("" if value is None else _word(value) for value in values)}
    cells: dict[str, Any] = {}
    for value in values:
        key = _naming(value, parts) if isinstance(value, Mapping) else ""
        if not key:
            return {path: str(values)}
        name = value[key].strip().casefold()
        inner = flat({k: v for k, v in value.items() if k != key}, parts, f"{path}.{name}")
        if cells.keys() & inner.keys():
            return {path: str(values)}
        cells |= inner
    return cells


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _naming(entry: Mapping[str, Any], parts: frozenset[str]) -> str:
    """The key under which an object says which die it is of."""
    named = [key for key, value in entry.items() if isinstance(value, str) and value.strip().casefold() in parts]
    return named[0] if len(named) == 1 else ""
