"""Choice of the rows of a table or the nodes of a graph, trimmed as pprof does."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s
from stackglass_viewer.model.graph.top import TopTable

_LARGEST = 2.0**62  # above all values; columns of 64 bits are compared with it


@dataclass(frozen=True, slots=True)
class Trim:
    """Limits for the rows that are shown, and their order."""

    max_nodes: int = 0  # 0 = all
    node_fraction: float = 0.0  # least cum of a node, as a share of the sum of flat
    edge_fraction: float = 0.0  # least weight of an edge, as a share of the same sum
    drop_negative: bool = False
    is_by_cum: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class NodeChoice:
    """The frames that are shown."""

    nodes: Int64s  # (n_chosen,) rows of the table in the order of printing
    is_kept: Bools  # (n_frames,) frames that the graph keeps; it skips the others
    n_found: int  # frames before any was trimmed
    min_edge: int  # edges of a smaller weight are left out


def read_trim(arguments: argparse.Namespace) -> Trim:
    """Return the trimming that the options choose."""
    if not arguments.trim:
        return Trim(drop_negative=arguments.drop_negative, is_by_cum=arguments.cum)
    return Trim(
        max_nodes=arguments.nodecount,
        node_fraction=arguments.nodefraction,
        edge_fraction=arguments.edgefraction,
        drop_negative=arguments.drop_negative,
        is_by_cum=arguments.cum,
    )


def choose_nodes(table: TopTable, trim: Trim) -> NodeChoice:
    """Return the frames with a value, the largest first, then by name. The sums are compared, also
    where means are shown."""
    is_chosen = (table.flat != 0) | (table.cum != 0)
    if trim.drop_negative:
        is_chosen &= ~((table.flat < 0) | ((table.flat == 0) & (table.cum < 0)))
    whole = float(table.flat[is_chosen].sum())
    least = _cut(whole, trim.node_fraction)
    is_large = is_chosen & (np.abs(table.cum) >= least)
    nodes = _order(table, np.flatnonzero(is_large), trim.is_by_cum)
    if trim.max_nodes:
        nodes = nodes[: trim.max_nodes]
    n_found = int(is_chosen.sum())
    is_kept: Bools = np.ones(len(table.flat), dtype=bool)
    if len(nodes) < n_found:
        is_kept[:] = False
        is_kept[nodes] = True
    return NodeChoice(nodes, is_kept, n_found, _cut(whole, trim.edge_fraction))


def _cut(whole: float, fraction: float) -> int:
    """Return the least value that is shown, rounded toward zero and without its sign."""
    return int(min(abs(whole * fraction), _LARGEST))


def _order(table: TopTable, rows: Int64s, is_by_cum: bool) -> Int64s:
    by_name = sorted(rows.tolist(), key=table.name.__getitem__)
    named = np.array(by_name, dtype=np.int64)
    values = (table.cum if is_by_cum else table.flat)[named]
    return named[np.argsort(-np.abs(values), kind="stable")]
