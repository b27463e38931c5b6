"""What all parts of a run work with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.nightly.config import Config
from audit.nightly.ledger import Ledger
from audit.nightly.state import State
from audit.reading.profile import Profile
from rules.kit import Pack


@dataclass
class Work:
    """The configuration, the archive as it stands, and the packs. ``profiles``: of the inboxes, in their order."""

    config: Config
    ledger: Ledger
    state: State
    packs: Sequence[Pack]
    profiles: Sequence[Profile]
