"""Heap map: a raster with addresses downwards, time to the right, and the live bytes of each cell.

::

    position   time ──▶                   axis: only used addresses, without the gaps between them
       │      ┌───┬───┬───┬───┐
       ▼      │ 0 │ 7 │ 7 │ 3 │  live_bytes at the end of each column
              ├───┼───┼───┼───┤
              │ 9 │ 9 │ 2 │ 2 │  key: the type (site, size class, age) with most bytes in the cell
              └───┴───┴───┴───┘
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int64s, UInt32s, UInt64s, freeze


class MapKey(Enum):
    """The property that a map's colours show, which decides what the keys of cells are."""

    TYPE = "type"
    """String of the type's name; 0 = not known."""
    SITE = "site"
    """Stack node of the birth; 0 = none."""
    SIZE_CLASS = "size class"
    """Rounded size in bytes; see ``size_classes``."""
    AGE = "age"
    """Age class n: born at least 2^(n-1) µs before the cell's moment, but less than 2^n; 0 = born
    before the trace began."""


@dataclass(frozen=True, slots=True, eq=False)
class AddressAxis:
    """Used addresses without the gaps between them. Immutable.

    A region is a range of addresses that the trace's objects used at some time. A position is an
    offset in bytes from the top of the axis, on which one region follows another.
    """

    start: UInt64s  # (n_regions,) address, ascending
    size: UInt64s  # (n_regions,) bytes
    position: UInt64s  # (n_regions + 1,) begin of each region on the axis, and the axis's end

    def __post_init__(self) -> None:
        freeze(self.start, self.size, self.position)

    @property
    def total_bytes(self) -> int:
        return int(self.position[-1])

    def to_address(self, position: int) -> int:
        """Return the address at a position; at the end of a region, the begin of the next."""
        if not len(self.start):
            return 0
        found = int(np.searchsorted(self.position, np.uint64(max(position, 0)), side="right")) - 1
        region = min(found, len(self.start) - 1)
        return int(self.start[region]) + max(position, 0) - int(self.position[region])

    def to_position(self, address: int) -> int:
        """Return the position of an address; in a gap, the position of the next region."""
        region = int(np.searchsorted(self.start, np.uint64(address), side="right")) - 1
        if region < 0:
            return 0
        inside = min(address - int(self.start[region]), int(self.size[region]))
        return int(self.position[region]) + inside


class MapWindow(NamedTuple):
    """The part of a trace that a map shows. Ends are exclusive."""

    begin_ns: int
    end_ns: int
    low: int  # positions on the address axis
    high: int


class KeyBytes(NamedTuple):
    """The bytes of each key in a map, summed over its columns.

    The sum of a key counts all its blocks, also in cells that show another key with more bytes. Age
    is the exception: cells have a mean age, and the sum of an age counts the cells that show it.
    """

    key: UInt32s  # (n_keys,) ascending
    bytes: Float64s  # (n_keys,) over 0


@dataclass(frozen=True, slots=True, eq=False)
class HeapMap:
    """A raster of the heap. Immutable.

    Row 0 is at ``window.low``. Column c shows the moment ``moment_ns[c]``: a block that is
    allocated and freed between two columns is not in the map. ``row_bytes`` and ``column_ns`` are
    the resolution. It is coarser than a row or column if the trace is too long to be drawn exactly:
    then neighbouring cells are equal, and a smaller window shows more detail.
    """

    window: MapWindow
    axis: AddressAxis
    key_is: MapKey
    row_position: Int64s  # (n_rows + 1,) edges of the rows on the axis
    moment_ns: Int64s  # (n_columns,)
    live_bytes: Int64s  # (n_rows, n_columns)
    key: UInt32s  # (n_rows, n_columns); undefined for cells with live_bytes 0
    key_bytes: KeyBytes
    row_bytes: int
    column_ns: int
    is_exact: bool  # drawn from events: every block has its own edges

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self.live_bytes.shape[0], self.live_bytes.shape[1]

    def locate(self, row: int, column: int) -> tuple[int, int, int]:
        """Return the lowest address of a cell, the address behind its highest, and its time, ns."""
        low, high = int(self.row_position[row]), int(self.row_position[row + 1])
        begin = self.axis.to_address(low)
        end = self.axis.to_address(max(high - 1, low)) + 1
        return begin, end, int(self.moment_ns[column])
