"""Nodes of a call graph as text and for JSON: callers above a node, callees below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.reports.amounts import Amounts, format_share
from stackglass_viewer.reports.call_nodes import Edge, Node

_RULE = "-" * 60 + "+" + "-" * 15


def write_nodes(nodes: Iterable[Node], amounts: Amounts) -> Iterator[str]:
    """Return the lines. ``sum%`` is the sum of flat over the nodes so far."""
    yield _RULE
    yield (
        f"{'flat':>10} {'flat%':>7} {'sum%':>7} {'cum':>10} {'cum%':>7} {'calls':>6} calls% | name"
    )
    passed = 0
    for node in nodes:
        passed += node.flat
        yield _RULE
        yield from (_write_edge(edge, node, amounts) for edge in node.callers)
        yield (
            f"{amounts.show(node.flat):>10} {amounts.share(node.flat):>7} "
            f"{amounts.share(passed):>7} {amounts.show(node.cum):>10} "
            f"{amounts.share(node.cum):>7} {'':>13} | {make_printable(node.name)}"
        )
        yield from (_write_edge(edge, node, amounts) for edge in node.callees)
    yield _RULE


def _write_edge(edge: Edge, node: Node, amounts: Amounts) -> str:
    share = format_share(edge.value, node.cum)
    inlined = " (inline)" if edge.is_inlined else ""
    name = make_printable(edge.name)
    return f"{amounts.show(edge.value):>51} {share:>7} |   {name}{inlined}"


def describe_nodes(nodes: Iterable[Node], amounts: Amounts) -> list[dict[str, Any]]:
    """Return the nodes for JSON."""
    return [
        {
            "name": node.name,
            "file": node.file,
            "line": node.line,
            "flat": amounts.scale(node.flat),
            "cum": amounts.scale(node.cum),
            "callers": _describe_edges(node.callers, amounts),
            "callees": _describe_edges(node.callees, amounts),
        }
        for node in nodes
    ]


def _describe_edges(edges: Sequence[Edge], amounts: Amounts) -> list[dict[str, Any]]:
    return [
        {"name": edge.name, "value": amounts.scale(edge.value), "inlined": edge.is_inlined}
        for edge in edges
    ]
