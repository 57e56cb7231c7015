"""Counts of the work that a function does: the same on every machine, unlike its time."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

_FILES = "stackglass_viewer"
_READERS = frozenset(("all", "any", "copy", "count", "index", "max", "min", "nonzero", "sum"))
"""Methods of lists and arrays that read all items."""


def count_lines(work: Callable[[], object]) -> int:
    """Count the lines of the viewer's Python code that run; a line runs once a round of a loop."""
    n_lines = 0

    def record(frame: FrameType, event: str, _argument: Any) -> Callable[..., Any] | None:
        nonlocal n_lines
        if _FILES not in frame.f_code.co_filename:
            return None
        n_lines += event == "line"
        return record

    _trace(work, record)
    return n_lines


def count_allocated_bytes(work: Callable[[], object]) -> int:
    """Count the bytes that lines of the viewer's Python code allocate, freed ones included."""
    n_bytes = before = 0

    def record(frame: FrameType, _event: str, _argument: Any) -> Callable[..., Any] | None:
        nonlocal n_bytes, before
        if _FILES not in frame.f_code.co_filename:
            return None
        now, peak = tracemalloc.get_traced_memory()
        n_bytes += peak - before
        tracemalloc.reset_peak()
        before = now
        return record

    tracemalloc.start()
    try:
        _trace(work, record)
    finally:
        tracemalloc.stop()
    return n_bytes


def count_read_items(work: Callable[[], object]) -> int:
    """Count the items of the lists and arrays that a method reads as a whole, at each call."""
    n_items = 0

    def record(_frame: FrameType, event: str, argument: Any) -> None:
        nonlocal n_items
        if event == "c_call" and argument.__name__ in _READERS:
            owner = argument.__self__
            if isinstance(owner, list | tuple | np.ndarray):
                n_items += np.size(owner) if isinstance(owner, np.ndarray) else len(owner)

    before = sys.getprofile()
    sys.setprofile(record)
    try:
        work()
    finally:
        sys.setprofile(before)
    return n_items


def _trace(work: Callable[[], object], record: Callable[..., Any]) -> None:
    before = sys.gettrace()
    sys.settrace(record)
    try:
        work()
    finally:
        sys.settrace(before)
