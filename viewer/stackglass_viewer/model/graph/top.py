"""Function table: flat is the value of a function alone, cum its value with its callees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, TypeId, freeze
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.profile_sum import BASE_KEY, BASE_TEXT
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.native import _loops


@dataclass(frozen=True, slots=True, eq=False)
class TopTable:
    """One row per function, in the order of the tree's frames. In a live profile a function keeps
    its row."""

    name: Sequence[str]  # (n_functions,)
    file: Sequence[str]  # (n_functions,) "" = unknown
    flat: Int64s  # (n_functions,)
    cum: Int64s  # (n_functions,) recursion counted once
    calls: Int64s | None  # (n_functions,) number of calls; None = the profile does not count them
    total: int  # the value of 100 %
    unit: str
    line: Int64s | None = None  # (n_functions,) definition or most expensive line; 0 = unknown
    is_change: bool = False  # values are differences, negative for a decrease
    has_shares: bool = True  # False = there is no whole that shares could refer to
    cum_before: Int64s | None = None  # (n_functions,) cum in the base; None = there is no base
    total_before: int | None = None  # the sum of all flat values in the base

    @property
    def n_functions(self) -> int:
        return len(self.flat)


def build_top(tree: CallTree, values: NodeValues) -> TopTable:
    """Sum the nodes of each function. A recursive call adds nothing to cum."""
    n_frames = len(tree.frame_name)
    flat = np.zeros(n_frames, dtype=np.int64)
    cum = np.zeros(n_frames, dtype=np.int64)
    _loops.sum_frames(tree.frame, tree.is_recursive, values.own, values.total, flat, cum)
    freeze(flat, cum)
    total = int(values.total[0])
    names, line = (tree.frame_name, tree.frame_file), tree.frame_line
    return TopTable(*names, flat, cum, None, total, values.unit, line)


def build_change_top(tree: CallTree, values: NodeValues, line: Int64s) -> TopTable:
    """Sum the nodes of each function for differences: 100 % is the sum of all absolute changes."""
    top = build_top(tree, values)
    whole = int(np.abs(values.own).sum())
    return replace(top, total=whole, line=line, is_change=True, has_shares=False)


def measure_whole(profile: Profile, sample_type: TypeId) -> int:
    """Return the value of 100 %, as in pprof: the sum of all absolute values, or with a base
    (``pprof -diff_base``) that of the base alone."""
    sizes = np.abs(profile.samples.values[sample_type])
    of_base = int(sizes[find_base(profile)].sum())
    return of_base or int(sizes.sum())


def measure_counts(profile: Profile, sample_type: TypeId) -> int:
    """Return the divisor of 100 % for means: the sum of the first sample type over the samples that
    ``measure_whole`` sums."""
    counts, base = profile.samples.values[0], find_base(profile)
    is_of_base = profile.samples.values[sample_type][base].any()
    return int((counts[base] if is_of_base else counts).sum())


def find_base(profile: Profile) -> Int64s:
    """Return the samples that pprof has marked as the base, by its label."""
    labels, strings = profile.labels, profile.strings
    if BASE_KEY not in strings or BASE_TEXT not in strings:
        return np.empty(0, np.int64)
    is_meant = labels.key == strings.index(BASE_KEY)
    is_meant &= labels.text == strings.index(BASE_TEXT)
    return np.unique(labels.sample[is_meant]).astype(np.int64)


def build_function_top(table: FunctionTable, sample_type: TypeId) -> TopTable:
    """Return the table of a file that has functions and no stacks."""
    if sample_type >= len(table.own):
        flat = cum = np.maximum(table.n_calls, 0)
        freeze(flat)
    else:
        flat, cum = table.own[sample_type], table.total[sample_type]
    unit = table.sample_types[sample_type].unit
    total = int(flat.sum(dtype=np.int64))
    line = table.line.astype(np.int64)
    freeze(line)
    calls = table.n_calls if table.has_calls else None
    return TopTable(table.name, table.file, flat, cum, calls, total, unit, line)
