"""Index of a trace: sums and checkpoints from one replay, for all later queries.

Columns that grow with the trace are in the side file; the rest has a limited size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int64s, UInt32s
from stackglass_viewer.model.memory_trace.events import EventColumns
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.side_file import Extent, SideFile
from stackglass_viewer.native._loops import StartBlocks

N_BINS = 1024
"""Number of time bins of the allocation rates."""

NO_LINE, OTHER_LINES = -1, -2
"""Values of ``LineRates.location`` for births without a stack, and for all lines without a row."""

SITE_LIFETIMES_NS = (10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9)
"""Ends of the lifetime classes of a site; the last class has no end."""


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Pieces of the ordered events: one row each. Immutable."""

    first_event: Int64s  # (n_pieces + 1,) number of each piece's first event; the last is the total
    end_ns: Int64s  # (n_pieces,) time of the last event
    live_bytes: Int64s  # (n_pieces,) bytes of live objects after the last event
    live_objects: Int64s  # (n_pieces,) number of live objects after the last event
    peak_bytes: Int64s  # (n_pieces,) the largest number of live bytes after any event of the piece


class Packed(NamedTuple):
    """The live blocks at a moment, or the changes up to it, in the side file."""

    moment: Moment
    content: Extent
    groups: Extent


class Checkpoint(NamedTuple):
    """The live blocks at a moment, without those of the start snapshot, and the steps after it.
    Each step has the changes since the previous step.

    ::

        checkpoint ──▶ step ──▶ step ──▶ … ──▶ next checkpoint
    """

    whole: Packed
    n_blocks: int
    steps: tuple[Packed, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SiteSums:
    """Allocations by site: one row per stack, or per type for allocations without a stack.
    Immutable."""

    stack: UInt32s  # (n,) stack node; 0 = none
    type: UInt32s  # (n,) string; 0 = not known, or there is a stack
    n: Int64s  # (n,) blocks
    size: Int64s  # (n,) bytes
    n_dead: Int64s  # (n, 8) number of freed blocks by lifetime, see ``SITE_LIFETIMES_NS``
    bytes_dead: Int64s  # (n, 8) bytes of freed blocks by lifetime


class SiteStep(NamedTuple):
    """Allocations by site between two checkpoints, as columns in the side file."""

    until: Moment
    stack: Extent
    type: Extent
    n: Extent
    size: Extent


class ProofStep(NamedTuple):
    """Types of live blocks that were proven up to a moment, as columns in the side file.

    Most of the blocks were born in the generation before, since types are read at its end.
    """

    until: Moment
    first_birth: int  # the least of ``birth_event``
    birth_event: Extent  # ascending
    address: Extent
    type: Extent


@dataclass(frozen=True, slots=True, eq=False)
class Lifetimes:
    """Freed blocks by lifetime. Immutable.

    Class n holds lifetimes from 2^(n-1) ns to less than 2^n; class 0 holds lifetimes of 0 ns.
    """

    n: Int64s  # (64,)
    size: Int64s  # (64,) bytes
    n_born_before: int  # freed blocks from before the trace, which have no known lifetime
    bytes_born_before: int


@dataclass(frozen=True, slots=True, eq=False)
class TypeRates:
    """Allocations by type and time. Immutable."""

    edges_ns: Int64s  # (n_bins + 1,)
    type: UInt32s  # (n_types,) string; 0 = not known. Most bytes first
    n: Int64s  # (n_types, n_bins) blocks
    size: Int64s  # (n_types, n_bins) bytes

    def per_second(self) -> Float64s:
        """Return the bytes per second: (n_types, n_bins)."""
        seconds = np.diff(self.edges_ns) / 1e9
        return self.size / np.maximum(seconds, 1e-9)


@dataclass(frozen=True, slots=True, eq=False)
class LineRates:
    """Allocations by line of code and time. A trace without stacks has no rows. Immutable.

    A bin is one or several bins of ``TypeRates``.
    """

    edges_ns: Int64s  # (n_bins + 1,)
    location: Int64s  # (n_lines,) location, ``NO_LINE`` or ``OTHER_LINES``. Most bytes first
    n: Int64s  # (n_lines, n_bins) blocks
    size: Int64s  # (n_lines, n_bins) bytes


@dataclass(frozen=True, slots=True, eq=False)
class GranuleLog:
    """The live bytes of each granule (16 KiB of addresses) at steps of time; see
    ``memory_granules.h``."""

    number: Extent  # (n_granules,) uint64
    step_ns: Int64s  # (n_steps,)
    step_start: Int64s  # (n_steps + 1,)
    key_steps: Int64s  # (n_keys,) steps that have all granules in use
    granule: Extent
    bytes: Extent
    type: Extent
    stack: Extent
    size_class: Extent
    birth_ns: Extent
    wide: dict[str, Extent]  # objects larger than a granule: address, size, birth_ns, …


class Troubles(NamedTuple):
    """Counts of losses and inconsistencies in a trace."""

    n_lost: int  # events that the recorder reports as lost
    n_unknown_frees: int  # frees of blocks without a birth: from before the trace, or lost
    n_overwritten: int  # blocks that were replaced at their address without a free
    n_dropped: int  # Go's objects that ended with their span


@dataclass(frozen=True, slots=True, eq=False)
class TraceIndex:
    """The index. Times are ns by the session's clock. Immutable."""

    begin_ns: int  # time of the first event
    end: Moment
    peak: Moment
    peak_bytes: int
    pieces: Pieces
    start: StartBlocks  # frozen
    checkpoints: tuple[Checkpoint, ...]
    sites: SiteSums
    site_steps: tuple[SiteStep, ...]
    proofs: tuple[ProofStep, ...]
    lifetimes: Lifetimes
    rates: TypeRates
    line_rates: LineRates
    granules: GranuleLog
    lane_events: EventColumns  # collections, regions, tasks, logs
    troubles: Troubles
    side_file: SideFile
