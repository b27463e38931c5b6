"""The bytes behind a column of texts, looked at all at once instead of text by text."""

from __future__ import annotations

from typing import Any

import numpy as np


def _ends(texts: Any) -> np.ndarray[Any, Any]:
    return np.frombuffer(texts.buffers()[1], dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]


def bytes_of(texts: Any) -> np.ndarray[Any, Any]:
    """All bytes of an Arrow array of texts, end to end."""
    data = texts.buffers()[2]
    if data is None or not len(texts):
        return np.zeros(0, dtype=np.uint8)
    ends = _ends(texts)
    return np.frombuffer(data, dtype=np.uint8)[ends[0] : ends[-1]]


def first_bytes(texts: Any) -> np.ndarray[Any, Any]:
    """The first byte of each text that has one."""
    data = texts.buffers()[2]
    if data is None or not len(texts):
        return np.zeros(0, dtype=np.uint8)
    ends = _ends(texts)
    first: np.ndarray[Any, Any] = np.frombuffer(data, dtype=np.uint8)[ends[:-1][ends[:-1] < ends[1:]]]
    return first
