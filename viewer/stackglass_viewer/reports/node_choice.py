"""Choice of the rows of a table, or the nodes of a graph, as pprof trims them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s
from stackglass_viewer.model.graph.top import TopTable


@dataclass(frozen=True, slots=True)
class Trim:
    """What is left out, and what comes first."""

    max_nodes: int = 0  # 0 = all
    node_fraction: float = 0.0  # of what the nodes have together
    edge_fraction: float = 0.0
    drop_negative: bool = False
    is_by_cum: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class NodeChoice:
    """Which frames are shown."""

    nodes: Int64s  # (n_chosen,) rows of the table, the first to be shown first
    is_kept: Bools  # (n_frames,) in the graph, shown or not; the others are skipped
    n_found: int  # before anything was trimmed
    min_edge: int  # edges of a smaller weight are left out


def read_trim(arguments: argparse.Namespace) -> Trim:
    """What the options ask for."""
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
    """The frames with a value, the largest first; then by name. Sums count, not means of them."""
    is_chosen = (table.flat != 0) | (table.cum != 0)
    if trim.drop_negative:
        is_chosen &= ~((table.flat < 0) | ((table.flat == 0) & (table.cum < 0)))
    whole = float(table.flat[is_chosen].sum())
    least = abs(int(whole * trim.node_fraction))
    is_large = is_chosen & (np.abs(table.cum) >= least)
    nodes = _order(table, np.flatnonzero(is_large), trim.is_by_cum)
    if trim.max_nodes:
        nodes = nodes[: trim.max_nodes]
    n_found = int(is_chosen.sum())
    is_kept: Bools = np.ones(len(table.flat), dtype=bool)
    if len(nodes) < n_found:
        is_kept[:] = False
        is_kept[nodes] = True
    return NodeChoice(nodes, is_kept, n_found, abs(int(whole * trim.edge_fraction)))


def _order(table: TopTable, rows: Int64s, is_by_cum: bool) -> Int64s:
    by_name = sorted(rows.tolist(), key=table.name.__getitem__)
    named = np.array(by_name, dtype=np.int64)
    values = (table.cum if is_by_cum else table.flat)[named]
    return named[np.argsort(-np.abs(values), kind="stable")]
