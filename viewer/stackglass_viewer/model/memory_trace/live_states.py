"""Live states: the heap of a trace at any moment, replayed from its checkpoints.

One replay is kept at the moment of the last request. For a moment soon after that, only the events
in between are applied, so playing and scrubbing forward are cheap. For any other moment, the replay
begins at a checkpoint.
"""

from __future__ import annotations

import bisect
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields

import numpy as np

from stackglass_viewer.model.memory_trace.checkpoint_writer import (
    APPLY_NS,
    CHANGE_BYTES,
    CHANGE_NS,
    LOAD_NS,
)
from stackglass_viewer.model.memory_trace.event_reader import EventReader
from stackglass_viewer.model.memory_trace.live_blocks import LiveBlocks, Moment, Space
from stackglass_viewer.model.memory_trace.survey import apply_events
from stackglass_viewer.model.memory_trace.trace_index import Checkpoint, Packed, TraceIndex
from stackglass_viewer.native import _loops

NO_END = (1 << 64) - 1
"""An end of address ranges that is behind all addresses."""


def read_live(
    replay: _loops.Replay,
    space: Space = Space.OBJECT,
    low: int = 0,
    high: int = NO_END,
    *,
    is_own: bool = False,
) -> LiveBlocks:
    """Return the live blocks of a replay that overlap the addresses from ``low`` to ``high``,
    exclusive. ``is_own``: leave out most blocks from before the trace."""
    columns = replay.live(int(space), low, high, is_own)
    return LiveBlocks(*(np.asarray(columns[field.name]) for field in fields(LiveBlocks)))


class LiveStates:
    """The replay of a trace. Any thread; a lock lets only one thread at a time use the replay."""

    def __init__(self, reader: EventReader, index: TraceIndex) -> None:
        self._reader = reader
        self._index = index
        self._events = [each.whole.moment.event for each in index.checkpoints]
        self._lock = threading.Lock()  # guards all below
        self._replay = _loops.Replay(secrets.randbits(64), 0, 0, 0)
        self._replay.begin_from(index.start)
        self._event: int | None = None  # the replay's moment; None = it is at none

    @contextmanager
    def at(self, moment: Moment) -> Iterator[_loops.Replay]:
        """Yield the replay at a moment, to be read only. Raises ContentError."""
        with self._lock:
            self._go_to(moment.event)
            yield self._replay

    @contextmanager
    def advance_from(self, moment: Moment) -> Iterator[_loops.Replay]:
        """Yield the replay at a moment, for the caller to apply further events. The next request
        begins at a checkpoint."""
        with self.at(moment) as replay:
            self._event = None
            yield replay

    def find_checkpoint(self, event: int) -> tuple[Checkpoint, int]:
        """Return the last checkpoint at or before ``event``, and how many of its steps are at or
        before ``event``."""
        checkpoint = self._index.checkpoints[bisect.bisect_right(self._events, event) - 1]
        steps = checkpoint.steps
        return checkpoint, bisect.bisect_right(steps, event, key=lambda step: step.moment.event)

    def measure_reach(self, event: int) -> int:
        """Return the estimated time of a replay from a checkpoint to an event, ns, by the costs
        of ``checkpoint_writer``."""
        checkpoint, n_steps = self.find_checkpoint(event)
        return _measure(checkpoint, n_steps, event)

    def _go_to(self, event: int) -> None:
        """Move the replay to an event: on from its moment, or from a checkpoint if that is
        cheaper."""
        checkpoint, n_steps = self.find_checkpoint(event)
        begin = self._event
        self._event = None  # after an error the replay is at no moment
        if (
            begin is None
            or begin > event
            or (event - begin) * APPLY_NS > _measure(checkpoint, n_steps, event)
        ):
            self._load(checkpoint, n_steps)
            begin = _find_last(checkpoint, n_steps).moment.event
        for _, events in self._reader.read(begin, event):
            apply_events(self._replay, events)
        self._event = event
        for births, addresses, types in self._reader.list_proofs(event):
            self._replay.resolve(addresses, births, types)

    def _load(self, checkpoint: Checkpoint, n_steps: int) -> None:
        read = self._index.side_file.read
        whole = checkpoint.whole
        self._replay.load(read(whole.content, np.uint8), read(whole.groups, np.uint64))
        for step in checkpoint.steps[:n_steps]:
            self._replay.apply_delta(read(step.content, np.uint8), read(step.groups, np.uint64))


def _find_last(checkpoint: Checkpoint, n_steps: int) -> Packed:
    """Return the last of ``n_steps`` steps, or the checkpoint itself for 0 steps."""
    return checkpoint.steps[n_steps - 1] if n_steps else checkpoint.whole


def _measure(checkpoint: Checkpoint, n_steps: int, event: int) -> int:
    """Return the estimated time to load a checkpoint and advance to ``event``, ns."""
    steps_bytes = sum(step.content.n_bytes for step in checkpoint.steps[:n_steps])
    n_events = event - _find_last(checkpoint, n_steps).moment.event
    changes = steps_bytes // CHANGE_BYTES
    return checkpoint.n_blocks * LOAD_NS + changes * CHANGE_NS + n_events * APPLY_NS
