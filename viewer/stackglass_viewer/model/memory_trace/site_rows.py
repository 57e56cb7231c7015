"""Rows of blocks by site and type, with their number and bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s, UInt32s, freeze
from stackglass_viewer.model.memory_trace.live_blocks import BlockFlag, LiveBlocks
from stackglass_viewer.native import _loops


@dataclass(frozen=True, slots=True, eq=False)
class SiteRows:
    """One row per stack, type and ``is_before``; no combination is in two rows. Immutable."""

    stack: UInt32s  # (n,) stack node; 0 = none
    type: UInt32s  # (n,) string; 0 = not known
    is_before: Bools  # (n,) whether the blocks were born before the trace
    n: Int64s  # (n,) number of blocks
    size: Int64s  # (n,) bytes

    def __post_init__(self) -> None:
        freeze(self.stack, self.type, self.is_before, self.n, self.size)

    def __len__(self) -> int:
        return len(self.stack)


def sum_blocks(blocks: LiveBlocks) -> SiteRows:
    """Sum blocks by site and type."""
    is_before = (blocks.flags & BlockFlag.BORN_BEFORE) != 0
    ones = np.ones(len(blocks), dtype=np.int64)
    return sum_rows(
        [SiteRows(blocks.stack, blocks.type, is_before, ones, blocks.size.astype(np.int64))]
    )


def read_sums(replay: _loops.Replay) -> SiteRows:
    """Return the live objects of a replay by site and type."""
    parts = []
    for is_before, columns in enumerate(replay.sum_live()):
        stack = np.asarray(columns["stack"])
        parts.append(
            SiteRows(
                stack,
                np.asarray(columns["type"]),
                np.full(len(stack), bool(is_before)),
                np.asarray(columns["n"]),
                np.asarray(columns["bytes"]),
            )
        )
    return _join(parts)


def sum_rows(parts: Iterable[SiteRows]) -> SiteRows:
    """Sum several tables into one."""
    rows = _join(list(parts))
    if not len(rows):
        return rows
    order = np.lexsort((rows.type, rows.stack, rows.is_before))
    stack, types, before = rows.stack[order], rows.type[order], rows.is_before[order]
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = (
        (stack[1:] != stack[:-1]) | (types[1:] != types[:-1]) | (before[1:] != before[:-1])
    )
    starts = np.flatnonzero(is_first)
    return SiteRows(
        stack[starts],
        types[starts],
        before[starts],
        np.add.reduceat(rows.n[order], starts),
        np.add.reduceat(rows.size[order], starts),
    )


def _join(parts: list[SiteRows]) -> SiteRows:
    if not parts:
        return SiteRows(
            np.empty(0, np.uint32),
            np.empty(0, np.uint32),
            np.empty(0, np.bool_),
            np.empty(0, np.int64),
            np.empty(0, np.int64),
        )
    return SiteRows(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("stack", "type", "is_before", "n", "size")
        )
    )
