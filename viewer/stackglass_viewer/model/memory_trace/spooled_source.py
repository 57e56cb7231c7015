"""Spooled source: decoded events on disk, for formats that cannot be decoded block by block."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from stackglass_viewer.model.memory_trace.events import DTYPES, EventColumns, make_columns
from stackglass_viewer.model.memory_trace.side_file import Extent, SideFile
from stackglass_viewer.model.memory_trace.source import EventBlocks, TraceInfo, TraceNames

BLOCK_EVENTS = 1 << 16


class Spool:
    """Writes events to disk; they must come in the order of their times. Not thread-safe."""

    def __init__(self, folder: Path | None = None) -> None:
        self.file = SideFile(folder)
        self.columns: list[dict[str, Extent]] = []
        self._rows: list[tuple[int, int, int, int]] = []

    def add(self, events: EventColumns, generation: int) -> None:
        """Write events as blocks. Columns of zeros are not stored. Raises ContentError."""
        for begin in range(0, len(events), BLOCK_EVENTS):
            block = events.take(slice(begin, begin + BLOCK_EVENTS))
            columns = {field.name: getattr(block, field.name) for field in fields(block)}
            self.columns.append(
                {name: self.file.append(each) for name, each in columns.items() if each.any()}
            )
            times = block.time_ns
            self._rows.append((len(block), int(times.min()), int(times.max()), generation))

    def finish(self) -> EventBlocks:
        """End writing, and return the table of blocks."""
        self.file.finish()
        table = np.array(self._rows, dtype=np.int64).reshape(-1, 4)
        n_events, first_ns, last_ns, generation = (np.ascontiguousarray(each) for each in table.T)
        return EventBlocks(n_events, first_ns, last_ns, generation.astype(np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class SpooledSource:
    """A whole trace on disk."""

    spool: Spool
    info: TraceInfo
    names: TraceNames
    blocks: EventBlocks
    warnings: tuple[str, ...]
    live: None = None

    def decode(self, block: int) -> EventColumns:
        """Return the events of a block."""
        n, columns = int(self.blocks.n_events[block]), self.spool.columns[block]
        rows = {
            name: self.spool.file.read(columns[name], dtype)
            if name in columns
            else np.zeros(n, dtype=dtype)
            for name, dtype in DTYPES.items()
        }
        return make_columns(rows)

    def close(self) -> None:
        """Free the disk space."""
        self.spool.file.close()
