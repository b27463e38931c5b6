"""Exit statuses. People script against them."""

from enum import IntEnum


class Exit(IntEnum):
    """What the command's exit status means; the contract fixes the numbers."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    INCOMPLETE = 3
    BUSY = 4
    INTERNAL = 70
    INTERRUPTED = 130
