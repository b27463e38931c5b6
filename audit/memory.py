"""Where memory comes from and goes: the columns of an audit are made, used and freed by the gigabyte."""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import pyarrow as pa

#: glibc's settings, and ours: a heap that grows in large steps, is kept when freed, and takes blocks of any size.
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3
_SETTINGS = {_M_TRIM_THRESHOLD: (1 << 31) - 1, _M_TOP_PAD: 64 << 20, _M_MMAP_THRESHOLD: 1 << 30}
#: From so many events on it is worth looking for memory to give back.
_MANY = 200_000


def use_one_heap() -> None:
    """Let Arrow share the C library's heap, and let freed memory be used again rather than asked for anew.

    The system clears whatever it hands out: for short-lived columns that took longer than filling them.
    """
    mallopt = _of_glibc("mallopt")
    if mallopt is not None:
        for setting, value in _SETTINGS.items():
            mallopt(setting, value)
        pa.set_memory_pool(pa.system_memory_pool())


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
