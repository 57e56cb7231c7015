"""Fold of older event blocks. What a window begins with: tests/core/stackglass/wire."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np

from harness.event_blocks import encode_block
from harness.session_file import LOST, NATIVE, OBJ, OBJECT_ALLOC, OBJECT_FREE
from stackglass.native import _flight
from stackglass_viewer.native import _loops

LARGEST = 2**62 - 1


def fold(*events: tuple[int, int]) -> int:
    """The number of live blocks after events of these kinds at these addresses."""
    kinds, addresses = zip(*events, strict=True)
    block = encode_block({"kind": kinds, "address": addresses, "time_ns": range(len(events))})
    live = _flight.fold_new()
    _flight.fold_add(live, block.payload, block.packing, block.raw_bytes)
    return _flight.fold_count(live)


def read_rss_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE


def test_threads_that_come_and_go_take_no_memory() -> None:
    """The blocks of each are at sites of its own. One block of the first thread stays, at its."""
    n_threads, n_blocks = 30_000, 40
    address = np.repeat(np.arange(1, n_threads + 1) << 12, 2)
    kind = np.tile([OBJECT_ALLOC, OBJECT_FREE], n_threads)
    kind[1] = OBJECT_ALLOC
    live = _flight.fold_new()
    before_bytes = 0
    for number in range(n_blocks):
        tid = np.repeat(np.arange(n_threads) + number * n_threads, 2) + 1
        block = encode_block(
            {"kind": kind, "address": address, "tid": tid, "time_ns": np.arange(2 * n_threads)}
        )
        kind[1] = OBJECT_FREE
        address[:2] = 1 << 40
        _flight.fold_add(live, block.payload, block.packing, block.raw_bytes)
        before_bytes = before_bytes or read_rss_bytes()
    assert read_rss_bytes() - before_bytes < 8 << 20
    assert _flight.fold_count(live) == 1


def test_addresses_that_no_process_has_are_left_out() -> None:
    assert (
        fold((OBJECT_ALLOC, LARGEST), (OBJECT_ALLOC, LARGEST + 1), (OBJECT_ALLOC, 2**64 - 1)) == 1
    )
    assert fold((OBJECT_ALLOC, 0x1000), (OBJECT_FREE, 2**62 + 0x1000)) == 1
    assert fold((OBJECT_ALLOC, 0x1000), (OBJECT_FREE, 0x1000)) == 0


def test_a_snapshot_that_was_not_begun_is_complete() -> None:
    assert _flight.fold_take(_flight.fold_new(), 1) is None


def test_a_snapshot_repeats_losses_without_a_number() -> None:
    """A block for which memory was short is reported as lost in each domain, with the number of its
    events in the first."""
    kinds = [OBJECT_ALLOC, OBJECT_ALLOC, LOST]
    block = encode_block(
        {
            "kind": kinds,
            "address": [0x1000, 0x2000, 0],
            "size": [16, 16, 0],
            "domain": [NATIVE, OBJ, NATIVE],
            "time_ns": range(3),
        }
    )
    live = _flight.fold_new()
    _flight.fold_add(live, block.payload, block.packing, block.raw_bytes)
    _flight.fold_begin(live)
    events: list[tuple[int, int, int]] = []
    while taken := _flight.fold_take(live, 9):
        _, packing, raw_bytes, payload = taken
        decoded = _loops.decode_event_block(payload, packing, raw_bytes)
        columns = [np.asarray(decoded[name]).tolist() for name in ("kind", "domain", "address")]
        events += zip(*columns, strict=True)
    _flight.fold_end(live)
    losses = [n for n, (kind, domain, _) in enumerate(events) if (kind, domain) == (LOST, NATIVE)]
    addresses = [address for *_, address in events]
    assert len(losses) == 1
    assert addresses.index(0x1000) < losses[0] < addresses.index(0x2000)
