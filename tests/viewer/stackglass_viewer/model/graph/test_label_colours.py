"""Boxes by label: which value prevails in each, and what has no value of its own."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.graph.label_colours import (
    MOST_VALUES,
    LabelledRows,
    find_box_labels,
    join_labelled,
)
from stackglass_viewer.model.profile.label_table import LabelIndex

TREE = CallTree(  # root → f → g, root → h
    parent=np.array([-1, 0, 1, 0], dtype=np.int32),
    frame=np.array([-1, 0, 1, 2], dtype=np.int32),
    depth=np.array([0, 1, 2, 1], dtype=np.int32),
    is_recursive=np.zeros(4, dtype=np.bool_),
    frame_name=("f", "g", "h"),
    frame_file=("", "", ""),
    sample_node=np.empty(0, dtype=np.int32),
)
F, G, H = 1, 2, 3


def make_index(*bearers: tuple[tuple[str, str], ...]) -> LabelIndex:
    labels = tuple(dict.fromkeys(label for bearer in bearers for label in bearer))
    pairs = [(at, labels.index(each)) for at, bearer in enumerate(bearers) for each in bearer]
    columns = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return LabelIndex(labels, columns[:, 0].copy(), columns[:, 1].copy(), len(bearers))


def make_rows(*rows: tuple[int, int, int]) -> LabelledRows:
    """Rows of (node, bearer, weight)."""
    node, bearer, weight = zip(*rows, strict=True)
    return LabelledRows(
        np.array(node, dtype=np.int32),
        np.array(bearer, dtype=np.int32),
        np.array(weight, dtype=np.int64),
    )


INDEX = make_index((), (("state", "runs"), ("route", "/a")), (("state", "waits"),))


def test_a_box_has_the_value_that_most_of_it_has() -> None:
    rows = make_rows((F, 1, 10), (G, 2, 30), (G, 1, 15), (H, 1, 7))
    boxes = find_box_labels(TREE, rows, INDEX, "state")
    assert (boxes.values, boxes.sums, boxes.others) == (("runs", "waits"), (32, 30), 0)
    # The root and f have more of "runs" in all (32 and 25 of 30), g of "waits".
    assert boxes.of_node.tolist() == [0, 1, 1, 0]


def test_what_has_no_value_prevails_where_it_is_most() -> None:
    rows = make_rows((F, 0, 50), (G, 1, 20), (H, 1, 7))
    boxes = find_box_labels(TREE, rows, INDEX, "route")
    assert (boxes.values, boxes.others) == (("/a",), 50)
    assert boxes.of_node.tolist() == [-1, -1, 0, 0]


def test_only_the_largest_values_have_places() -> None:
    n = MOST_VALUES + 2
    index = make_index(*((("id", str(at)),) for at in range(n)))
    rows = join_labelled([make_rows((H, at, 10 + at)) for at in range(n)])
    boxes = find_box_labels(TREE, rows, index, "id")
    assert boxes.values == tuple(str(at) for at in range(n - 1, 1, -1))
    assert boxes.others == 10 + 11
    assert join_labelled([]).node.tolist() == []
