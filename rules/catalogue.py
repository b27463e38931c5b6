"""The sentences a reader sees, kept apart from the code so that they can be translated.

A catalogue is a TOML file of nested tables, one file a language (``words/en.toml`` in the package it belongs to).
Templates hold names in braces: ``"{die} was called {called}"``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

LANGUAGE = "en"
_PIECES = re.compile(r"\{(\w+)\}")


def pieces_of(template: str) -> list[tuple[str, bool]]:
    """The template cut at its braces: ``(text, False)`` for what stands there, ``(name, True)`` for a field."""
    parts = _PIECES.split(template)
    return [(part, bool(place % 2)) for place, part in enumerate(parts) if part or place % 2]


@dataclass(frozen=True)
class Catalogue:
    """The sentences of one package. Raises ``KeyError`` naming the entry that is missing."""

    package: str
    language: str = LANGUAGE

    @cached_property
    def entries(self) -> Mapping[str, Any]:
        text = files(self.package).joinpath("words", f"{self.language}.toml").read_text("utf-8")
        return tomllib.loads(text)

    def find(self, *path: str) -> Any:
        """The entry at ``path``, or ``None``."""
        here: Any = self.entries
        for key in path:
            if not isinstance(here, Mapping) or key not in here:
                return None
            here = here[key]
        return here

    def text(self, *path: str) -> str:
        """The sentence at ``path``."""
        entry = self.find(*path)
        if not isinstance(entry, str):
            raise KeyError(f"{self.package}: no sentence {'.'.join(path)} in words/{self.language}.toml")
        return entry

    def table(self, *path: str) -> Mapping[str, Any]:
        """The table of sentences at ``path``; empty where there is none."""
        entry = self.find(*path)
        return entry if isinstance(entry, Mapping) else {}
