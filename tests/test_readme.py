"""What the README shows is what the commands print."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCKS = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
SHOWN = [
    (command, printed)
    for block in BLOCKS
    for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


@pytest.mark.parametrize(("command", "printed"), SHOWN, ids=[command for command, _ in SHOWN])
def test_readme_command(command: str, printed: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sample_logs", tmp_path / "sample_logs")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    assert done.stdout + done.stderr == printed
