"""Trace list: each distinct pair of a stack and a set of labels, with its value, like pprof's
``-traces``.

Stacks are paths of a call tree, and only the node where a stack ends is stored. So stacks that
differ only in lines of the same functions are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, TypeId, freeze
from stackglass_viewer.model.graph.call_tree import CallTree, build_call_tree
from stackglass_viewer.model.graph.search import Query, compile_query, match_frames
from stackglass_viewer.model.profile.label_texts import (
    describe_labels,
    number_label_sets,
)
from stackglass_viewer.model.profile.numeric_labels import find_units
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.profile_sum import drop_base_label
from stackglass_viewer.model.profile.sample_choice import keep_labels

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd: 2^64 divided by the golden ratio


@dataclass(frozen=True, slots=True, eq=False)
class TraceList:
    """One row per trace, the largest first. Immutable."""

    tree: CallTree
    node: Int32s  # (n_traces,) where the stack ends
    value: Int64s  # (n_traces,)
    labels: Int32s  # (n_traces,) number of the set of labels
    label_texts: Sequence[str]  # (n_sets,) each set as text; "" = no labels
    name_rank: Int64s  # (n_frames,) the rank of each name in alphabetical order

    @property
    def n_traces(self) -> int:
        return len(self.node)

    def list_frames(self, trace: int, most: int | None = None) -> list[int]:
        """Return the frames of a stack, leaf first; at most ``most`` of them."""
        parent, frame = self.tree.parent, self.tree.frame
        frames: list[int] = []
        node = int(self.node[trace])
        while node > 0 and (most is None or len(frames) < most):
            frames.append(int(frame[node]))
            node = int(parent[node])
        return frames

    def name_stack(self, trace: int) -> list[str]:
        """Return the functions of a stack, leaf first."""
        names = self.tree.frame_name
        return [names[frame] for frame in self.list_frames(trace)]


def list_traces(profile: Profile, sample_type: TypeId) -> TraceList:
    """Sum the samples with the same stack and labels. May run in any thread; the tree is built
    without the GIL.

    Samples without a stack are left out, as in pprof, and so are traces with the sum 0. Samples of
    a base have negative values, so they are subtracted from samples with the same stack and labels.
    """
    tree = build_call_tree(profile)
    profile = drop_base_label(profile)
    sets = number_label_sets(profile)
    n_sets = int(sets.max(initial=0)) + 1
    bearers = np.flatnonzero(tree.sample_node > 0)
    keys = tree.sample_node[bearers].astype(np.int64) * n_sets + sets[bearers]
    found, trace = np.unique(keys, return_inverse=True)
    value = np.zeros(len(found), dtype=np.int64)
    np.add.at(value, trace.ravel(), profile.samples.values[sample_type][bearers])
    node, labels = np.divmod(found, n_sets)
    order = np.flatnonzero(value)
    order = order[np.lexsort((node[order], -np.abs(value[order])))]
    columns = (node[order].astype(np.int32), value[order], labels[order].astype(np.int32))
    freeze(*columns)
    texts = _write_sets(profile, sets, n_sets)
    return TraceList(tree, *columns, texts, rank_names(tree.frame_name))


def _write_sets(profile: Profile, sets: Int64s, n_sets: int) -> tuple[str, ...]:
    """Return each set of labels as text: (n_sets,), taken from the first sample with the set."""
    found, first = np.unique(sets, return_index=True)
    labels = profile.labels
    shown = replace(profile, labels=keep_labels(labels, np.isin(labels.sample, first)))
    described = describe_labels(shown, find_units(profile))
    texts = [""] * n_sets
    for number, sample in zip(found.tolist(), first.tolist(), strict=True):
        own = described.get(sample, {})
        texts[number] = "  ".join(f"{key}: {' '.join(values)}" for key, values in own.items())
    return tuple(texts)


def identify_traces(traces: TraceList) -> Int64s:
    """Return (n_traces,) a number for each trace, the same for equal names of functions and equal
    labels, also in another list of this process. It is a hash of 64 bits. Any thread."""
    tree = traces.tree
    names = _hash_texts(tree.frame_name)
    path = np.zeros(tree.n_nodes, dtype=np.uint64)
    by_depth = np.argsort(tree.depth, kind="stable")
    ends = np.searchsorted(tree.depth[by_depth], np.arange(1, int(tree.depth.max(initial=0)) + 2))
    for begin, end in pairwise(ends.tolist()):
        nodes = by_depth[begin:end]
        path[nodes] = path[tree.parent[nodes]] * _FACTOR ^ names[tree.frame[nodes]]
    labels = _hash_texts(traces.label_texts)
    return (path[traces.node] * _FACTOR ^ labels[traces.labels]).view(np.int64)


def _hash_texts(texts: Sequence[str]) -> npt.NDArray[np.uint64]:
    return np.array([hash(text) for text in texts], dtype=np.int64).view(np.uint64)


def rank_names(names: Sequence[str]) -> Int64s:
    """Return the rank of each name in alphabetical order, ignoring case: (n,)."""
    rank = np.empty(len(names), dtype=np.int64)
    order = sorted(range(len(names)), key=lambda at: names[at].casefold())
    rank[order] = np.arange(len(names))
    freeze(rank)
    return rank


def search_traces(traces: TraceList, query: Query) -> Bools:
    """Return whether each trace has a match in a function, a file or its labels: (n_traces,). An
    empty text matches all. Raises PatternError."""
    if not query.text:
        return np.ones(traces.n_traces, dtype=np.bool_)
    tree = traces.tree
    is_match = match_frames(tree.frame_name, tree.frame_file, query)
    test = compile_query(query)
    is_set = np.array([test(text) for text in traces.label_texts], dtype=np.bool_)
    found: Bools = _spread_down(tree, is_match)[traces.node] | is_set[traces.labels]
    return found


def _spread_down(tree: CallTree, is_match: Bools) -> Bools:
    """Return whether each node or one of its ancestors has a matching frame: (n_nodes,)."""
    is_found: Bools = np.zeros(tree.n_nodes, dtype=np.bool_)
    is_found[1:] = is_match[tree.frame[1:]]
    jump = np.maximum(tree.parent, 0)
    while jump.any():  # pointer jumping: each round doubles the distance
        is_found |= is_found[jump]
        jump = jump[jump]
    return is_found


def find_path(tree: CallTree, names: Sequence[str]) -> int:
    """Return the node that a path of functions leads to from the root; -1 = no such path."""
    node = 0
    for name in names:
        first = node + 1  # parents come before their children
        children = np.flatnonzero(tree.parent[first:] == node) + first
        frames = tree.frame[children].tolist()
        found = (at for at, frame in enumerate(frames) if tree.frame_name[frame] == name)
        at = next(found, -1)
        if at < 0:
            return -1
        node = int(children[at])
    return node
