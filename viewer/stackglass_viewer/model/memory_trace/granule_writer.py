"""Writer of the granule log (see ``GranuleLog``), while a trace is surveyed."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import freeze
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.side_file import Extent, SideFile
from stackglass_viewer.model.memory_trace.trace_index import GranuleLog
from stackglass_viewer.native import _loops

_COLUMNS = {
    "granule": np.uint32,
    "bytes": np.int64,
    "type": np.uint32,
    "stack": np.uint32,
    "size_class": np.uint32,
    "birth_ns": np.int64,
}
_WIDE_COLUMNS = ("address", "size", "birth_ns", "death_ns", "type", "stack")
_STEPS_PER_KEY = 32  # every 32nd step has all granules in use, so that a reader can begin there
_EVENTS_PER_ROW = 64  # least events per changed granule, so that the log is smaller than the trace


class GranuleWriter:
    """Writes a step after ``_EVENTS_PER_ROW`` events per changed granule."""

    def __init__(self, side_file: SideFile) -> None:
        self._side_file = side_file
        self._steps: list[dict[str, Extent]] = []
        self._step_ns: list[int] = []
        self._keys: list[int] = []
        self._wide: list[dict[str, bytes]] = []
        self._last_event = 0

    def add(self, replay: _loops.Replay, moment: Moment) -> None:
        """Write a step if one is due. Call it after each piece of events."""
        self._take(replay, moment, (moment.event - self._last_event) // _EVENTS_PER_ROW)

    def finish(self, replay: _loops.Replay, end: Moment) -> GranuleLog:
        """Write the last step, and return the log with each column contiguous in the side file."""
        self._take(replay, end, (1 << 64) - 1)
        wide = replay.take_wide(True)
        self._wide.append({name: bytes(memoryview(wide[name])) for name in _WIDE_COLUMNS})
        numbers = memoryview(replay.list_granules()["number"])
        n_rows = [step["granule"].n_bytes // 4 for step in self._steps]
        step_ns = np.array(self._step_ns, dtype=np.int64)
        starts = np.concatenate(([0], np.cumsum(n_rows, dtype=np.int64))).astype(np.int64)
        keys = np.array(self._keys, dtype=np.int64)
        freeze(step_ns, starts, keys)
        return GranuleLog(
            number=self._side_file.append(numbers),
            step_ns=step_ns,
            step_start=starts,
            key_steps=keys,
            wide={
                name: self._side_file.append(b"".join(part[name] for part in self._wide))
                for name in _WIDE_COLUMNS
            },
            **{name: self._side_file.gather([s[name] for s in self._steps]) for name in _COLUMNS},
        )

    def _take(self, replay: _loops.Replay, moment: Moment, most_changed: int) -> None:
        """Write a step, unless more than ``most_changed`` granules have changed."""
        is_key = len(self._step_ns) % _STEPS_PER_KEY == 0
        step = replay.take_step(most_changed, is_key)
        if step is None:
            return
        self._steps.append(
            {name: self._side_file.append(memoryview(step[name])) for name in _COLUMNS}
        )
        if is_key:
            self._keys.append(len(self._step_ns))
        self._step_ns.append(moment.time_ns)
        self._last_event = moment.event
        wide = replay.take_wide(False)
        if len(memoryview(wide["address"])):
            self._wide.append({name: bytes(memoryview(wide[name])) for name in _WIDE_COLUMNS})
