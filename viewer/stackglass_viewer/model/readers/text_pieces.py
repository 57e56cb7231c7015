"""Pieces of a large text, which a loop in C has numbered: equal pieces have the same number.

Each distinct piece is decoded here once, however often it comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.readers.text_rows import Progress
from stackglass_viewer.native import _loops

Numbers = _loops.Column | npt.NDArray[Any]
_FEW = 1 << 14


def list_pieces(content: bytes | bytearray, start: Numbers, length: Numbers) -> Iterator[bytes]:
    """Yield the bytes of each piece, by number."""
    with memoryview(content) as view:
        for begin, n_bytes in list_rows(start, length):
            yield bytes(view[begin : begin + n_bytes])


def list_texts(content: bytes | bytearray, start: Numbers, length: Numbers) -> list[str]:
    """Return the text of each piece, by number; bytes that are not UTF-8 are replaced."""
    start, length = (np.ascontiguousarray(each, dtype=np.int64) for each in (start, length))
    return _loops.decode_pieces(content, start, length)


def list_rows(*columns: Numbers) -> Iterator[tuple[int, ...]]:
    """Yield rows of columns as Python numbers; a list of all of them would take much memory."""
    arrays = [np.asarray(column) for column in columns]
    for first in range(0, len(arrays[0]), _FEW):
        yield from zip(*(each[first : first + _FEW].tolist() for each in arrays), strict=True)


def find_first(numbers: Int32s) -> Int64s:
    """Return where each number comes first. Numbers are in order of first appearance."""
    largest = np.maximum.accumulate(numbers)
    first: Int64s = np.searchsorted(largest, np.arange(largest[-1] + 1 if len(largest) else 0))
    return first


def refuse_long_line(n_bytes: int) -> None:
    """Raise ProfileError if a loop has refused a line of ``n_bytes``; 0 = it has not."""
    if n_bytes:
        raise ProfileError(f"it has a line of {n_bytes} bytes")


def report_to(progress: Progress) -> Callable[[float], bool]:
    """Return ``progress`` in the form that the loops call. An exception of it ends the reading."""

    def report(done: float) -> bool:
        progress(done)
        return True

    return report
