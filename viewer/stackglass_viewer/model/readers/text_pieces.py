"""Pieces of a large text, which a loop in C has numbered: equal ones have the same number.

What a piece means is read here once, however often it comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from stackglass_viewer.model.readers.text_rows import Progress
from stackglass_viewer.native import _loops


def list_pieces(
    content: bytes | bytearray, start: _loops.Column, length: _loops.Column
) -> Iterator[bytes]:
    """By number: the bytes of each piece."""
    starts, lengths = view_column(start).tolist(), view_column(length).tolist()
    with memoryview(content) as view:
        for begin, n_bytes in zip(starts, lengths, strict=True):
            yield bytes(view[begin : begin + n_bytes])


def view_column(column: _loops.Column) -> Any:
    """(n,) the column's own memory."""
    view = memoryview(column)
    return np.frombuffer(view, dtype=view.format) if len(view) else np.zeros(0, dtype=view.format)


def report_to(progress: Progress) -> Callable[[float], bool]:
    """``progress`` as the loops call it: it ends the reading by what it raises."""

    def report(done: float) -> bool:
        progress(done)
        return True

    return report
