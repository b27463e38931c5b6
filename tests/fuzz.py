"""Fuzz reading and profiles: broken logs of every format under broken profiles, for so many seconds (`make fuzz`).

Whatever comes in, rows read are rows accepted and rows set aside, an error is one line of ours, and no input takes
longer than SLOWEST. The seed of a failure is printed; `python tests/fuzz.py --seed N --count 1` repeats it.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from audit.drafting.draft import drafted
from audit.drafting.glimpse import glimpse
from audit.drafting.guess import guess
from audit.errors import ThrowauditError, UnreadableInputError
from audit.packs import load_packs
from audit.pipeline import Options, audit_logs
from audit.reading.sources import find_sources
from audit.sample import write_sample
from rules.kit import Pack
from rules.sampling import Sample

SLOWEST = 20.0
ENDINGS = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx")
HOUSES = Path(__file__).parent.parent / "sample_logs" / "three_dice_football" / "houses"
PIECES = (
    b"\0", b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\r\n\r\n", b"{", b"}", b"[", b"]", b":", b"\\u0000", b"\xff",
    b"\xef\xbb\xbf", b"\xc3\xa9", b"9" * 400, b"1e999", b"NaN", b"null", b"-0", b"2026-13-45T99:99:99Z", b"\x1b[2J",
    b"=1+1", b"PAR1", b"PK\x03\x04", b"\xe2\x80\xae", b"0" * 70_000,
)  # fmt: skip
PROFILE_PIECES = (
    'datetime = "%d/%m/%Y %H:%M"', 'date = "%d.%m.%y"', "header_row = 3", 'delimiter = ";"', 'encoding = "cp037"',
    'encoding = "utf-16"', 'blanks = ["0", "valid"]', 'ignore = ["table", "note"]', "shortened_ids = true",
    'timezone = "America/New_York"', '[columns]\n"throw_id" = "round"', '[values.ruling]\nx = "y"',
    '[columns]\n"ruling" = ["off1_called", "off2_called"]', '[blank]\nleft_table = "no"', '[constants]\ntable = "T"',
    '[join]\nthrown_at = ["table", "seq"]', '[values]\n"valid" = "no_roll"\n"1" = "yes"',
    '[long]\ndie = "seq"\ndice = { "1" = "off1", "2" = "off2" }',
)  # fmt: skip


def spoilt(chance: random.Random, data: bytes) -> bytes:
    """The bytes with some cut out, doubled, changed, or put in."""
    for _ in range(chance.choice((0, 1, 1, 2, 5, 20))):
        at, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        end = min(end, at + chance.choice((1, 10, 1000)))
        what = chance.randrange(5)
        if what == 0:
            data = data[:at] + data[end:]
        elif what == 1:
            data = data[:end] + data[at:]
        elif what == 2:
            data = data[:at] + chance.randbytes(end - at) + data[end:]
        elif what == 3:
            data = data[:at] + chance.choice(PIECES) + data[at:]
        else:
            data = data[:at] if chance.random() < 0.3 else data
    return data


def one(seed: int, folder: Path, logs: Sequence[Path], packs: list[Pack]) -> None:
    """One broken log under one broken profile. Raises AssertionError, or whatever the product should not."""
    chance = random.Random(seed)
    source = chance.choice(logs)
    log = folder / f"log{source.suffix}"
    log.write_bytes(spoilt(chance, source.read_bytes()))
    profile = folder / "profile.toml"
    pieces = chance.sample(PROFILE_PIECES, chance.choice((0, 1, 2)))
    text = "\n".join(sorted(pieces, key=lambda piece: piece.startswith("["))).encode()
    if chance.random() < 0.4 and source.parent == HOUSES and source.with_suffix(".toml").exists():
        text = source.with_suffix(".toml").read_bytes()
    profile.write_bytes(spoilt(chance, text) if chance.random() < 0.2 else text)
    began = time.monotonic()
    try:
        record = audit_logs(Options((str(log),), profile=profile, formats=()), packs)
        assert record.rows_read == record.accepted + len(record.quarantine)
        assert not record.rules_in_error, record.rules_in_error
    except ThrowauditError as error:
        said = str(error)
    else:
        said = ""
    assert "\n" not in said.strip()
    try:
        (drawn, *_), _ = find_sources([str(log)])
        drafted(log.name, glimpse(drawn, packs), guess(glimpse(drawn, packs), packs))
    except UnreadableInputError:
        pass
    assert time.monotonic() - began < SLOWEST, "too slow"


def fuzz(seconds: float, seed: int, count: int) -> int:
    packs = load_packs()
    ended = time.monotonic() + seconds
    done = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        logs = [path for path in sorted(HOUSES.iterdir()) if path.suffix in ENDINGS]
        for pack in packs:
            for ending in ENDINGS[:-1]:
                logs.append(folder / f"{pack.name}{ending}")
                write_sample(pack, Sample(30, 1, 0.3, 0.1), logs[-1], None)
        while done < count and time.monotonic() < ended:
            try:
                one(seed + done, folder, logs, packs)
            except Exception:
                traceback.print_exc()
                sys.stderr.write(f"seed {seed + done}\n")
                return 1
            done += 1
    sys.stdout.write(f"{done} broken logs, seeds {seed} to {seed + done - 1}: every row accounted for, no traceback\n")
    return 0


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=120)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--count", type=int, default=sys.maxsize)
    given = options.parse_args()
    sys.exit(fuzz(given.seconds, given.seed, given.count))
