"""Boxes by label: which value prevails in each, and what has no value of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

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


class CountedWeights(np.ndarray[Any, np.dtype[np.int64]]):
    """Weights of samples that count how often some are chosen."""

    n_chosen = 0

    def __getitem__(self, key: Any) -> Any:
        type(self).n_chosen += 1
        return super().__getitem__(key)


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


def test_of_several_values_the_first_counts() -> None:
    both = make_index((("id", "a"), ("id", "b")), (("id", "b"), ("state", "runs")), ())
    boxes = find_box_labels(TREE, make_rows((F, 0, 9), (G, 1, 4), (H, 2, 1)), both, "id")
    assert (boxes.values, boxes.sums, boxes.others) == (("a", "b"), (9, 4), 1)
    turned = make_index((("id", "b"),), (("id", "a"), ("id", "b")))  # "b" is the first label here
    boxes = find_box_labels(TREE, make_rows((F, 0, 9), (G, 1, 4)), turned, "id")
    assert (boxes.values, boxes.sums, boxes.others) == (("b",), (13,), 0)


def test_samples_are_gone_through_a_few_times_however_many_values() -> None:
    """Once for each of 300 values took seconds with a session's samples."""
    n = 300
    index = make_index(*((("id", str(at)),) for at in range(n)))
    rows = join_labelled([make_rows((H, at, 10 + at)) for at in range(n)])
    counted = rows.weight.view(CountedWeights)
    CountedWeights.n_chosen = 0
    boxes = find_box_labels(TREE, replace(rows, weight=counted), index, "id")
    assert len(boxes.values) == MOST_VALUES
    assert sum(boxes.sums) + boxes.others == int(rows.weight.sum())
    assert 0 < CountedWeights.n_chosen <= 2 * MOST_VALUES


def test_only_the_largest_values_have_places() -> None:
    n = MOST_VALUES + 2
    index = make_index(*((("id", str(at)),) for at in range(n)))
    rows = join_labelled([make_rows((H, at, 10 + at)) for at in range(n)])
    boxes = find_box_labels(TREE, rows, index, "id")
    assert boxes.values == tuple(str(at) for at in range(n - 1, 1, -1))
    assert boxes.others == 10 + 11
    assert join_labelled([]).node.tolist() == []
