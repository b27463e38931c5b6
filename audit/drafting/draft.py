"""The draft of a profile: TOML, with a comment on each guess."""

from __future__ import annotations

import json
from collections.abc import Iterable

from audit.drafting.glimpse import Glimpse, some
from audit.drafting.guess import Guess, Guesses
from audit.reading.formats import Format
from rules.catalogue import Catalogue

WORDS = Catalogue("audit")


def _say(key: str, **facts: object) -> str:
    text = WORDS.text("draft", key)
    for name, fact in facts.items():
        text = text.replace(f"{{{name}}}", str(fact))
    return text


def _quoted(text: str) -> str:
    """As a TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(texts: Iterable[str]) -> str:
    return "[" + ", ".join(map(_quoted, texts)) + "]"


def _comment(text: str) -> str:
    return "# " + "".join(character if character.isprintable() else "\ufffd" for character in text)


def drafted(file: str, seen: Glimpse, guesses: Guesses) -> str:
    """The profile as text."""
    lines = [_comment(_say("title", file=file)), _comment(_say("looked", rows=seen.rows)), ""]
    lines += [_comment(_say("pack")), f"pack = {_quoted(guesses.pack.name)}"]
    there = {name for guess in guesses.columns for name in guess.ours}
    if guesses.pack.roles.site not in there:
        lines += [_comment(_say("site")), '# site = ""']
    lines += _of_file(seen)
    lines += _of_times(guesses)
    ignored = [guess.theirs for guess in guesses.columns if not guess.ours and not guess.candidates]
    if ignored:
        lines += ["", _comment(_say("ignore")), f"ignore = {_list(ignored)}"]
    lines += ["", _comment(_say("columns")), "[columns]"]
    for guess in guesses.columns:
        lines += _of_column(guess)
    lines += [_comment(_say("missing", ours=name)) for name in guesses.missing]
    lines += _of_words(guesses)
    return "\n".join(lines) + "\n"


def _of_file(seen: Glimpse) -> list[str]:
    lines = []
    if seen.format is Format.TEXT and seen.delimiter != ",":
        lines += [_comment(_say("delimiter")), f"delimiter = {_quoted(seen.delimiter)}"]
    if seen.encoding not in ("utf-8", ""):
        lines += [_comment(_say("encoding")), f"encoding = {_quoted(seen.encoding)}"]
    if seen.sheet:
        lines += [_comment(_say("sheet")), f"sheet = {_quoted(seen.sheet)}"]
    if seen.header_row > 1:
        lines += [_comment(_say("header_row")), f"header_row = {seen.header_row}"]
    return lines


def _of_times(guesses: Guesses) -> list[str]:
    lines = [_comment(_say("timezone")), '# timezone = "America/New_York"']
    for key, forms, like in (
        ("datetime", guesses.datetimes, guesses.like_time),
        ("date", guesses.dates, guesses.like_date),
    ):
        if not forms:
            continue
        lines.append(_comment(_say("format" if key == "datetime" else "date_format", value=like)))
        if len(forms) > 1:
            lines.append(_comment(_say("order", theirs=like)))
        lines += [f"{'# ' if len(forms) > 1 else ''}{key} = {_quoted(form)}" for form in forms]
    return lines


def _of_column(guess: Guess) -> list[str]:
    values, share = some(guess.values), f"{guess.readable:.0%}"
    if guess.how == "same":
        return [_comment(_say("same", theirs=guess.theirs))]
    if not guess.ours:
        key = "open" if guess.candidates else "unknown"
        return [_comment(_say(key, candidates=", ".join(guess.candidates), values=values, theirs=guess.theirs))]
    ours = guess.ours[0] if len(guess.ours) == 1 else ""
    said = _say(guess.how, ours=ours, share=share, values=values, theirs=guess.theirs)
    return [_comment(said), f"{_quoted(guess.theirs)} = {_quoted(ours) if ours else _list(guess.ours)}"]


def _of_words(guesses: Guesses) -> list[str]:
    lines: list[str] = []
    for guess in guesses.columns:
        if not guess.words:
            continue
        column = guesses.pack.by_name[guess.ours[0]]
        lines += ["", *([] if "[values" in "".join(lines) else [_comment(_say("values"))]), f"[values.{column.name}]"]
        for theirs, ours in guess.words.items():
            if ours:
                lines += [_comment(_say("word_guess", theirs=theirs)), f"{_quoted(theirs)} = {_quoted(ours)}"]
            else:
                words = ", ".join(column.words or ("yes", "no"))
                lines += [_comment(_say("word_open", theirs=theirs, words=words)), f'# {_quoted(theirs)} = ""']
    return lines
