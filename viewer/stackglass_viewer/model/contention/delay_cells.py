"""Waits by size: a sparse histogram for each bucket.

Class n counts the waits of 2^n … 2^(n+1) - 1 ns.

A bucket uses few of its 64 classes, so only cells that have waits are stored, in this order::

    bucket   0    0    2        ◀── cell = bucket * N_DELAYS + class
    class   20   23   20
    count    2    1    7
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.downsampling import AgedRows
from stackglass_viewer.model.columns.index import Bools, Int64s, freeze
from stackglass_viewer.model.columns.packed_table import Tables
from stackglass_viewer.native import _loops

N_DELAYS = 64


@dataclass(frozen=True, slots=True, eq=False)
class DelayCells:
    """One row per class of a bucket that has waits, or had some earlier. Immutable."""

    cell: Int64s  # (n_cells,) ascending, each once
    count: Int64s  # (n_cells,)

    def set_counts(self, cell: Int64s, count: Int64s) -> tuple[DelayCells, Int64s]:
        """Return the cells with new counts for the cells given, and the growth of each, (n,).

        If a cell is given twice, the last count is stored, and the earlier entry has growth 0.
        """
        _, last = np.unique(cell[::-1], return_index=True)
        last = len(cell) - 1 - last
        given = cell[last]
        at, is_known = self._find(given)
        counts = self.count.copy()
        growth = np.zeros(len(cell), dtype=np.int64)
        growth[last] = count[last]
        growth[last[is_known]] -= counts[at[is_known]]
        counts[at[is_known]] = count[last[is_known]]
        is_new = ~is_known
        cells = np.insert(self.cell, at[is_new], given[is_new])
        return make_cells(cells, np.insert(counts, at[is_new], count[last[is_new]])), growth

    def subtract(self, earlier: DelayCells) -> DelayCells:
        """Return the waits since ``earlier``, which has no cells that are missing here."""
        at, _ = self._find(earlier.cell)
        counts = self.count.copy()
        counts[at] -= earlier.count
        return make_cells(self.cell, counts)

    def find_top(self, bucket: Int64s) -> tuple[Int64s, Int64s]:
        """Return the largest class of each bucket that has waits, -1 = none, and the number of
        waits in it: (n,) each."""
        is_used = self.count > 0
        cell, count = np.append(-1, self.cell[is_used]), np.append(0, self.count[is_used])
        last = np.searchsorted(cell, (bucket + 1) * N_DELAYS) - 1  # the last before the next bucket
        own, size = np.divmod(cell[last], N_DELAYS)
        has_any = own == bucket
        return np.where(has_any, size, -1), np.where(has_any, count[last], 0)

    def sum_groups(self, bucket: Int64s, group: Int64s, n_groups: int) -> Int64s:
        """Return the waits of groups of buckets by class: (n_groups, N_DELAYS).

        ``group``: the group of each ``bucket``; -1 = none. A bucket is in one group at most.
        """
        own, size = np.divmod(self.cell, N_DELAYS)
        n_buckets = max(own.max(initial=-1), bucket.max(initial=-1)) + 1
        group_of = np.full(n_buckets, -1, dtype=np.int64)
        group_of[bucket] = group
        own_group = group_of[own]
        is_in = own_group >= 0
        sums = np.zeros(n_groups * N_DELAYS, dtype=np.int64)
        cell = (own_group[is_in] * N_DELAYS + size[is_in]).astype(np.int32)
        _loops.sum_own(cell, self.count[is_in], sums)
        made = sums.reshape(n_groups, N_DELAYS)
        freeze(made)
        return made

    def _find(self, cell: Int64s) -> tuple[Int64s, Bools]:
        """Return the row where each cell is or would be inserted, and whether it exists: (n,)."""
        at = np.searchsorted(self.cell, cell)
        is_known = at < len(self.cell)
        is_known[is_known] = self.cell[at[is_known]] == cell[is_known]
        return at, is_known


def make_cells(cell: Int64s, count: Int64s) -> DelayCells:
    """Return cells of these columns, which become read-only."""
    freeze(cell, count)
    return DelayCells(cell, count)


NO_CELLS = make_cells(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def sum_cells(tables: Tables[AgedRows], after: int, until: int | None) -> DelayCells:
    """Sum the rows after one moment and until another, None = now, into cells. The ``bucket`` of
    each row is a cell, its value the number of waits."""
    cells, counts = [NO_CELLS.cell], [NO_CELLS.count]
    for table in tables.list_near(after + 1, np.iinfo(np.int32).max if until is None else until):
        is_inside = table.until > after
        if until is not None:
            is_inside &= table.until <= until
        cells.append(table.bucket[is_inside].astype(np.int64))
        counts.append(table.values[0][is_inside])
    cell, inverse = np.unique(np.concatenate(cells), return_inverse=True)
    count = np.zeros(len(cell), dtype=np.int64)
    _loops.sum_own(inverse.astype(np.int32), np.concatenate(counts), count)
    return make_cells(cell, count)


def bound_longest(top: Int64s) -> Int64s:
    """Return the upper bound of the class ``top``, ns: (n,). Every wait of a bucket was shorter
    than the bound of its largest class. 0 for class -1."""
    bound = np.left_shift(np.int64(1), np.minimum(top + 1, 62))
    return np.asarray(np.where(top >= 0, bound, 0), dtype=np.int64)
