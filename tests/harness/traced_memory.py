"""Memory traces made from text or random numbers, as decoded sources.

Each line is an event: time in ns, kind, address, and for allocations a size::

    10 alloc 0x1000 64 at=main;load type=dict tid=7
    20 free 0x1000
    30 realloc 0x2000 128 from=0x1000

A line ``--`` ends a block; ``-- 3`` also says that generation 3 begins.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory_trace.events import DTYPES, Domain, EventColumns, EventKind
from stackglass_viewer.model.memory_trace.source import EventBlocks, TraceInfo, TraceNames

KINDS = {
    "span": EventKind.SPAN,
    "span-alloc": EventKind.SPAN_ALLOC,
    "span-free": EventKind.SPAN_FREE,
    "object": EventKind.OBJECT,
    "alloc": EventKind.OBJECT_ALLOC,
    "free": EventKind.OBJECT_FREE,
    "stack": EventKind.STACK,
    "stack-alloc": EventKind.STACK_ALLOC,
    "stack-free": EventKind.STACK_FREE,
    "gc-free": EventKind.FREE_BY_COLLECTOR,
    "realloc": EventKind.REALLOC,
    "type": EventKind.TYPE,
    "recycled": EventKind.RECYCLED,
    "gc": EventKind.COLLECTION_BEGIN,
    "gc-end": EventKind.COLLECTION_END,
    "region": EventKind.REGION_BEGIN,
    "region-end": EventKind.REGION_END,
    "lost": EventKind.LOST,
}
_ZERO = dict.fromkeys(DTYPES, 0)


class Names:
    """Strings and stacks, numbered in order of appearance."""

    def __init__(self) -> None:
        self.strings = {"": 0}
        self.functions: dict[str, int] = {}
        self.nodes: dict[tuple[int, int], int] = {}

    def add_string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def add_stack(self, text: str) -> int:
        """Return the node of a stack, root first: ``main;load``."""
        node = 0
        for name in filter(None, text.split(";")):
            self.add_string(name)
            function = self.functions.setdefault(name, len(self.functions))
            node = self.nodes.setdefault((node, function), len(self.nodes) + 1)
        return node

    def list_definitions(self) -> DefinitionColumns:
        names = np.array([self.strings[name] for name in self.functions], dtype=np.int32)
        pairs = np.array([(0, 0), *self.nodes], dtype=np.int32).reshape(-1, 2)
        n = len(names)
        return DefinitionColumns(
            strings=tuple(self.strings),
            function_name=names,
            function_system_name=names.copy(),
            function_filename=np.zeros(n, dtype=np.int32),
            function_start_line=np.zeros(n, dtype=np.int64),
            function_native_start=np.zeros(n, dtype=np.int64),
            location_function=np.arange(n, dtype=np.int32),
            location_line=np.zeros(n, dtype=np.int64),
            location_native_address=np.zeros(n, dtype=np.int64),
            node_parent=np.ascontiguousarray(pairs[:, 0]),
            node_location=np.ascontiguousarray(pairs[:, 1]),
        )


INFO = TraceInfo(
    program="app.py",
    runtime="CPython 3.13",
    pool_bytes=1 << 14,
    arena_bytes=1 << 20,
    alignment=16,
    minimum_address=0,
    begin_unix_ns=1_700_000_000_000_000_000,
    has_stacks=True,
    is_whole=True,
)


@dataclass
class ListedSource:
    """Blocks of events in memory."""

    listed: Sequence[EventColumns]
    names: TraceNames
    info: TraceInfo = INFO
    generations: Sequence[int] = ()
    warnings: tuple[str, ...] = ()
    live: LiveProfile | None = None
    blocks: EventBlocks = field(init=False)
    n_decoded: int = 0
    is_closed: bool = False

    def __post_init__(self) -> None:
        rows = [
            (len(each), int(each.time_ns.min()), int(each.time_ns.max())) for each in self.listed
        ]
        table = np.array(rows, dtype=np.int64).reshape(-1, 3)
        generations = self.generations or [0] * len(self.listed)
        n_events, first_ns, last_ns = (np.ascontiguousarray(column) for column in table.T)
        self.blocks = EventBlocks(
            n_events, first_ns, last_ns, np.array(generations, dtype=np.int32)
        )

    def decode(self, block: int) -> EventColumns:
        self.n_decoded += 1
        return self.listed[block]

    def close(self) -> None:
        self.is_closed = True


def make_events(rows: Iterable[dict[str, int]]) -> EventColumns:
    """Make events from rows of fields; missing fields are 0."""
    listed = [{**_ZERO, **row} for row in rows]
    return EventColumns(
        *(np.array([row[name] for row in listed], dtype=dtype) for name, dtype in DTYPES.items())
    )


def read_trace(text: str, info: TraceInfo = INFO) -> ListedSource:
    """Make a source from lines of text."""
    names = Names()
    blocks: list[list[dict[str, int]]] = [[]]
    generations = [0]
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("--"):
            blocks.append([])
            generations.append(int(line[2:] or generations[-1]))
        else:
            blocks[-1].append(_read_line(line, names))
    kept = [(block, each) for block, each in zip(blocks, generations, strict=True) if block]
    return ListedSource(
        [make_events(block) for block, _ in kept],
        TraceNames(names.list_definitions(), {7: "MainThread"}),
        info,
        [generation for _, generation in kept],
    )


def _read_line(line: str, names: Names) -> dict[str, int]:
    time_ns, kind, *rest = line.split()
    plain = [int(word, 0) for word in rest if "=" not in word]
    options = dict(word.split("=", 1) for word in rest if "=" in word)
    row = {"time_ns": int(time_ns), "kind": int(KINDS[kind]), "tid": 7}
    row |= dict(zip(("address", "size"), plain, strict=False))
    for name, value in options.items():
        if name == "at":
            row["stack"] = names.add_stack(value)
        elif name == "type":
            row["type"] = names.add_string(value)
        elif name == "from":
            row["other"] = int(value, 0)
        elif name == "domain":
            row["domain"] = int(Domain[value.upper()])
        else:
            row[name] = int(value, 0)
    return row


def make_random_rows(
    seed: int, n: int, n_addresses: int = 40, n_start: int = 0
) -> list[dict[str, int]]:
    """Make ``n`` events that a program could cause, and some that it could not. The first
    ``n_start`` have one time, and are of blocks from before the trace."""
    rng = random.Random(seed)
    addresses = [0x10000 + rng.randrange(1 << 12) * 16 for _ in range(n_addresses)]
    time_ns, rows = 0, []
    kinds = (
        [EventKind.OBJECT_ALLOC] * 8
        + [EventKind.OBJECT_FREE] * 6
        + [EventKind.FREE_BY_COLLECTOR] * 2
    )
    kinds += (
        [EventKind.REALLOC] * 2
        + [EventKind.TYPE] * 2
        + [EventKind.RECYCLED, EventKind.LOST, EventKind.OBJECT]
    )
    kinds += [
        EventKind.SPAN_ALLOC,
        EventKind.SPAN_FREE,
        EventKind.STACK_ALLOC,
        EventKind.STACK_FREE,
    ]
    at_start = [EventKind.OBJECT] * 8 + [EventKind.SPAN, EventKind.STACK]
    for place in range(n):
        is_start = place < n_start
        time_ns += 0 if is_start else rng.choice((0, 0, 1, 5, 1000))
        kind = rng.choice(at_start if is_start else kinds)
        is_span = kind in (EventKind.SPAN, EventKind.SPAN_ALLOC)
        rows.append(
            {
                "kind": int(kind),
                "time_ns": time_ns,
                "tid": rng.randrange(1, 4),
                "address": rng.choice(addresses),
                "size": rng.choice((0, 1, 16, 100, 600, 20_000, 70_000)),
                "stack": rng.choice((0, 0, 16, 48)) if is_span else rng.randrange(5),
                "type": rng.randrange(3),
                "domain": Domain.GO_SPAN if is_span and rng.random() < 0.6 else rng.randrange(5),
                "other": rng.choice([0, *addresses]),
            }
        )
    return rows
