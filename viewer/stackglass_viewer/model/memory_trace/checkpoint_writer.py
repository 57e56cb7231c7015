"""Writer of checkpoints and of the steps between them, while a trace is surveyed.

A checkpoint holds all live blocks, a step the changes since the last one. To reach a moment, the
replay loads a checkpoint, applies the steps after it, and applies the events after the last step.
A new checkpoint is written when this would take too long by the measured costs below.
"""

from __future__ import annotations

from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.side_file import SideFile
from stackglass_viewer.model.memory_trace.trace_index import Checkpoint, Packed
from stackglass_viewer.native import _loops

LOAD_NS, CHANGE_NS, APPLY_NS = 38, 50, 60
"""Cost of loading a block of a checkpoint, of a block that a step changes, and of an event."""
REACH_NS = 60_000_000
"""The longest time that it may take to reach a moment."""
STEP_EVENTS = 1 << 17
_REACH_PER_LOAD = 1.75
"""If loading a checkpoint takes most of ``REACH_NS``, reaching a moment may take this many times as
long as loading."""
MOST_BYTES = 1 << 30
"""Size of all checkpoints and steps. Above it checkpoints get rarer, and reaching a moment takes
longer."""
CHANGE_BYTES = 9  # least mean size of a changed block in a step, if half of them are removals


class CheckpointWriter:
    """Writes checkpoints and steps to a side file. Not thread-safe."""

    def __init__(self, side_file: SideFile, replay: _loops.Replay) -> None:
        self._side_file = side_file
        self._replay = replay
        self._whole: Packed | None = None
        self._n_blocks = 0
        self._steps: list[Packed] = []
        self._made: list[Checkpoint] = []
        self._steps_ns = 0  # estimated time to apply the steps since the last checkpoint
        self._last_event = 0
        self._reach_ns, self._room = REACH_NS, MOST_BYTES

    def add(self, moment: Moment, n_blocks: int) -> bool:
        """Write a step or a checkpoint if one is due. Call it after each piece of events. Returns
        whether a checkpoint was written."""
        if moment.event - self._last_event < STEP_EVENTS:
            return False
        load_ns = max(n_blocks, self._n_blocks) * LOAD_NS
        reached_ns = load_ns + self._steps_ns + STEP_EVENTS * APPLY_NS
        if reached_ns > max(self._reach_ns, _REACH_PER_LOAD * load_ns):
            self.mark(moment, n_blocks)
            return True
        step = self._write(moment, *self._replay.pack_delta())
        self._steps.append(step)
        self._steps_ns += step.content.n_bytes // CHANGE_BYTES * CHANGE_NS
        return False

    def mark(self, moment: Moment, n_blocks: int) -> None:
        """Write a checkpoint."""
        self._close()
        self._whole = self._write(moment, *self._replay.pack())
        self._n_blocks = n_blocks

    def finish(self) -> tuple[Checkpoint, ...]:
        """Return all checkpoints."""
        self._close()
        return tuple(self._made)

    def _close(self) -> None:
        if self._whole is not None:
            self._made.append(Checkpoint(self._whole, self._n_blocks, tuple(self._steps)))
        self._whole = None
        self._steps.clear()
        self._steps_ns = 0

    def _write(self, moment: Moment, content: _loops.Column, groups: _loops.Column) -> Packed:
        self._last_event = moment.event
        packed = Packed(
            moment,
            self._side_file.append(memoryview(content)),
            self._side_file.append(memoryview(groups)),
        )
        self._room -= packed.content.n_bytes
        if self._room < 0:
            self._reach_ns *= 2
            self._room = MOST_BYTES // 2
        return packed
