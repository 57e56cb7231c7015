"""Call trees made from lists of stacks, with nodes in the order of arrival as in live sessions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up

NAMES = "abcd"
Stacks = Sequence[tuple[list[str], int]]

some_stacks = st.lists(
    st.tuples(st.lists(st.sampled_from(NAMES), max_size=9), st.integers(-50, 50)),
    min_size=1,
    max_size=30,
)


def make_tree(stacks: Stacks) -> tuple[CallTree, NodeValues]:
    """Make a tree from stacks of functions in ``NAMES``, root first."""
    nodes: dict[tuple[str, ...], int] = {(): 0}
    own = [0]
    for stack, value in stacks:
        for length in range(1, len(stack) + 1):
            if tuple(stack[:length]) not in nodes:
                nodes[tuple(stack[:length])] = len(nodes)
                own.append(0)
        own[nodes[tuple(stack)]] += value
    paths = list(nodes)
    tree = CallTree(
        np.array([nodes[path[:-1]] if path else -1 for path in paths], dtype=np.int32),
        np.array([NAMES.index(path[-1]) if path else -1 for path in paths], dtype=np.int32),
        np.array([len(path) for path in paths], dtype=np.int32),
        np.array([bool(path) and path[-1] in path[:-1] for path in paths]),
        tuple(NAMES),
        ("",) * len(NAMES),
        np.empty(0, dtype=np.int32),
    )
    return tree, add_up(tree, np.array(own, dtype=np.int64), "bytes")
