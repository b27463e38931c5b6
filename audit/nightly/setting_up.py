"""The example configuration."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from audit.errors import OutputError, UsageError


def write_example(path: Path) -> str:
    """Write the example, unless there is a file already; its text. Raises UsageError, OutputError."""
    text = files("audit.nightly").joinpath("example.toml").read_text("utf-8")
    try:
        with path.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError as error:
        raise UsageError(f"{path} is there already: it is left as it is") from error
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
    return text
