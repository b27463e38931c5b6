"""Give back to the system what is no longer needed: between its phases an audit of millions of events frees much."""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import pyarrow as pa

_M_MMAP_THRESHOLD = -3
#: Blocks from this size on are the system's again as soon as they are freed.
_LARGE = 4 << 20
#: From so many events on it is worth looking for memory to give back.
_MANY = 200_000


def hold_no_large_blocks() -> None:
    """Let large blocks of memory go back at once when they are freed, rather than lie in a heap that only grows."""
    mallopt = _of_glibc("mallopt")
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE)


def give_back(events: int) -> None:
    """Free what only refers to itself (a batch and its view do), and hand free memory back to the system.

    Looking for it takes longer than a small audit does, and finds little there.
    """
    if events < _MANY:
        return
    gc.collect()
    pa.default_memory_pool().release_unused()
    trim = _of_glibc("malloc_trim")
    if trim is not None:
        trim(0)


def _of_glibc(name: str) -> Any:
    """A function of the C library; ``None`` where it is not glibc: the audit does without, in more memory."""
    try:
        return getattr(ctypes.CDLL(None), name, None)
    except (OSError, TypeError):
        return None
