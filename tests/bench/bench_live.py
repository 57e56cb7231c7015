"""Cost of a live session for the viewer: 10 000 stacks a second, 30 deep, a fifth of them new.

Figures are CPU time. "decode" is protobuf's part, "apply" the viewer's; both run on the reader's
thread, ten times a second. Views and layouts are made off the GUI thread when they are shown. The
peer puts the same batches into a tree of Python dictionaries.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator

import numpy as np

from harness.report import Table
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import Batch, FromEngine, Ready

N_FUNCTIONS, N_LOCATIONS, DEPTH = 400, 2400, 30
N_STACKS = 1000  # a batch
N_NEW = N_STACKS // 5
_SEED = 11


def make_definitions(random: np.random.Generator) -> Batch:
    functions = range(1, N_FUNCTIONS + 1)
    return Batch(
        strings=["", *(f"module.function_{i}" for i in functions)],
        function_name=functions,
        function_system_name=functions,
        function_filename=[0] * N_FUNCTIONS,
        function_start_line=[1] * N_FUNCTIONS,
        location_function=random.integers(0, N_FUNCTIONS, N_LOCATIONS).tolist(),
        location_line=[1] * N_LOCATIONS,
        node_parent=[0],
        node_location=[0],
    )


def make_batches(random: np.random.Generator, n: int) -> Iterator[Batch]:
    """Yield batches whose new stacks branch off known ones half-way."""
    stacks: list[list[int]] = [[0]]
    n_nodes = 1
    for step in range(n):
        parents: list[int] = []
        ends: list[int] = []
        for _ in range(N_NEW):
            known = stacks[int(random.integers(len(stacks)))]
            path = known[: 1 + len(known) // 2]
            while len(path) <= DEPTH:
                parents.append(path[-1])
                path = [*path, n_nodes]
                n_nodes += 1
            stacks.append(path)
            ends.append(path[-1])
        picks = random.integers(0, len(stacks), N_STACKS - N_NEW)
        ends += [stacks[pick][-1] for pick in picks]
        yield Batch(
            node_parent=parents,
            node_location=random.integers(0, N_LOCATIONS, len(parents)).tolist(),
            sample_node=ends,
            sample_tid=random.integers(1, 9, N_STACKS).tolist(),
            sample_labels=[0] * N_STACKS,
            sample_time=[step * 10 + i * 10 // N_STACKS for i in range(N_STACKS)],
            sample_count=[1] * N_STACKS,
            sample_cpu_ns=[100_000] * N_STACKS,
        )


class DictionaryTree:
    """The peer: a tree of Python dictionaries."""

    def __init__(self, definitions: Batch) -> None:
        self._functions = list(definitions.location_function)
        self._node_of_wire = [0]
        self._children: dict[tuple[int, int], int] = {}
        self._own = [0]

    def apply(self, batch: Batch) -> None:
        nodes, children, functions = self._node_of_wire, self._children, self._functions
        for parent, location in zip(batch.node_parent, batch.node_location, strict=True):
            key = (nodes[parent], functions[location])
            if key not in children:
                children[key] = len(self._own)
                self._own.append(0)
            nodes.append(children[key])
        for node, cpu_ns in zip(batch.sample_node, batch.sample_cpu_ns, strict=True):
            self._own[nodes[node]] += cpu_ns


def main() -> int:
    n_batches = 100 if "--quick" in sys.argv[1:] else 600
    random = np.random.default_rng(_SEED)
    definitions = make_definitions(random)
    live, peer = LiveProfile(0), DictionaryTree(definitions)
    live.apply(FromEngine(ready=Ready(time_mono_ns=1, time_unix_ns=1)))
    live.apply(FromEngine(batch=definitions))
    decode_ms, apply_ms, peer_ms = [], [], []
    for batch in make_batches(random, n_batches):
        payload = FromEngine(batch=batch).SerializeToString()
        start = time.thread_time()
        message = FromEngine.FromString(payload)
        decoded = time.thread_time()
        live.apply(message)
        applied = time.thread_time()
        peer.apply(message.batch)
        peer_ms.append((time.thread_time() - applied) * 1e3)
        decode_ms.append((decoded - start) * 1e3)
        apply_ms.append((applied - decoded) * 1e3)
    start = time.thread_time()
    view = live.snapshot()
    viewed = time.thread_time()
    live.snapshot(10_000_000_000)
    viewed_10 = time.thread_time()
    lay_out(view.tree, view.values)
    laid_out = time.thread_time()
    table = Table("", corner="CPU ms")
    for name, took_ms in (("decode", decode_ms), ("apply", apply_ms), ("by dict", peer_ms)):
        table.put(name, "a batch, p50", f"{statistics.median(took_ms):.2f}")
        table.put(name, "a batch, max", f"{max(took_ms):.2f}")
        table.put(name, "a second", f"{statistics.fmean(took_ms) * 10:.1f}")
    print(f"A live session of {n_batches / 10:.0f} s, {view.tree.n_nodes:,} nodes")
    print("\n".join(table.format_lines()))
    print(f"a view of all {(viewed - start) * 1e3:.0f} ms, of the last 10 s", end=" ")
    print(f"{(viewed_10 - viewed) * 1e3:.0f} ms, a layout {(laid_out - viewed_10) * 1e3:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
