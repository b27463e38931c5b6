"""The installed command, from another folder: what each call prints, writes and returns."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from test_reading import HEAD, PLAIN, row

COMMAND = Path(sys.executable).parent / "throwaudit"
SAMPLES = Path(__file__).parent.parent / "sample_logs" / "three_dice_football"

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    (tmp_path / "log.csv").write_text(PLAIN, "utf-8")
    (tmp_path / "bad.csv").write_text(HEAD + row(1, stick_used="no"), "utf-8")

    def call(*arguments: str, env: dict[str, str] | None = None) -> Done:
        return subprocess.run(
            [str(COMMAND), *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, **(env or {})},
            timeout=120,
        )

    return call


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["check", "log.csv", "--format", "json"], 0),
        (["check", "bad.csv", "--format", "json"], 1),
        (["check", "bad.csv", "--format", "json", "--fail-on", "never"], 0),
        (["check"], 2),
        (["check", "log.csv", "--format", "docx"], 2),
        (["check", "log.csv", "--fail-on", "nothing"], 2),
        (["check", "log.csv", "--pack", "craps"], 2),
        (["check", "log.csv", "--select", "TDF-X9"], 2),
        (["check", "bad.csv", "--ignore", "TDF-F", "--format", "json"], 1),
        (["check", "bad.csv", "--select", "LOG", "--ignore", "LOG"], 2),
        (["check", "log.csv", "--select", "DIE-05"], 2),  # a rule, but of another pack than the log's
        (["check", "log.csv", "--timezone", "Nowhere/City"], 2),
        (["check", "log.csv", "--date", "3/3/2026"], 2),
        (["check", "log.csv", "--profile", "none.toml"], 2),
        (["check", "log.csv", "--out", "log.csv/x"], 2),
        (["check", "none.csv", "--format", "json"], 3),
        (["check", "log.csv", "none.csv", "--format", "json"], 3),
        (["explain", "TDF-F1"], 0),
        (["explain", "TDF-Z1"], 2),
        (["schema", "three-dice-football"], 0),
        (["schema", "bowling"], 2),
        (["rules"], 0),
        (["nonsense"], 2),
        (["--version"], 0),
        (["--help"], 0),
        (["sample", "three-dice-football", "--events", "10", "--out", "no/such/folder.csv"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_exit_status_and_plain_errors(arguments: list[str], status: int, run: Run) -> None:
    done = run(*arguments)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    if status in (2, 3) and arguments[0] != "check":
        assert done.stderr.startswith("throwaudit: ")
    if status == 2:
        assert 1 <= len(done.stderr.splitlines()) <= 2


@pytest.mark.parametrize(
    ("level", "status"), [("violation", 0), ("discrepancy", 1), ("indeterminate", 1), ("observation", 1), ("never", 0)]
)
def test_fail_on(level: str, status: int, run: Run, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text(HEAD + row(1, off1_called="9"), "utf-8")
    assert run("check", "d.csv", "--format", "json", "--fail-on", level).returncode == status


def test_check_says_what_it_did(run: Run, tmp_path: Path) -> None:
    done = run("check", str(SAMPLES / "errors.csv"))
    assert done.returncode == 1
    assert "is a log of three-dice-football" in done.stdout
    assert "240 rows read" in done.stdout
    assert "\x1b" not in done.stdout
    assert not done.stderr
    names = {path.name for path in (tmp_path / "audit-out").iterdir()}
    assert names == {"SHA256SUMS", "findings.csv", "findings.json", "quarantine.csv", "report.pdf", "summary.json"}


def test_quiet_is_silent_at_0_and_one_line_else(run: Run) -> None:
    clean = run("check", "log.csv", "--format", "json", "--quiet")
    assert (clean.stdout, clean.stderr) == ("", "")
    for arguments in (["bad.csv"], ["none.csv"], ["log.csv", str(SAMPLES / "dirty.csv")]):
        done = run("check", *arguments, "--format", "json", "--quiet")
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) == 1, done.stderr


def test_the_same_input_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    env = {"SOURCE_DATE_EPOCH": "1772500000"}
    outputs = []
    for folder in ("one", "two"):
        run("check", str(SAMPLES / "errors.csv"), "--out", folder, "--format", "pdf,html,csv,json,parquet", env=env)
        outputs.append({path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()})
    assert outputs[0] == outputs[1]


def test_a_poor_environment_changes_nothing(run: Run, tmp_path: Path) -> None:
    for folder, env in (("rich", {}), ("poor", {"LANG": "C", "LC_ALL": "C", "HOME": "/nonexistent", "TERM": "dumb"})):
        assert (
            run("check", str(SAMPLES / "errors.csv"), "--out", folder, "--format", "csv,json", env=env).returncode == 1
        )
    for name in ("findings.csv", "findings.json", "summary.json"):
        assert (tmp_path / "rich" / name).read_bytes() == (tmp_path / "poor" / name).read_bytes()


def test_terminal_text_obeys_nobody(run: Run, tmp_path: Path) -> None:
    (tmp_path / "evil.csv").write_text("\x1b[31mx,b\x07\n" + "1,2\n", "utf-8")
    head = HEAD.replace("note", "\x1b]0;owned\x07")
    (tmp_path / "esc.csv").write_text(head + row(1) + row(2, table=""), "utf-8")
    done = run("check", "evil.csv", "esc.csv", "--format", "json")
    assert "\x1b" not in done.stdout + done.stderr
    assert "[U+001B]" in done.stdout + done.stderr


def test_color_and_progress_on_a_terminal(tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [str(COMMAND), "check", str(SAMPLES / "errors.csv"), "--format", "json"],
        cwd=tmp_path,
        stdout=follower,
        stderr=follower,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(follower)
    shown = b""
    try:
        while data := os.read(leader, 4096):
            shown += data
    except OSError:
        pass
    assert process.wait() == 1
    assert b"\x1b[31m" in shown
    assert "Reading" in shown.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["rules", "--format", "json"], 0), (["check", str(SAMPLES / "errors.csv"), "--format", "json"], 1)],
    ids=["rules", "check"],
)
def test_a_closed_pipe_changes_no_status(arguments: list[str], status: int, tmp_path: Path) -> None:
    process = subprocess.Popen([str(COMMAND), *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait() == status
    assert process.stderr.read() == b""


@pytest.mark.parametrize(
    ("number", "status", "says"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_interrupted(number: signal.Signals, status: int, says: str, tmp_path: Path) -> None:
    """Ctrl-C, or a polite end, while a log is being read: one line, its status, nothing half-written."""
    fifo = tmp_path / "slow.csv"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [str(COMMAND), "check", "slow.csv", "--format", "json"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # ignored where tests run behind
    )
    time.sleep(1.5)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == status
    assert stderr.strip() == f"throwaudit: {says}"
    assert list((tmp_path / "audit-out").iterdir()) == []


def test_an_internal_error_is_one_line_and_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import audit.output\ndef broken(*_):\n    raise RuntimeError('boom')\naudit.output.prepare = broken\n", "utf-8"
    )
    done = run("check", "log.csv", env={"PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path)})
    assert done.returncode == 70
    (line,) = done.stderr.splitlines()
    assert line.startswith("throwaudit: internal error; details in ")
    assert "RuntimeError: boom" in Path(line.rpartition(" ")[2]).read_text("utf-8")


def test_rules_in_every_form(run: Run) -> None:
    assert len(json.loads(run("rules", "--pack", "three-dice-football", "--format", "json").stdout)) == 59
    assert len(json.loads(run("rules", "--pack", "die", "--format", "json").stdout)) == 31
    entries = json.loads(run("rules", "--format", "json").stdout)
    assert {"code", "clause", "disposition", "title", "needs"} <= set(entries[0])
    table = run("rules").stdout
    assert all(entry["code"] in table for entry in entries)
    assert run("rules", "--format", "md").stdout.startswith("| Code | Clause |")


def test_explain_shows_clause_needs_examples_and_reading(run: Run) -> None:
    shown = run("explain", "tdf-f1").stdout
    for piece in (
        "58 Pa. Code § 661a.5(f)",
        "off1_resting_sides",
        "Conforms",
        "Does not conform",
        "Reading:",
        "→ TDF-F1",
    ):
        assert piece in shown


def test_every_rule_can_be_explained(run: Run) -> None:
    from audit.packs import load_packs
    from audit.record import all_rules

    for pack in load_packs():
        for rule in all_rules(pack):
            done = run("explain", rule.code)
            assert done.returncode == 0, done.stderr
            assert "{" not in done.stdout, rule.code


def test_an_empty_log_from_the_schema_is_a_log(run: Run, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text(run("schema", "three-dice-football", "--format", "csv").stdout, "utf-8")
    done = run("check", "new.csv", "--format", "json")
    assert done.returncode == 0
    schema = json.loads(run("schema", "three-dice-football", "--format", "json").stdout)
    assert [column["column"] for column in schema["columns"] if column["required"]] == [
        "table",
        "throw_id",
        "thrown_at",
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell: str, run: Run) -> None:
    assert "throwaudit" in run(env={"_THROWAUDIT_COMPLETE": f"{shell}_source"}).stdout


def test_completion_knows_rules_and_packs(run: Run) -> None:
    env = {"_THROWAUDIT_COMPLETE": "bash_complete", "COMP_WORDS": "throwaudit explain TDF-F1", "COMP_CWORD": "2"}
    assert [line.split(",")[1] for line in run(env=env).stdout.split()] == ["TDF-F1", "TDF-F10", "TDF-F11"]
