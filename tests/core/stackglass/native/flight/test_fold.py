"""Fold of older event blocks. What a window begins with: tests/core/stackglass/wire."""

from __future__ import annotations

from harness.event_blocks import encode_block
from harness.session_file import OBJECT_ALLOC, OBJECT_FREE
from stackglass.native import _flight

LARGEST = 2**62 - 1


def fold(*events: tuple[int, int]) -> int:
    """The number of live blocks after events of these kinds at these addresses."""
    kinds, addresses = zip(*events, strict=True)
    block = encode_block({"kind": kinds, "address": addresses, "time_ns": range(len(events))})
    live = _flight.fold_new()
    _flight.fold_add(live, block.payload, block.packing, block.raw_bytes)
    return _flight.fold_count(live)


def test_addresses_that_no_process_has_are_left_out() -> None:
    assert (
        fold((OBJECT_ALLOC, LARGEST), (OBJECT_ALLOC, LARGEST + 1), (OBJECT_ALLOC, 2**64 - 1)) == 1
    )
    assert fold((OBJECT_ALLOC, 0x1000), (OBJECT_FREE, 2**62 + 0x1000)) == 1
    assert fold((OBJECT_ALLOC, 0x1000), (OBJECT_FREE, 0x1000)) == 0


def test_a_snapshot_that_was_not_begun_is_complete() -> None:
    assert _flight.fold_take(_flight.fold_new(), 1) is None
