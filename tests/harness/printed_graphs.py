"""``-dot`` of ``go tool pprof`` as values."""

from __future__ import annotations

import re
from typing import NamedTuple

_NODE = re.compile(r'^(N\d+) \[label=.* tooltip="(.*) \((-?\d+)\w*\)" color')
_EDGE = re.compile(r'^(N\d+) -> (N\d+) \[label=" (-?\d+)\w*(\\n \(inline\))?" ')


class PrintedGraph(NamedTuple):
    """Nodes and edges of a graph, by function name."""

    cum: dict[str, int]
    edges: dict[tuple[str, str], tuple[int, bool]]  # weight; whether it is residual


def read_graph(text: str) -> PrintedGraph:
    """Read a graph in which names are unique, in a unit without fractions."""
    graph, names = PrintedGraph({}, {}), dict[str, str]()
    for line in text.splitlines():
        node, edge = _NODE.match(line), _EDGE.match(line)
        if node:
            assert node[2] not in graph.cum
            names[node[1]] = node[2]
            graph.cum[node[2]] = int(node[3])
        elif edge:
            ends = (names[edge[1]], names[edge[2]])
            graph.edges[ends] = (int(edge[3]), 'style="dotted"' in line)
        else:
            assert "->" not in line, f"not an edge of -dot: {line!r}"
    return graph
