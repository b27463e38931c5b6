"""What time it is: of SOURCE_DATE_EPOCH where that is set, so that the same run can be had again to the byte."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime


def now() -> datetime:
    """The present moment, UTC."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)


def stamp() -> str:
    """The present moment, ISO 8601 to the second."""
    return now().isoformat(timespec="seconds")


def today() -> date:
    """The date of SOURCE_DATE_EPOCH where it is set, else of the clock where the house is."""
    return now().date() if os.environ.get("SOURCE_DATE_EPOCH", "").isdigit() else date.today()
