"""Nodes of a call graph with their callers and callees, for ``tree`` and ``peek``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.graph.call_graph import CallGraph, build_call_graph
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_values
from stackglass_viewer.model.graph.top import TopTable, build_top
from stackglass_viewer.model.patterns import Test
from stackglass_viewer.model.profile.frames import name_frames
from stackglass_viewer.reports.amounts import Amounts
from stackglass_viewer.reports.node_choice import NodeChoice, Trim, choose_nodes
from stackglass_viewer.reports.selection import Selection, name_rows


class Edge(NamedTuple):
    """A caller or a callee of a node."""

    name: str
    value: int  # a mean with --mean; not yet divided, see Amounts
    is_inlined: bool


class Node(NamedTuple):
    """A frame with its callers and callees, the largest first."""

    name: str
    file: str
    line: int  # 0 = unknown
    flat: int  # flat and cum are of the same kind as the value of an edge
    cum: int
    callers: Sequence[Edge]
    callees: Sequence[Edge]


@dataclass(frozen=True, slots=True, eq=False)
class CallNodes:
    """The nodes that ``tree`` and ``peek`` print."""

    nodes: list[Node]
    n_found: int  # nodes before anything was trimmed


def sum_nodes(
    selection: Selection,
    amounts: Amounts,
    arguments: argparse.Namespace,
    trim: Trim,
    matches: Test | None = None,
) -> CallNodes:
    """Return the nodes in the order of printing. ``matches`` tests a node's name;
    None = all nodes."""
    named = name_rows(selection.shown, arguments)
    frames = name_frames(named)
    tree = build_call_tree(named)
    table = build_top(tree, sum_values(tree, amounts.weights, amounts.unit))
    choice = choose_nodes(table, trim)
    graph = build_call_graph(named.samples, frames, choice.is_kept, amounts.weights, amounts.counts)
    flat, cum = table.flat, table.cum
    if amounts.counts is not None:
        counted = build_top(tree, sum_values(tree, amounts.counts, ""))
        flat, cum = amounts.average(flat, counted.flat), amounts.average(cum, counted.cum)
    rows = [row for row in choice.nodes.tolist() if matches is None or matches(table.name[row])]
    values = amounts.average(graph.weight, graph.count)
    callers, callees = _list_edges(table, graph, choice, rows, values)
    nodes = [
        Node(
            table.name[row],
            table.file[row],
            0 if table.line is None else int(table.line[row]),
            int(flat[row]),
            int(cum[row]),
            callers.get(row, ()),
            callees.get(row, ()),
        )
        for row in rows
    ]
    return CallNodes(nodes, choice.n_found)


def _list_edges(
    table: TopTable, graph: CallGraph, choice: NodeChoice, nodes: list[int], values: Int64s
) -> tuple[dict[int, list[Edge]], dict[int, list[Edge]]]:
    """Return callers and callees of the printed nodes, each by node."""
    is_node, is_printed = np.zeros((2, len(table.flat)), dtype=bool)
    is_node[choice.nodes] = True
    is_printed[nodes] = True
    is_large = (np.abs(graph.weight) >= choice.min_edge) | ~is_node[graph.callee]
    is_large &= is_printed[graph.caller] | is_printed[graph.callee]
    rows = np.flatnonzero(is_large).tolist()
    caller, callee, names = graph.caller.tolist(), graph.callee.tolist(), table.name
    weight = np.abs(graph.weight).tolist()
    rows.sort(key=lambda row: (-weight[row], names[caller[row]], names[callee[row]]))
    callers: dict[int, list[Edge]] = {}
    callees: dict[int, list[Edge]] = {}
    for row in rows:
        value, is_inlined = int(values[row]), bool(graph.is_inlined[row])
        callers.setdefault(callee[row], []).append(Edge(names[caller[row]], value, is_inlined))
        callees.setdefault(caller[row], []).append(Edge(names[callee[row]], value, is_inlined))
    return callers, callees
