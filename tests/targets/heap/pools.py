"""Blocks of pools of the interpreter's small-object allocator, found by address."""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

ALL = 1 << 20  # most entries that are read of the array of arenas
core = load_core()


def find(size, n_arenas):
    """Return the found size of the block of a bytes object of this size."""
    block = bytes(size - sys.getsizeof(b""))
    return core.find_pool_block(id(block), n_arenas)


n_arenas, n_pools, n_live = core.count_pools()
report(
    has_live=n_arenas > 0 and n_pools >= sum(map(bool, n_live)) > 0,
    known={size: find(size, ALL) for size in (48, 256, 512)},
    grown={size: find(size, 0) for size in (48, 256, 512)},
    large=core.find_pool_block(id(bytes(1 << 20)), ALL),
)
