"""Numbers that stand for texts: eight bytes an id, however long it is, where millions of them must be told apart."""

from __future__ import annotations

from typing import Any

import numpy as np

Fingerprints = np.ndarray[Any, np.dtype[np.uint64]]

_WORD = 8
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
#: What counts of a word of which so many bytes belong to the text.
_KEPT = np.array([(1 << 8 * kept) - 1 for kept in range(_WORD + 1)], dtype=np.uint64)
#: So many texts at a time: what is in hand stays in the processor's cache.
_TOGETHER = 16_384


def fingerprints(texts: Any) -> Fingerprints:
    """For each text of an Arrow string array a number; equal texts have equal ones, others hardly ever.

    Whoever finds two equal numbers compares the texts: somebody may have chosen them so. Null stands as ``""`` does.
    """
    bounds = np.frombuffer(texts.buffers()[1], dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    start, size = bounds[:-1].astype(np.int64), np.diff(bounds)
    if texts.null_count:
        size = np.where(texts.is_valid().to_numpy(zero_copy_only=False), size, 0)
    result: Fingerprints = size.astype(np.uint64) * _FACTOR
    if not len(result) or not bounds[-1]:
        return result
    data = np.zeros(int(bounds[-1]) + _WORD, dtype=np.uint8)
    data[: bounds[-1]] = np.frombuffer(texts.buffers()[2], dtype=np.uint8)[: bounds[-1]]
    words = np.ndarray((int(bounds[-1]) + 1,), dtype="<u8", buffer=data, strides=(1,))
    for begin in range(0, len(result), _TOGETHER):
        part = slice(begin, begin + _TOGETHER)
        _mix(result[part], words, start[part], size[part])
    return result


def _mix(result: Fingerprints, words: Fingerprints, start: Any, left: Any) -> None:
    """Take the texts into their numbers, a word at a time; of those that end sooner nothing more."""
    rows: Any = slice(None)
    while True:
        if int(left.min(initial=_WORD)) <= 0:
            going = np.flatnonzero(left > 0)
            if not len(going):
                return
            rows = going if isinstance(rows, slice) else rows[going]
            start, left = start[going], left[going]
        word = words[start] & _KEPT[np.minimum(left, _WORD)]
        mixed = (result[rows] ^ word) * _FACTOR
        result[rows] = mixed ^ (mixed >> np.uint64(29))
        start, left = start + _WORD, left - _WORD
