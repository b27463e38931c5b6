"""The rule packs that are installed, found by entry point."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points

from audit.errors import UsageError, unknown
from audit.record import all_rules
from rules import log_integrity
from rules.kit import Pack

GROUP = "throwaudit.packs"


def pack_names() -> list[str]:
    """The names of the installed packs, without loading them."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def _load(point: EntryPoint) -> Pack:
    try:
        pack = point.load()
    except Exception as error:
        raise UsageError(f"pack {point.name} ({point.value}) cannot be loaded: {error}") from error
    if not isinstance(pack, Pack):
        raise UsageError(f"pack {point.name} ({point.value}) is no rule pack")
    return pack


def load_packs() -> list[Pack]:
    """All installed packs. Raises UsageError where a name or a rule's code is given twice."""
    packs = [_load(point) for point in sorted(entry_points(group=GROUP), key=lambda p: (p.name, p.value))]
    check(packs)
    return packs


def check(packs: Sequence[Pack]) -> None:
    """Whether names and codes are unique over the packs. Raises UsageError."""
    names: set[str] = set()
    owner = {rule.code: "the rules of every pack" for rule in log_integrity.RULES}
    for pack in packs:
        if pack.name in names:
            raise UsageError(f"two packs are named {pack.name}")
        names.add(pack.name)
        for rule in pack.rules:
            if rule.code in owner:
                raise UsageError(f"the code {rule.code} stands in {owner[rule.code]} and in pack {pack.name}")
            owner[rule.code] = f"pack {pack.name}"


def find_pack(name: str, packs: Sequence[Pack]) -> Pack:
    """The pack ``name``. Raises UsageError with the nearest match."""
    for pack in packs:
        if pack.name == name:
            return pack
    raise unknown("pack", name, [pack.name for pack in packs])


def choose_rules(pack: Pack, select: Sequence[str], ignore: Sequence[str]) -> set[str]:
    """The codes in force: those that ``select`` means (all, if it is empty) and ``ignore`` does not.

    A word means the rule of that code, or else all whose codes begin with it. Raises UsageError, with the nearest
    match, for one that means no rule, and where no rule is left.
    """
    codes = [rule.code for rule in all_rules(pack)]

    def meant(option: str, words: Sequence[str]) -> set[str]:
        chosen: set[str] = set()
        for word in map(str.upper, words):
            own = {word} & set(codes) or {code for code in codes if code.startswith(word)}
            if not own:
                raise unknown(f"rule in {option}", word, codes)
            chosen |= own
        return chosen

    left = (meant("--select", select) or set(codes)) - meant("--ignore", ignore)
    if not left:
        raise UsageError("--select and --ignore leave no rule to hold the log against")
    return left


def check_choice(packs: Sequence[Pack], select: Sequence[str], ignore: Sequence[str]) -> None:
    """Whether the words can mean rules of one of the packs that the logs may be of. Raises UsageError."""
    codes = [rule.code for pack in packs for rule in all_rules(pack)]
    for option, words in (("--select", select), ("--ignore", ignore)):
        for word in map(str.upper, words):
            if not any(code.startswith(word) for code in codes):
                raise unknown(f"rule in {option}", word, codes)
    wrong: UsageError | None = None
    for pack in packs:
        try:
            choose_rules(pack, select, ignore)
        except UsageError as error:
            wrong = wrong or error
        else:
            return
    if wrong:
        raise wrong
