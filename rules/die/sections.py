from __future__ import annotations

from typing import Any

from rules.batch import Batch
from rules.sections import Section


def sections(batch: Batch, shown: Any) -> tuple[Section, ...]:
    return ()
