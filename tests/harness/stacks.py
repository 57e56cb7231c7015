"""Tables and samples of a session, collected as plain lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stackglass.wire import messages


class Stacks:
    """Messages received so far: definitions by id, and samples summed by stack."""

    def __init__(self) -> None:
        self._strings: list[str] = []
        self._function_name: list[int] = []
        self._location_function: list[int] = []
        self._node_parent: list[int] = []
        self._node_location: list[int] = []
        self.counts: Counter[tuple[int, int]] = Counter()  # (tid, node) → samples
        self.cpu_ns: Counter[tuple[int, int]] = Counter()  # (tid, node) → ns
        self.wall_counts: Counter[int] = Counter()  # node → samples of the wall profile
        self.thread_names: dict[int, str] = {}

    @property
    def n_nodes(self) -> int:
        """Return the number of stacks defined so far."""
        return len(self._node_parent)

    @property
    def n_strings(self) -> int:
        """Return the number of strings defined so far."""
        return len(self._strings)

    def add(self, batch: messages.Batch) -> None:
        """Append a batch's definitions and count its samples."""
        self._strings += batch.strings
        self._function_name += batch.function_name
        self._location_function += batch.location_function
        self._node_parent += batch.node_parent
        self._node_location += batch.node_location
        for tid, name in zip(batch.thread_tid, batch.thread_name, strict=True):
            self.thread_names[tid] = self._strings[name]
        for node, count in zip(batch.wall_node, batch.wall_count, strict=True):
            self.wall_counts[node] += count
        for tid, node, count, cpu_ns in zip(
            batch.sample_tid,
            batch.sample_node,
            batch.sample_count,
            batch.sample_cpu_ns,
            strict=True,
        ):
            self.counts[tid, node] += count
            self.cpu_ns[tid, node] += cpu_ns

    def find_string(self, number: int) -> str:
        """Return a string by its id."""
        return self._strings[number]

    def find_stack(self, node: int) -> list[str]:
        """Return the function names of a stack, root first."""
        names = []
        while node != 0:
            function = self._location_function[self._node_location[node]]
            names.append(self._strings[self._function_name[function]])
            node = self._node_parent[node]
        return names[::-1]

    def list_sampled(self) -> Iterator[tuple[int, list[str], int, int]]:
        """Yield (tid, stack, samples, CPU ns) of all samples."""
        for (tid, node), count in self.counts.items():
            yield tid, self.find_stack(node), count, self.cpu_ns[tid, node]

    def has_wall(self, function: str) -> bool:
        """Whether the wall profile has a stack with ``function`` (the last part of its name)."""
        return any(is_in(function, self.find_stack(node)) for node in self.wall_counts)

    def sum_counts(self) -> int:
        """Return the number of samples."""
        return sum(self.counts.values())

    def sum_cpu_ns(self, function: str = "") -> int:
        """Sum CPU time over all stacks, or those with ``function`` (the last part of its name)."""
        return sum(cpu_ns for _, stack, _, cpu_ns in self.list_sampled() if is_in(function, stack))


def is_in(function: str, stack: list[str]) -> bool:
    """Whether a stack contains a function, by the last part of its name; "" is in every stack."""
    return not function or any(name.rpartition(".")[2] == function for name in stack)
