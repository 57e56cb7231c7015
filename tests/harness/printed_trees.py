"""``-tree`` and ``-peek`` of ``go tool pprof`` as values, and Stackglass's JSON of them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

_RULE = re.compile(r"^-+\+-+$", re.MULTILINE)
_EDGE = re.compile(r"^ *(-?\d+)\w*\s+\S+%\s+\|   (.*)$")
_NODE = re.compile(r"^ *(-?\d+)\w*\s+\S+\s+\S+\s+(-?\d+)\w*\s+\S+%\s+\| (\S.*)$")
Edges = list[tuple[str, int]]


class Row(NamedTuple):
    name: str
    flat: int
    cum: int
    callers: Edges
    callees: Edges


def read_tree(text: str) -> list[Row]:
    rows = []
    for block in _RULE.split(text)[2:]:
        callers: Edges = []
        callees: Edges = []
        node: tuple[str, int, int] | None = None
        for line in block.strip("\n").splitlines():
            edge, row = _EDGE.match(line), _NODE.match(line)
            if edge:
                (callees if node else callers).append((edge[2], int(edge[1])))
            else:
                assert row, f"not a row of -tree: {line!r}"
                node = (row[3], int(row[1]), int(row[2]))
        if node:
            rows.append(Row(*node, settle(callers), settle(callees)))
    return rows


def settle(edges: Edges) -> Edges:
    """Put edges of equal size and opposite sign in a fixed order, which pprof does not have."""
    return sorted(edges, key=lambda edge: (-abs(edge[1]), edge[0]))


def read_our_tree(document: Any, *, is_mean: bool = False) -> list[Row]:
    def list_edges(edges: Any) -> Edges:
        listed = [
            (edge["name"] + (" (inline)" if edge["inlined"] else ""), edge["value"])
            for edge in edges
        ]
        sizes = [-abs(value) for _, value in listed]
        assert is_mean or sizes == sorted(sizes)
        return settle(listed)

    return [
        Row(
            row["name"],
            row["flat"],
            row["cum"],
            list_edges(row["callers"]),
            list_edges(row["callees"]),
        )
        for row in document["rows"]
    ]
