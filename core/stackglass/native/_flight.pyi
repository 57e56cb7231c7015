"""The state that a flight recorder's window begins with: flight/module.c, flight/fold.h.

An extension of its own: the recorder's process imports it, and no recorded program has it. One
thread at a time uses a fold. All functions but ``fold_count`` may raise MemoryError.
"""

from typing import NewType

_Fold = NewType("_Fold", object)

def fold_new() -> _Fold:
    """An empty fold. Raises MemoryError."""

def fold_add(fold: _Fold, payload: bytes, packing: int, raw_bytes: int, /) -> None:
    """Apply an event block; releases the GIL. Raises ValueError if it is damaged: then nothing of
    it is applied."""

def fold_count(fold: _Fold, /) -> int:
    """How many blocks live."""

def fold_begin(fold: _Fold, /) -> None:
    """Begin a snapshot; nothing may be added until ``fold_end``."""

def fold_take(fold: _Fold, time_ns: int, /) -> tuple[int, int, int, bytes] | None:
    """Number of events, packing, raw bytes and payload of the snapshot's next block; None = it is
    done. Releases the GIL."""

def fold_end(fold: _Fold, /) -> None: ...
