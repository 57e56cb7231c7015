"""Trimming of a call graph to the room in a picture, as pprof trims its own.

::

    all functions ─▶ cum at least ──▶ the highest scores ──▶ edges at least ──▶ no detours
                     node_fraction    max_nodes of them      edge_fraction

pprof's score of a function is cum · (entropy of incoming edges + entropy of outgoing edges) + flat,
where a side without edges counts as 1. The entropy is high if many edges share the value evenly; a
function with one caller, one callee and no flat value has 0 and is left out first. A detour is a
residual edge (past functions that are left out) with another path from its caller to its callee.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Float64s, Int32s, Int64s, freeze
from stackglass_viewer.model.graph.call_edges import CallEdges
from stackglass_viewer.model.graph.top import TopTable

SumEdges = Callable[[Bools], CallEdges]
"""Function that sums the edges between the frames of a mask, (n_frames,)."""


@dataclass(frozen=True, slots=True)
class GraphLimits:
    """Limits of a picture; the defaults are pprof's."""

    max_nodes: int = 80  # 0 = no limit
    node_fraction: float = 0.005  # least cum of a function, as a share of the sum of all flat
    edge_fraction: float = 0.001  # least weight of an edge, as a share of that sum


@dataclass(frozen=True, slots=True, eq=False)
class TrimmedGraph:
    """The functions and edges that are shown."""

    frame: Int64s  # (n_nodes,) the highest score first
    edges: CallEdges  # between these frames
    n_found: int  # functions with a value, before anything was left out


def trim_graph(top: TopTable, limits: GraphLimits, sum_edges: SumEdges) -> TrimmedGraph:
    """Return the functions and edges that ``pprof -dot`` shows, and also the direct calls of a
    function by itself."""
    is_found = (top.flat != 0) | (top.cum != 0)
    whole = float(top.flat[is_found].sum())
    least_node = abs(int(whole * limits.node_fraction))
    least_edge = abs(int(whole * limits.edge_fraction))
    is_kept = is_found & (np.abs(top.cum) >= least_node)
    edges = sum_edges(is_kept)
    frames = _order(top, np.flatnonzero(is_kept), edges)
    if 0 < limits.max_nodes < len(frames):
        is_kept[:] = False
        is_kept[frames[: limits.max_nodes]] = True
        edges = sum_edges(is_kept)
        frames = _order(top, np.flatnonzero(is_kept), edges)
    edges = _drop_detours(top, frames, _drop_small(edges, least_edge))
    freeze(frames)
    return TrimmedGraph(frames, edges, int(is_found.sum()))


def _choose(edges: CallEdges, which: Bools | Int64s) -> CallEdges:
    chosen = CallEdges(
        edges.caller[which], edges.callee[which], edges.weight[which], edges.is_residual[which]
    )
    freeze(chosen.caller, chosen.callee, chosen.weight, chosen.is_residual)
    return chosen


def _drop_small(edges: CallEdges, least: int) -> CallEdges:
    return _choose(edges, np.abs(edges.weight) >= least)


# -- the functions with the highest scores


def _order(top: TopTable, frames: Int64s, edges: CallEdges) -> Int64s:
    """Order the frames by score, the highest first, then by name."""
    named = np.array(sorted(frames.tolist(), key=top.name.__getitem__), dtype=np.int64)
    score = np.abs(_score(top, edges)[named])
    return named[np.lexsort((np.arange(len(named)), -score))]


def _score(top: TopTable, edges: CallEdges) -> Int64s:
    """Return pprof's score of each function: (n_frames,)."""
    between = _choose(edges, edges.caller != edges.callee)
    n_frames = len(top.flat)
    nothing = np.zeros(n_frames, dtype=np.int64)
    into = _sum_entropy(between.callee, between.weight, nothing)
    out = _sum_entropy(between.caller, between.weight, top.flat)
    is_entry, is_leaf = np.ones((2, n_frames), dtype=np.bool_)
    is_entry[between.callee] = False
    is_leaf[between.caller] = False
    score = np.where(is_entry, 1.0, into) + np.where(is_leaf, 1.0, out)
    return np.trunc(score * top.cum).astype(np.int64) + top.flat


def _sum_entropy(end: Int32s, weight: Int64s, own: Int64s) -> Float64s:
    """Return the entropy of each function's edges and own value: (n_frames,) bits, of their shares
    of their sum. ``end``: (n_edges,) the function that each edge counts for."""
    total = own.astype(np.float64)
    np.add.at(total, end, np.maximum(weight, 0))
    entropy = np.zeros(len(own))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.abs(weight) / total[end]
        np.add.at(entropy, end, -share * np.log2(share))
        own_share = np.abs(own) / total
        entropy += np.where(own > 0, -own_share * np.log2(own_share), 0.0)
    return np.where(total != 0, np.nan_to_num(entropy, nan=0.0, posinf=0.0, neginf=0.0), 0.0)


# -- detours


def _drop_detours(top: TopTable, frames: Int64s, edges: CallEdges) -> CallEdges:
    """Drop residual edges if other edges lead from the caller to the callee, too. As in pprof, each
    function's edges are tried from the lightest up to the first that is not residual."""
    into: dict[int, dict[int, int]] = {}  # callee ─▶ caller ─▶ row
    for row, (caller, callee) in enumerate(
        zip(edges.caller.tolist(), edges.callee.tolist(), strict=True)
    ):
        if caller != callee:
            into.setdefault(callee, {})[caller] = row
    is_kept: Bools = np.ones(len(edges.weight), dtype=np.bool_)
    weight = np.abs(edges.weight).tolist()
    for frame in reversed(frames.tolist()):
        rows = sorted(
            into.get(frame, {}).items(), key=lambda each: (-weight[each[1]], top.name[each[0]])
        )
        for caller, row in reversed(rows):
            if not edges.is_residual[row]:
                break
            if _is_reached(into, caller, frame):
                del into[frame][caller]
                is_kept[row] = False
    return _choose(edges, is_kept)


def _is_reached(into: dict[int, dict[int, int]], caller: int, callee: int) -> bool:
    """Whether a path without the direct edge leads from caller to callee."""
    seen, queue = {callee}, [callee]
    for at in queue:
        for source in into.get(at, {}):
            if source in seen or (source, at) == (caller, callee):
                continue
            if source == caller:
                return True
            seen.add(source)
            queue.append(source)
    return False
