"""Tables of addresses and pages: no file can be made to put all keys into one slot."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness.compiled import compile_library
from stackglass_viewer.model.columns.index import UInt64s
from stackglass_viewer.model.memory_trace.events import EventKind
from stackglass_viewer.native import _loops

N = 20_000
NUMBER = np.arange(N, dtype=np.uint64)
SEEDS = (0, 1, 0x0123456789ABCDEF, 2**64 - 1)
LONGEST_RUN = N // 40
"""Limit for slots in use one after another: a search goes through one run at most."""

SOURCES = Path(_loops.__file__).parent


def enter_addresses(seed: int, address: UInt64s) -> int:
    """Return the longest run in a table of blocks with these addresses."""
    library = ctypes.CDLL(compile_library("block_table.c", "now", "-D_GNU_SOURCE", f"-I{SOURCES}"))
    library.longest_run.argtypes = (ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
    library.longest_run.restype = ctypes.c_long
    address = np.ascontiguousarray(address)
    return int(library.longest_run(seed, address.ctypes.data, len(address)))


def enter_pages(seed: int, page: UInt64s) -> int:
    """Return the longest run in a table of pages."""
    keys, bases, slots = np.zeros((3, 4 * 2**14), dtype=np.uint64)
    events = (
        np.full(N, EventKind.SPAN, dtype=np.uint8),
        page.copy(),
        np.ones(N, dtype=np.uint64),
        np.ones(N, dtype=np.uint32),
    )
    done, n_used = _loops.size_go_objects((keys, bases, slots, 0, 1, seed), *events, 0)
    assert (done, n_used) == (N, N)
    is_free = np.flatnonzero(np.concatenate([[0], keys, [0]]) == 0)
    return int(np.diff(is_free).max()) - 1


def invert(hashes: UInt64s) -> UInt64s:
    """The keys that have these hashes if only the constant multiplies them."""
    return hashes * np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("enter", "keys"),
    [
        (enter_addresses, NUMBER),
        (enter_addresses, NUMBER << np.uint64(48)),
        (enter_pages, NUMBER),
        (enter_pages, invert(NUMBER << np.uint64(48) | NUMBER << np.uint64(16))),
    ],
)
def test_keys_chosen_by_a_file_do_not_meet(
    enter: Callable[[int, UInt64s], int], keys: UInt64s, seed: int
) -> None:
    assert enter(seed, keys) < LONGEST_RUN
