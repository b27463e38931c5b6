"""``throwaudit.toml``: sites, inboxes, where archive and reports are. Each key is checked, each error names it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.errors import UsageError, unknown

if TYPE_CHECKING:
    from audit.pseudonyms import Pseudonyms
    from audit.reading.profile import Profile

FORMATS = ("pdf", "html", "csv", "json", "parquet", "floor")
PAPERS = ("letter", "a4")
FAIL_ON = ("violation", "discrepancy", "indeterminate", "observation", "never")
_KEYS = (
    "archive",
    "reports",
    "fail_on",
    "formats",
    "paper",
    "annex",
    "pseudonyms",
    "quiet_minutes",
    "done_marker",
    "originals",
    "log_file",
    "site",
    "inbox",
)
_SITE_KEYS = ("name", "timezone", "gaming_day_starts")
_INBOX_KEYS = ("files", "pack", "profile", "site")


@dataclass(frozen=True)
class Site:
    """A facility. ``timezone`` and ``gaming_day_starts`` as text; blank where the profile is to say."""

    name: str
    timezone: str = ""
    gaming_day_starts: str = ""


@dataclass(frozen=True)
class Inbox:
    """Where logs of one kind arrive: a glob, their pack (blank: told from each), their profile, their site."""

    files: str
    pack: str = ""
    profile: Path | None = None
    site: Site | None = None

    def loaded_profile(self) -> Profile:
        """The profile with what the site says. Raises UsageError."""
        from dataclasses import replace

        from audit.reading.profile import Profile
        from audit.reading.profile_file import load, parse

        profile = load(self.profile) if self.profile else Profile()
        if self.site is None:
            return profile
        profile = profile.with_options(self.site.name, self.site.timezone)
        if self.site.gaming_day_starts:
            starts = parse({"gaming_day_starts": self.site.gaming_day_starts}).gaming_day_starts
            profile = replace(profile, gaming_day_starts=starts)
        return profile


@dataclass(frozen=True)
class Config:
    """What is to be done each night.

    ``annex``: reports end with every finding. ``pseudonyms``: the file of the key, where people are not to be named.
    ``done_marker``: ending of the file that says that a log is complete.
    """

    path: Path
    archive: Path
    reports: Path
    sites: tuple[Site, ...]
    inboxes: tuple[Inbox, ...]
    fail_on: str = "discrepancy"
    formats: tuple[str, ...] = ("pdf", "csv", "json")
    paper: str = "letter"
    annex: bool = False
    pseudonyms: Path | None = None
    quiet_minutes: float = 10
    done_marker: str = ""
    originals: bool = True
    log_file: Path | None = None

    def key(self) -> Pseudonyms | None:
        """What makes pseudonyms. Raises UsageError where the key cannot be read."""
        from audit import pseudonyms

        return pseudonyms.load(self.pseudonyms) if self.pseudonyms else None


def load(path: Path) -> Config:
    """Read a configuration. Raises UsageError in one line for whatever is wrong with it."""
    try:
        entries = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"no configuration {path}: throwaudit init writes one") from error
    except OSError as error:
        raise UsageError(f"configuration {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"configuration {path}: {error}") from error
    try:
        return _parsed(path, entries)
    except UsageError as error:
        raise UsageError(f"configuration {path}: {error}") from error


def _parsed(path: Path, entries: Mapping[str, Any]) -> Config:
    _known("key", entries, _KEYS)
    here = path.absolute().parent
    sites = tuple(_site(entry) for entry in _tables(entries, "site"))
    names = [site.name for site in sites]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two [[site]] are named {name!r}")
    inboxes = tuple(_inbox(entry, sites, here) for entry in _tables(entries, "inbox"))
    if not inboxes:
        raise UsageError("no [[inbox]]: nothing says where logs arrive")
    archive, reports = (here / (_text(entries, key) or key) for key in ("archive", "reports"))
    if archive == reports:
        raise UsageError("archive and reports are one folder")
    log_file, key_file = _text(entries, "log_file"), _text(entries, "pseudonyms")
    marker = _text(entries, "done_marker")
    if "/" in marker:
        raise UsageError(f"done_marker = {marker!r}: expected an ending such as .done")
    return Config(
        path=path,
        archive=archive,
        reports=reports,
        sites=sites,
        inboxes=inboxes,
        fail_on=_one_of("fail_on", _text(entries, "fail_on") or "discrepancy", FAIL_ON),
        formats=_formats(entries.get("formats", ["pdf", "csv", "json"])),
        paper=_one_of("paper", _text(entries, "paper") or "letter", PAPERS),
        annex=_flag(entries, "annex", False),
        pseudonyms=here / key_file if key_file else None,
        quiet_minutes=_minutes(entries.get("quiet_minutes", 10)),
        done_marker=marker,
        originals=_flag(entries, "originals", True),
        log_file=here / log_file if log_file else None,
    )


def _known(what: str, entries: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    for key in entries:
        if key not in keys:
            raise unknown(what, key, keys)


def _one_of(key: str, word: str, known: tuple[str, ...]) -> str:
    if word not in known:
        raise unknown(f"value of {key}", word, known)
    return word


def _text(entries: Mapping[str, Any], key: str, where: str = "") -> str:
    value = entries.get(key, "")
    if not isinstance(value, str):
        raise UsageError(f"{where}{key} = {value!r}: expected a text")
    return value


def _flag(entries: Mapping[str, Any], key: str, default: bool) -> bool:
    value = entries.get(key, default)
    if not isinstance(value, bool):
        raise UsageError(f"{key} = {value!r}: expected true or false")
    return value


def _minutes(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1 << 30:
        raise UsageError(f"quiet_minutes = {value!r}: expected a number of minutes, 0 or more")
    return value


def _formats(value: Any) -> tuple[str, ...]:
    words = value.split(",") if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UsageError(f'formats = {value!r}: expected a list such as ["pdf", "csv"]')
    return tuple(_one_of("formats", word.strip(), FORMATS) for word in words)


def _tables(entries: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    tables = entries.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise UsageError(f"[[{key}]]: expected tables, each begun by [[{key}]]")
    return tables


def _site(entry: Mapping[str, Any]) -> Site:
    _known("key in [[site]]", entry, _SITE_KEYS)
    site = Site(*(_text(entry, key, "[[site]] ") for key in _SITE_KEYS))
    if not site.name:
        raise UsageError("[[site]]: name is missing")
    return site


def _inbox(entry: Mapping[str, Any], sites: tuple[Site, ...], here: Path) -> Inbox:
    _known("key in [[inbox]]", entry, _INBOX_KEYS)
    files, pack, profile, name = (_text(entry, key, "[[inbox]] ") for key in _INBOX_KEYS)
    if not files:
        raise UsageError("[[inbox]]: files is missing: a folder or a glob such as inbox/*.csv")
    site = next((site for site in sites if site.name == name), None)
    if name and site is None:
        raise unknown("site in [[inbox]]", name, [site.name for site in sites])
    if pack:
        from audit.packs import pack_names

        _one_of("pack in [[inbox]]", pack, tuple(pack_names()))
    return Inbox(str(here / files), pack, here / profile if profile else None, site)
