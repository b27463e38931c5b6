"""Words for readers, and text that is safe to print."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from rules.catalogue import Catalogue
from rules.kit import Pack

CATALOGUE = Catalogue("reports")


def own_words(pack: Pack | None) -> dict[str, str]:
    """The pack's own words, for sentences shared by all packs."""
    words = {"event": "row", "events": "rows", "place": "table", "day": "day", "title": "", "source": ""}
    if pack:
        words.update({key: value for key, value in pack.catalogue.entries.items() if isinstance(value, str)})
    return words


class Speaker:
    """Fills in the sentences of the catalogue with a pack's words.

    Where the pack's own catalogue has a sentence under ``report.<section>.<key>``, that one is said instead.
    """

    def __init__(self, pack: Pack | None) -> None:
        self.own: Mapping[str, str] = own_words(pack)
        self._instead: Mapping[str, Any] = pack.catalogue.table("report") if pack else {}

    def say(self, section: str, key: str, **values: Any) -> str:
        """The sentence ``key`` of ``section``. Numbers get thousands separators."""
        shown = {name: number(value) if isinstance(value, int) else value for name, value in values.items()}
        sentence = self._instead.get(section, {}).get(key) or CATALOGUE.text(section, key)
        return str(sentence).format(**{**self.own, **shown})

    def events(self, count: int) -> str:
        """So many events: ``1 throw``, ``2 throws``."""
        return f"{number(count)} {self.own['event' if count == 1 else 'events']}"

    def places(self, count: int) -> str:
        """So many places: ``1 table``, ``2 tables``."""
        return f"{number(count)} {self.own['place']}{'' if count == 1 else 's'}"

    def findings(self, count: int) -> str:
        """``1 finding``, ``2 findings``."""
        return self.say("figures", "findings_one" if count == 1 else "findings", count=count)

    def counted(self, disposition: str, count: int) -> str:
        """So many findings of a disposition: ``1 violation``, ``2 discrepancies``."""
        word = self.say("dispositions_one" if count == 1 else "dispositions_many", disposition)
        return f"{number(count)} {word}"


def number(value: int) -> str:
    """A count as it is printed."""
    return f"{value:,}"


def capitalized(text: str) -> str:
    """With a capital first letter, for headings."""
    return text[:1].upper() + text[1:]


def cut(text: str, most: int) -> str:
    """The text, its end left out where it is longer than ``most`` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shown_plainly(text: str, known: Callable[[str], bool]) -> str:
    """Text in which every character that would not be seen as itself is named: ``[U+200F]``."""
    if text.isascii() and text.isprintable():
        return text
    hidden = {ord(c): f"[U+{ord(c):04X}]" for c in set(text) if not (_visible(c) and known(c))}
    return text.translate(hidden) if hidden else text


def _visible(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
