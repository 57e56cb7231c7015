"""Which nodes are shown; whole reports are compared with pprof's in tests/contract."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.reports.node_choice import Trim, choose_nodes

FLAT, CUM = [60, 0, 0, -5, 39], [60, 94, 0, -5, 39]
TABLE = TopTable(list("abcde"), [""] * 5, np.array(FLAT), np.array(CUM), None, 100, "ns")


@pytest.mark.parametrize(
    ("trim", "nodes", "n_found"),
    [
        (Trim(), "aedb", 4),
        (Trim(is_by_cum=True), "baed", 4),
        (Trim(drop_negative=True), "aeb", 3),
        (Trim(node_fraction=0.5), "ab", 4),
        (Trim(max_nodes=3), "aed", 4),
        (Trim(max_nodes=1, is_by_cum=True, node_fraction=0.1), "b", 4),
    ],
)
def test_nodes(trim: Trim, nodes: str, n_found: int) -> None:
    choice = choose_nodes(TABLE, trim)
    assert "".join(TABLE.name[row] for row in choice.nodes) == nodes
    assert choice.n_found == n_found
    shown = set(choice.nodes.tolist()) if len(nodes) < n_found else set(range(5))
    assert set(np.flatnonzero(choice.is_kept).tolist()) == shown


def test_edges_are_cut_at_a_share_of_the_nodes() -> None:
    assert choose_nodes(TABLE, Trim(edge_fraction=0.1)).min_edge == 9


@pytest.mark.parametrize("fraction", [2.0, 1e17, 1e308, -1e308])
def test_a_share_above_all_leaves_nothing(fraction: float) -> None:
    choice = choose_nodes(TABLE, Trim(node_fraction=fraction, edge_fraction=fraction))
    assert choice.nodes.tolist() == []
    assert choice.min_edge > 100
