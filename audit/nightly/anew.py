"""Archived days audited anew, a process a processor: which of them come out as they were reported.

The processes only read. A day that comes out differently, or that none of them got to, is left to the run itself.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import TYPE_CHECKING

from audit.nightly.config import Config
from audit.nightly.state import SiteDay

if TYPE_CHECKING:
    from audit.nightly.issuing import Issuing

_issuing: Issuing | None = None


def confirmed(config: Config, windows: Sequence[Sequence[SiteDay]]) -> set[SiteDay]:
    """The days (of ``windows``, each audited together) whose report stands, and is entered as it would be now."""
    processes = min(os.cpu_count() or 1, len(windows))
    if processes < 2:
        return set()
    found: set[SiteDay] = set()
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_begin, initargs=(config,))
    try:
        for days in pool.map(_confirmed, windows):
            found.update(days)
    except BrokenProcessPool:  # one was killed, for want of memory perhaps: what is left is audited here
        pass
    finally:
        for process in list((pool._processes or {}).values()):  # whatever ends this ends them
            process.terminate()
        pool.shutdown(cancel_futures=True)
    return found


def _begin(config: Config) -> None:
    """In each process: read the archive's ledger, and end when the run does, however it ends."""
    global _issuing
    from audit.memory import use_one_heap
    from audit.nightly.issuing import Issuing
    from audit.nightly.run import open_archive
    from audit.packs import load_packs

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run is told, and ends this
    Thread(target=_end_with_parent, daemon=True).start()
    use_one_heap()
    ledger, state = open_archive(config)
    profiles = [inbox.loaded_profile() for inbox in config.inboxes]
    _issuing = Issuing(config, ledger, state, load_packs(), profiles, lambda _: None, threads=1)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _confirmed(days: Sequence[SiteDay]) -> list[SiteDay]:
    assert _issuing is not None
    same = []
    for audited in _issuing.audited(days):
        issue = _issuing.confirmed(audited)
        if issue is not None and issue == _issuing.state.issue(audited.where):
            same.append(audited.where)
    return same
