"""Live states: the heap of a trace at any moment, from its checkpoints.

One replay is kept at the last moment. Going on from there is as cheap as the events in between, so
a moment that is played or scrubbed forward costs little; any other begins at a checkpoint.
"""

from __future__ import annotations

import bisect
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields

import numpy as np

from stackglass_viewer.model.memory_trace.live_blocks import LiveBlocks, Moment, Space
from stackglass_viewer.model.memory_trace.survey import APPLY_NS, LOAD_NS, apply_events
from stackglass_viewer.model.memory_trace.timeline import Timeline
from stackglass_viewer.model.memory_trace.trace_index import Checkpoint, TraceIndex
from stackglass_viewer.native import _loops

_NO_END = (1 << 64) - 1


def read_live(
    replay: _loops.Replay, space: Space = Space.OBJECT, low: int = 0, high: int = _NO_END
) -> LiveBlocks:
    """The live blocks of a replay that reach into some addresses; ``high`` is exclusive."""
    columns = replay.live(int(space), low, high)
    return LiveBlocks(*(np.asarray(columns[field.name]) for field in fields(LiveBlocks)))


class LiveStates:
    """Any thread; one uses the replay at a time."""

    def __init__(self, timeline: Timeline, index: TraceIndex) -> None:
        self._timeline = timeline
        self._index = index
        self._events = [each.moment.event for each in index.checkpoints]
        self._lock = threading.Lock()  # guards all below
        self._replay = _loops.Replay(secrets.randbits(64), 0, 0, 0)
        self._event: int | None = None  # where the replay is; None = nowhere

    @contextmanager
    def at(self, moment: Moment) -> Iterator[_loops.Replay]:
        """The replay at a moment, to be read. Raises ProfileError."""
        with self._lock:
            self._go_to(moment.event)
            yield self._replay

    @contextmanager
    def from_here(self, moment: Moment) -> Iterator[_loops.Replay]:
        """The same, to go on with: it is forgotten afterwards."""
        with self.at(moment) as replay:
            self._event = None
            yield replay

    def find_checkpoint(self, event: int) -> Checkpoint:
        """The last one at or before a number of events."""
        return self._index.checkpoints[bisect.bisect_right(self._events, event) - 1]

    def count_events_to(self, event: int) -> int:
        """How many events have to be applied to get there."""
        return event - self.find_checkpoint(event).moment.event

    def _go_to(self, event: int) -> None:
        checkpoint = self.find_checkpoint(event)
        begin = self._event
        if begin is None or begin > event or self._is_far(begin, checkpoint):
            self._event = None  # nowhere, until it is whole
            self._load(checkpoint)
            begin = checkpoint.moment.event
        self._event = None
        for _, events in self._timeline.read(begin, event):
            apply_events(self._replay, events)
        self._event = event
        proofs = self._timeline.find_proofs(event)
        if proofs is not None:
            births, addresses, types = proofs
            self._replay.resolve(addresses, births, types)

    def _is_far(self, begin: int, checkpoint: Checkpoint) -> bool:
        """Whether loading a checkpoint is cheaper than the events from here to it."""
        n_rows = checkpoint.content.n_bytes // 12
        return (checkpoint.moment.event - begin) * APPLY_NS > n_rows * LOAD_NS

    def _load(self, checkpoint: Checkpoint) -> None:
        read = self._index.side_file.read
        self._replay.load(read(checkpoint.content, np.uint8), read(checkpoint.groups, np.uint64))
