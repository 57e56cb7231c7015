"""Label tables: sums by value, and the bearers that a choice of labels names."""

from __future__ import annotations

import numpy as np
import pytest

from harness.counted_work import count_allocated_bytes
from stackglass_viewer.model.profile.label_roots import number_roots
from stackglass_viewer.model.profile.label_table import (
    Label,
    LabelIndex,
    build_label_tables,
    match_labels,
)

ROUTE_A, ROUTE_B, USER = ("route", "/a"), ("route", "/b"), ("user", "eve")


@pytest.fixture
def index() -> LabelIndex:
    """Bearer 0 has no label, 1 /a, 2 /b and eve, 3 both routes, 4 /a and stands for no sample."""
    bearer = np.array([1, 2, 2, 3, 3, 4], dtype=np.int32)
    label = np.array([0, 1, 2, 0, 1, 0], dtype=np.int32)
    return LabelIndex((ROUTE_A, ROUTE_B, USER), bearer, label, 5)


def test_tables_sum_what_has_a_value(index: LabelIndex) -> None:
    weights = np.array([100, 1, 20, 4, 0], dtype=np.int64)
    routes, users = build_label_tables(index, weights, np.array([9, 1, 2, 3, 0]))
    assert (routes.key, routes.value) == ("route", ("/b", "/a"))  # the largest first
    assert routes.flat.tolist() == [24, 5]
    assert routes.samples.tolist() == [5, 4]
    assert routes.total == 29  # bearer 3 counts for both
    assert (users.key, users.flat.tolist(), users.samples.tolist()) == ("user", [20], [2])


def test_a_value_without_samples_is_not_listed(index: LabelIndex) -> None:
    counts = np.array([0, 0, 0, 0, 1])
    (routes,) = build_label_tables(index, np.zeros(5, np.int64), counts)
    assert routes.value == ("/a",)


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ([], [0, 1, 2, 3, 4]),
        ([ROUTE_A], [1, 3, 4]),
        ([ROUTE_A, ROUTE_B], [1, 2, 3, 4]),  # values of a key: either
        ([ROUTE_B, USER], [2]),  # keys: both
        ([("route", "/none")], []),
        ([("none", "/a")], []),
    ],
)
def test_a_choice_names_bearers(index: LabelIndex, chosen: list[Label], found: list[int]) -> None:
    assert np.flatnonzero(match_labels(index, frozenset(chosen))).tolist() == found


def test_without_labels_there_are_no_tables() -> None:
    nothing = np.empty(0, dtype=np.int32)
    index = LabelIndex((), nothing, nothing, 2)
    assert build_label_tables(index, np.ones(2, np.int64), np.ones(2, np.int64)) == ()
    assert match_labels(index, frozenset()).all()
    assert not match_labels(index, frozenset([ROUTE_A])).any()


def test_the_sets_of_a_bearer_with_many_labels() -> None:
    """A label does not copy all labels before it."""
    n = 3000
    each = np.arange(n, dtype=np.int32)
    labels = tuple(("id", str(number)) for number in range(n))
    index = LabelIndex(labels, np.zeros(n, np.int32), each, 1)
    assert index.list_sets() == {0: labels}
    names, root = number_roots(index, "id")
    assert (len(names), root.tolist()) == (2, [1])
    assert count_allocated_bytes(index.list_sets) < 1000 * n
    assert count_allocated_bytes(lambda: number_roots(index, "id")) < 1000 * n
