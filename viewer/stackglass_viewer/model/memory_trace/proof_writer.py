"""Writer of proven types, while a trace is surveyed.

The recorder reads the type of a block some time after its birth, when the collector has found it
alive (``EventKind.TYPE``). The block has had this type since its birth, unless it was recycled
through a free list in between. So the type is stored with the birth, for replays of earlier
moments.
"""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.side_file import SideFile
from stackglass_viewer.model.memory_trace.source import EventBlocks
from stackglass_viewer.model.memory_trace.trace_index import ProofStep
from stackglass_viewer.native import _loops


class ProofWriter:
    """Collects the proven types of a generation, and writes them at its end."""

    def __init__(self, side_file: SideFile, blocks: EventBlocks) -> None:
        self._side_file = side_file
        ends = np.full(int(blocks.generation.max()) + 1 if len(blocks) else 0, -1, dtype=np.int64)
        np.maximum.at(ends, blocks.generation, blocks.last_ns)
        self._ends_ns = np.sort(ends[ends >= 0])
        self._steps: list[ProofStep] = []
        self._births: list[bytes] = []
        self._addresses: list[bytes] = []
        self._types: list[bytes] = []

    def add(self, replay: _loops.Replay, moment: Moment) -> None:
        """Add the types that a replay has proven. Call it after each piece of events."""
        proofs = replay.take_proofs()
        births = np.asarray(proofs["birth_event"])
        if len(births):
            since = np.asarray(proofs["since_event"])
            address = np.asarray(proofs["address"])
            types = np.asarray(proofs["type"])
            is_first = since == births  # otherwise another object was in the block before
            self._births.append(births[is_first].tobytes())
            self._addresses.append(address[is_first].tobytes())
            self._types.append(types[is_first].astype(np.uint32).tobytes())
        last = self._steps[-1].until.time_ns if self._steps else -1
        if np.any((self._ends_ns > last) & (self._ends_ns <= moment.time_ns)):
            self._write(moment)

    def finish(self, end: Moment) -> tuple[ProofStep, ...]:
        """Write the last step, and return all steps."""
        if self._births:
            self._write(end)
        return tuple(self._steps)

    def _write(self, moment: Moment) -> None:
        births = np.frombuffer(b"".join(self._births), dtype=np.int64)
        order = np.argsort(births, kind="stable")
        columns = (
            births[order],
            np.frombuffer(b"".join(self._addresses), dtype=np.uint64)[order],
            np.frombuffer(b"".join(self._types), dtype=np.uint32)[order],
        )
        extents = [self._side_file.append(column) for column in columns]
        first_birth = int(columns[0][0]) if len(births) else moment.event
        self._steps.append(ProofStep(moment, first_birth, *extents))
        for parts in (self._births, self._addresses, self._types):
            parts.clear()
