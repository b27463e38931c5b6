"""Options that a house may set in the profile's ``[house]`` table: what each can be, and what it is unless set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_FLAGS = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
UNSET = "unset"


class OptionError(ValueError):
    """A value that an option cannot have; the text says what it can."""


@dataclass(frozen=True)
class Option:
    """One option.

    ``number`` names the dated number that it overrides; all else is for options without one. ``default`` ``None``:
    unset, and what hangs on it cannot be told. What a value may be: ``flag``: yes or no; ``words``; ``least``: whole
    numbers from there on; ``texts``: a list of texts; ``unset``: nothing at all, where the default is something.
    """

    name: str
    number: str = ""
    default: Any = None
    flag: bool = False
    words: tuple[str, ...] = ()
    least: int | None = None
    texts: bool = False
    unset: bool = False

    @property
    def may_be_unset(self) -> bool:
        return self.unset or self.default is None

    @property
    def values(self) -> list[str]:
        """What it may be, in words."""
        if self.number:
            return ["a whole number, 0 or more"]
        values = ["on", "off"] if self.flag else []
        values += self.words
        if self.least is not None:
            values.append(f"a whole number, {self.least} or more")
        if self.texts:
            values.append("a list of texts")
        return values + ([UNSET] if self.may_be_unset else [])

    def shown(self, value: Any) -> str:
        """A value as a reader sees it."""
        if value is None:
            return UNSET
        if isinstance(value, bool):
            return "on" if value else "off"
        return ", ".join(value) if isinstance(value, list | tuple) else str(value)

    def value(self, given: Any) -> Any:
        """The value in force for what the profile gives (``None``: nothing). Raises OptionError."""
        if given is None:
            return self.default
        if self.flag and isinstance(given, bool):
            return given
        if isinstance(given, str):
            folded = given.strip().casefold()
            if self.flag and folded in _FLAGS:
                return _FLAGS[folded]
            if folded in self.words:
                return folded
            if folded == UNSET and self.may_be_unset:
                return None
        least = 0 if self.number else self.least
        if isinstance(given, int) and not isinstance(given, bool) and least is not None and given >= least:
            return given
        if self.texts and isinstance(given, list | tuple) and all(isinstance(text, str) for text in given):
            return tuple(text.strip().casefold() for text in given)
        raise OptionError(f"expected {' or '.join(self.values)}")
