"""The state that a flight recorder's window begins with: flight/module.c, flight/fold.h.

An extension of its own: the recorder's process imports it, and no recorded program has it. One
thread at a time uses a fold. All functions but ``fold_count`` and ``fold_end`` may raise
MemoryError.
"""

from typing import NewType

_Fold = NewType("_Fold", object)

def fold_new() -> _Fold:
    """Return an empty fold."""

def fold_add(fold: _Fold, payload: bytes, packing: int, raw_bytes: int, /) -> None:
    """Apply an event block. Releases the GIL.

    Raises ValueError if the block is damaged: then nothing of it is applied. After a MemoryError
    the fold may lack blocks.
    """

def fold_count(fold: _Fold, /) -> int:
    """Return the number of live blocks."""

def fold_begin(fold: _Fold, /) -> None:
    """Begin a snapshot. Nothing may be added until ``fold_end``."""

def fold_take(fold: _Fold, time_ns: int, /) -> tuple[int, int, int, bytes] | None:
    """Return the number of events, the packing, the unpacked size and the payload of the snapshot's
    next event block; None after the last. Call ``fold_begin`` first. Releases the GIL."""

def fold_end(fold: _Fold, /) -> None:
    """End the snapshot, if one was begun."""
