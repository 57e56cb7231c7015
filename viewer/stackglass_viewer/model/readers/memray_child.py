"""The part of memray's reader that runs in a process with memray: file in, JSON out.

It is run as a script, ``python -I memray_child.py FILE MEMORY``, by a Python that has memray, and
needs no other package. ``MEMORY`` limits its address space, in bytes. Its output is::

    {"types": [[name, unit], …], "frames": [[function, file, line], …], "stacks": [[2, 1, 0], …],
     "rows": [[stack, thread, [value of each type]], …],
     "command": …, "start_s": …, "duration_s": …}
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
from collections.abc import Iterable
from typing import Any

_KINDS = ("alloc", "leaked", "peak")  # the last one is shown first
_N_VALUES = 2 * len(_KINDS)


class _Table:
    """Sums by stack and thread."""

    def __init__(self, has_native: bool) -> None:
        self._has_native = has_native
        self.frames: dict[tuple[Any, ...], int] = {}
        self.stacks: dict[tuple[int, ...], int] = {}
        self.rows: dict[tuple[int, str], list[int]] = {}

    def add(self, records: Iterable[Any], kind: int, ends: frozenset[int]) -> None:
        """Add records to the values of ``kind``, an index of _KINDS. Records of the allocators
        ``ends``, which free memory and have no stack, are skipped."""
        seen: dict[tuple[Any, ...], int] = {}
        for record in records:
            if record.allocator in ends:
                continue
            native = record.native_stack_id, record.native_segment_generation
            key = record.tid, record.stack_id, *native
            if key not in seen:
                seen[key] = self._number(record)
            thread = record.thread_name or f"{record.tid:x}"
            values = self.rows.setdefault((seen[key], thread), [0] * _N_VALUES)
            values[2 * kind] += record.n_allocations
            values[2 * kind + 1] += record.size

    def _number(self, record: Any) -> int:
        trace = record.hybrid_stack_trace() if self._has_native else record.stack_trace()
        stack = tuple(self.frames.setdefault(tuple(each), len(self.frames)) for each in trace)
        return self.stacks.setdefault(stack, len(self.stacks))


def read(path: str) -> dict[str, Any]:
    """Return the content of a file. Raises what memray raises."""
    memray = importlib.import_module("memray")
    allocators = memray.AllocatorType
    ends = frozenset({int(allocators.FREE), int(allocators.MUNMAP)})
    with memray.FileReader(path) as reader:
        metadata = reader.metadata
        table = _Table(metadata.has_native_traces)
        table.add(reader.get_high_watermark_allocation_records(merge_threads=False), 2, ends)
        table.add(reader.get_leaked_allocation_records(merge_threads=False), 1, ends)
        first = 0
        try:
            table.add(reader.get_allocation_records(), 0, ends)
        except NotImplementedError:  # a file of --aggregate has no single allocations
            first = 1
    types = [
        (f"{kind}_{name}", unit)
        for kind in _KINDS[first:]
        for name, unit in (("objects", "count"), ("space", "bytes"))
    ]
    return {
        "types": types,
        "frames": list(table.frames),
        "stacks": list(table.stacks),
        "rows": [
            (stack, thread, values[2 * first :]) for (stack, thread), values in table.rows.items()
        ],
        "command": metadata.command_line,
        "start_s": metadata.start_time.timestamp(),
        "duration_s": (metadata.end_time - metadata.start_time).total_seconds(),
    }


def main(path: str, memory: str) -> None:
    """Write the answer, or ``{"error": …}``."""
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    try:
        answer = read(path)
    except MemoryError:
        answer = {"error": "memray needs too much memory to read it"}
    except Exception as error:  # noqa: BLE001 - the message has whatever memray raises
        answer = {"error": f"memray cannot read it: {type(error).__name__}: {error}"}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
