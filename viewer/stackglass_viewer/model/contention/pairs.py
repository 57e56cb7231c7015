"""Pairs of holders and waiters, for each row of a contention table.

A pair is a stack that released a lock and a stack that waited for it meanwhile. A row of the block
table shows its holders, a row of the mutex table its waiters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.contention.buckets import ContentionColumn
from stackglass_viewer.model.contention.snapshot import ContentionFilter, ContentionMoment
from stackglass_viewer.model.contention.stacks import CaptureStacks, stacks_of_capture
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.native import _loops

OTHER_SIDE = {
    ContentionKind.BLOCK: ContentionKind.MUTEX,
    ContentionKind.MUTEX: ContentionKind.BLOCK,
}
"""The kind of the other side of a pair: the waiter's is BLOCK, the holder's is MUTEX."""

KeysOf = Callable[[Int32s, Int32s], Int64s]  # from nodes and locks to the keys of a table's rows


@dataclass(frozen=True, slots=True)
class PairSide:
    """A holder or a waiter that belongs to a row."""

    line: LineName
    stack: int  # the engine's node
    count: int
    total_ns: int


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The pairs of a table's rows: row by row, each with the longest delay first. Immutable."""

    start: Int64s  # (n_rows + 1,) row i has the pairs start[i]:start[i + 1]
    stack: Int64s  # (n,) the engine's node of the other side's stack
    where: Int32s  # (n,) line of the other side
    columns: Int64s  # (2, n) by ContentionColumn
    stacks: CaptureStacks | None  # None = there are no pairs

    def __post_init__(self) -> None:
        freeze(self.start, self.stack, self.where, self.columns)

    def list_sides(self, row: int, most: int) -> list[PairSide]:
        """Return at most ``most`` holders or waiters of a row, the longest delay first."""
        if self.stacks is None or not 0 <= row < len(self.start) - 1:
            return []
        begin, end = self.start[row : row + 2].tolist()
        return [
            PairSide(
                line=self.stacks.names.name_line(int(self.where[at])),
                stack=int(self.stack[at]),
                count=int(self.columns[ContentionColumn.COUNT, at]),
                total_ns=int(self.columns[ContentionColumn.DELAY, at]),
            )
            for at in range(begin, min(end, begin + most))
        ]


NO_PAIRS = Pairs(
    start=np.zeros(1, dtype=np.int64),
    stack=np.zeros(0, dtype=np.int64),
    where=np.zeros(0, dtype=np.int32),
    columns=np.zeros((2, 0), dtype=np.int64),
    stacks=None,
)


def build_pairs(
    moment: ContentionMoment,
    kind: ContentionKind,
    wanted: ContentionFilter,
    keys_of: KeysOf,
    row_keys: Int64s,
) -> Pairs:
    """Return the pairs of a table's rows. ``row_keys``: (n_rows,) the key of each row, as
    ``keys_of`` computes it. Any thread."""
    if kind not in OTHER_SIDE:
        return NO_PAIRS
    # Pairs have the primitive of one side only, so they are not filtered by it; the rows are.
    mask = moment.choose(ContentionKind.PAIR, ContentionFilter(wanted.lock))
    mask &= moment.values.columns[ContentionColumn.COUNT] > 0
    near, far = moment.buckets.node, moment.buckets.other_node
    near_labels = moment.buckets.labels
    if kind is ContentionKind.BLOCK:
        near, far, near_labels = far, near, moment.buckets.other_labels
    mask &= moment.have_labels(near_labels, wanted.labels)
    near, far = near[mask], far[mask]
    row = _find_rows(keys_of(near, moment.buckets.lock[mask]), row_keys)
    is_shown = row >= 0
    columns = moment.values.columns[:, mask][:, is_shown]
    sides, group = np.unique(
        np.stack((row[is_shown], far[is_shown].astype(np.int64))), axis=1, return_inverse=True
    )
    totals = np.zeros((2, sides.shape[1]), dtype=np.int64)
    groups: Int32s = group.reshape(-1).astype(np.int32)
    for total, column in zip(totals, columns, strict=True):
        _loops.sum_own(groups, np.ascontiguousarray(column), total)
    order = np.lexsort((-totals[ContentionColumn.DELAY], sides[0]))
    stacks = stacks_of_capture(moment.definitions)
    stack = sides[1][order]
    return Pairs(
        start=np.searchsorted(sides[0][order], np.arange(len(row_keys) + 1)).astype(np.int64),
        stack=stack,
        where=stacks.find_callers(stack.astype(np.int32)),
        columns=np.ascontiguousarray(totals[:, order]),
        stacks=stacks,
    )


def _find_rows(keys: Int64s, row_keys: Int64s) -> Int64s:
    """Return the row of each key: (n,); -1 = no row has the key."""
    if len(row_keys) == 0:
        return np.full(len(keys), -1, dtype=np.int64)
    order = np.argsort(row_keys, kind="stable")
    place = np.minimum(np.searchsorted(row_keys[order], keys), len(row_keys) - 1)
    found = order[place]
    return np.asarray(np.where(row_keys[found] == keys, found, -1), dtype=np.int64)
