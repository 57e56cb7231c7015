"""Costs of functions by line, and of their calls, for formats without stacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.profile.profile import Samples
from stackglass_viewer.model.writers.line_table import LineTable, expand_stacks

_FRAMES_AT_A_TIME = 1 << 20


class CostRows(NamedTuple):
    """Costs by line, ordered by function, then line, then callee."""

    frame: Int64s  # (n,) the function; for a call, the caller
    line: Int64s  # (n,) line of the function; 0 = unknown
    callee: Int64s  # (n,) the function that is called; -1 = the row is the function's own cost
    costs: Int64s  # (n_types, n)


class _Sums(NamedTuple):
    key: Int64s  # (n,) each once, ascending
    costs: Int64s  # (n_types, n)


def sum_costs(samples: Samples, values: Int64s, table: LineTable) -> tuple[CostRows, CostRows]:
    """Return the own costs of functions, and the costs of their calls. ``values``: (n_types,
    n_samples).

    As in pprof, a call counts once per sample, where it is nearest to the root, and direct calls of
    a function by itself do not count. Samples without a stack are left out.
    """
    lines, place = np.unique(np.maximum(table.line, 0), return_inverse=True)  # any numbers
    n_frames, n_lines = len(table.frames.name), max(len(lines), 1)
    own, calls = [], []
    for first, last in _split(samples):
        row, sample = _expand(samples, first, last, table)
        part = values[:, first:last]
        frame, line = table.frame[row].astype(np.int64), place[row]
        is_leaf = np.diff(sample, prepend=-1) != 0
        own.append(_add_up(frame[is_leaf] * n_lines + line[is_leaf], part[:, sample[is_leaf]]))
        at, callee = _find_calls(sample, frame, n_frames)
        key = (frame[at] * n_lines + line[at]) * n_frames + callee
        calls.append(_add_up(key, part[:, sample[at]]))
    own_sums, call_sums = (_join(parts, len(values)) for parts in (own, calls))
    frame, line = np.divmod(own_sums.key, n_lines)
    call, callee = np.divmod(call_sums.key, max(n_frames, 1))
    caller, call_line = np.divmod(call, n_lines)
    return (
        CostRows(frame, lines[line], np.full_like(frame, -1), own_sums.costs),
        CostRows(caller, lines[call_line], callee, call_sums.costs),
    )


def _split(samples: Samples) -> Iterator[tuple[int, int]]:
    """Yield ranges of samples with about a million locations each, which bounds the memory: a
    location takes some hundred bytes while it is read."""
    n_samples = len(samples.stack_start) - 1
    limits = np.arange(_FRAMES_AT_A_TIME, int(samples.stack_start[-1]), _FRAMES_AT_A_TIME)
    cuts = np.searchsorted(samples.stack_start, limits).tolist()
    yield from pairwise(dict.fromkeys([0, *cuts, n_samples]))


def _expand(samples: Samples, first: int, last: int, table: LineTable) -> tuple[Int64s, Int64s]:
    """Return row, (n,), leaf first, and sample, (n,), counted from 0, for a range of samples."""
    start = samples.stack_start[first : last + 1]
    stack = samples.stack[start[0] : start[-1]]
    row, row_start = expand_stacks(stack, start - start[0], table.frames)
    return row, np.repeat(np.arange(last - first), np.diff(row_start))


def _find_calls(sample: Int64s, frame: Int64s, n_frames: int) -> tuple[Int64s, Int64s]:
    """Return each call once per sample: the index of its caller, and its callee."""
    is_call = (sample[1:] == sample[:-1]) & (frame[1:] != frame[:-1])
    at = np.flatnonzero(is_call) + 1
    callee = frame[at - 1]
    found, edge = np.unique(frame[at] * n_frames + callee, return_inverse=True)
    pairs = sample[at] * max(len(found), 1) + edge
    _, chosen = np.unique(pairs[::-1], return_index=True)  # stacks begin with the leaf
    chosen = len(pairs) - 1 - chosen
    return at[chosen], callee[chosen]


def _add_up(keys: Int64s, costs: Int64s) -> _Sums:
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    return _Sums(ordered[starts], np.add.reduceat(costs[:, order], starts, axis=1))


def _join(parts: Sequence[_Sums], n_types: int) -> _Sums:
    """Sum the parts, and drop rows without a cost."""
    empty = _Sums(np.zeros(0, np.int64), np.zeros((n_types, 0), np.int64))
    keys, costs = zip(*(empty, *parts), strict=True)
    sums = _add_up(np.concatenate(keys), np.concatenate(costs, axis=1))
    has_cost = sums.costs.any(axis=0)
    return _Sums(sums.key[has_cost], sums.costs[:, has_cost])
