"""Stretches of time, made from lines of text like ``thread main;load 10 25`` (ms)."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.chart.stretches import (
    Lane,
    Stretches,
    StretchRows,
    arrange_stretches,
)
from stackglass_viewer.model.graph.call_tree import CallTree

MS = 1_000_000


def make_timed_tree(stacks: list[tuple[str, ...]]) -> tuple[CallTree, list[int]]:
    """Make a tree with these stacks, root first. Returns it and the node of each stack."""
    nodes: dict[tuple[str, ...], int] = {(): 0}
    for stack in stacks:
        for length in range(1, len(stack) + 1):
            nodes.setdefault(stack[:length], len(nodes))
    names = list(dict.fromkeys(name for path in nodes for name in path))
    paths = list(nodes)
    tree = CallTree(
        np.array([nodes[path[:-1]] if path else -1 for path in paths], dtype=np.int32),
        np.array([names.index(path[-1]) if path else -1 for path in paths], dtype=np.int32),
        np.array([len(path) for path in paths], dtype=np.int32),
        np.array([bool(path) and path[-1] in path[:-1] for path in paths]),
        tuple(names),
        ("",) * len(names),
        np.empty(0, dtype=np.int32),
    )
    return tree, [nodes[stack] for stack in stacks]


def make_stretches(text: str, gap_ms: float = 0, kinds: dict[str, int] | None = None) -> Stretches:
    """Make stretches; threads are in the order of their first line. ``kinds``: by leaf function."""
    rows = [line.split() for line in text.strip().splitlines()]
    stacks = [tuple(filter(None, row[1].split(";"))) for row in rows]
    tree, nodes = make_timed_tree(stacks)
    names = list(dict.fromkeys(row[0] for row in rows))
    begin = np.array([round(float(row[2]) * MS) for row in rows], dtype=np.int64)
    end = np.array([round(float(row[-1]) * MS) for row in rows], dtype=np.int64)
    kind_of = kinds or {}
    return arrange_stretches(
        tree,
        StretchRows(
            np.array([names.index(row[0]) for row in rows], dtype=np.int32),
            np.array(nodes, dtype=np.int32),
            begin,
            end,
            np.array([kind_of.get(stack[-1], -1) for stack in stacks], dtype=np.int32),
        ),
        [Lane(name) for name in names],
        (0, int(end.max())),
        round(gap_ms * MS),
    )
