"""Stacks of a contention table: the line where each ends, and all its lines.

A stack ends in the call that waited or released; the table shows its caller::

    threading.Condition.wait     what     ◀── the stack ends here
    app.Pool.take:31             where
    app.serve:12
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from stackglass.wire import lock_names
from stackglass_viewer.model.columns.index import Bools, Int32s
from stackglass_viewer.model.live.line_names import (
    LineName,
    LineNames,
    names_of_capture,
    names_of_profile,
)
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.profile.profile import Profile

# Beginnings of the names of functions that are primitives themselves, in Go and in Python.
PRIMITIVES = ("runtime.", "sync.", "internal/sync.", "internal/poll.", *lock_names.PRIMITIVES)
_MAX_SKIPPED = 16  # lines of primitives that are skipped at the end of a stack


class Stacks(Protocol):
    """Stacks by number, and the names of their lines."""

    @property
    def names(self) -> LineNames:
        """The names of the lines."""

    def list_lines(self, stack: int) -> list[int]:
        """Return the lines of a stack, the innermost first. Any thread."""


@dataclass(frozen=True, slots=True, eq=False)
class CaptureStacks:
    """Stacks of a capture, each numbered by the engine's node where it ends."""

    tables: DefinitionColumns
    names: LineNames

    def list_lines(self, stack: int) -> list[int]:
        lines = []
        while stack > 0:
            lines.append(int(self.tables.node_location[stack]))
            stack = int(self.tables.node_parent[stack])
        return lines

    def name_place(self, node: int) -> LineName:
        """Return the innermost line outside primitives; if there is none, the innermost line."""
        lines = [self.names.name_line(line) for line in self.list_lines(node)]
        own = (line for line in lines if not line.function.startswith(PRIMITIVES))
        return next(own, lines[0] if lines else LineName("", "", 0))

    def find_ends(self, nodes: Int32s) -> Int32s:
        """Return the innermost line of each stack: (n,); -1 = the stack is empty."""
        if not len(self.tables.node_location):
            return np.full(len(nodes), -1, dtype=np.int32)
        return np.where(nodes > 0, self.tables.node_location[nodes], -1).astype(np.int32)

    def find_callers(self, nodes: Int32s) -> Int32s:
        """Return the caller of each stack's innermost line: (n,); without a caller, the innermost
        line itself."""
        if not len(self.tables.node_parent):
            return np.full(len(nodes), -1, dtype=np.int32)
        parents = np.where(nodes > 0, self.tables.node_parent[nodes], 0)
        return self.find_ends(np.where(parents > 0, parents, nodes).astype(np.int32))

    def find_outside(self, nodes: Int32s, prefix: str) -> Int32s:
        """Return the innermost line of each stack outside functions with this prefix: (n,). If
        there is none, the outermost line. At most ``_MAX_SKIPPED`` lines are skipped."""
        if not len(self.tables.node_parent):
            return np.full(len(nodes), -1, dtype=np.int32)
        names = self.names
        texts = [names.strings[name] for name in names.function_name.tolist()]
        is_inside = np.array([text.startswith(prefix) for text in texts] + [False], np.bool_)
        nodes = nodes.copy()
        for _ in range(_MAX_SKIPPED):
            lines = self.find_ends(nodes)
            parents = np.where(nodes > 0, self.tables.node_parent[nodes], 0)
            is_left = (lines >= 0) & (parents > 0) & is_inside[names.line_function[lines]]
            if not is_left.any():
                break
            nodes[is_left] = parents[is_left]
        return self.find_ends(nodes)


def stacks_of_capture(tables: DefinitionColumns) -> CaptureStacks:
    return CaptureStacks(tables, names_of_capture(tables))


@dataclass(frozen=True, slots=True, eq=False)
class ProfileStacks:
    """Stacks of a file, each numbered by the first sample that has it."""

    profile: Profile
    names: LineNames

    def list_lines(self, stack: int) -> list[int]:
        samples, starts = self.profile.samples, self.profile.locations.line_start
        begin, end = samples.stack_start[stack : stack + 2].tolist()
        locations = samples.stack[begin:end].tolist()
        return [line for at in locations for line in range(int(starts[at]), int(starts[at + 1]))]

    def find_first(self) -> Int32s:
        """Return the first sample with the same stack for each sample: (n_samples,). Samples with
        one stack may differ in their labels."""
        samples, first = self.profile.samples, dict[bytes, int]()
        bounds = samples.stack_start.tolist()
        numbers = (
            first.setdefault(samples.stack[begin:end].tobytes(), at)
            for at, (begin, end) in enumerate(pairwise(bounds))
        )
        return np.fromiter(numbers, dtype=np.int32, count=self.profile.n_samples)

    def find_sites(self) -> tuple[Int32s, Int32s]:
        """Return two lines of each sample's stack, (n_samples,) each: the innermost, and the
        innermost outside primitives. If there is none outside, both are the same."""
        end = np.full(self.profile.n_samples, -1, dtype=np.int32)
        where = end.copy()
        is_primitive = self._find_primitives()
        for stack in range(self.profile.n_samples):
            lines = self.list_lines(stack)
            if not lines:
                continue
            end[stack] = where[stack] = lines[0]
            others = (line for line in lines[:_MAX_SKIPPED] if not is_primitive[line])
            where[stack] = next(others, lines[0])
        return end, where

    def _find_primitives(self) -> Bools:
        """Return whether each line's function is a primitive: (n_lines,)."""
        names = self.names
        texts = [names.strings[name] for name in names.function_name.tolist()]
        is_primitive = np.array([text.startswith(PRIMITIVES) for text in texts] + [False])
        return np.asarray(is_primitive[names.line_function], dtype=np.bool_)


def stacks_of_profile(profile: Profile) -> ProfileStacks:
    return ProfileStacks(profile, names_of_profile(profile))
