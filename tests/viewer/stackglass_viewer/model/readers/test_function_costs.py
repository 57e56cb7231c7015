"""Totals of functions and callers: recursion, cycles, and sums that are too large."""

from __future__ import annotations

import numpy as np
import pytest

from harness.function_tables import list_edges, list_functions
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.readers.function_costs import FunctionCosts

IR = (SampleType("Ir", "count"),)


def make(own: list[int], *calls: tuple[int, int, int, int]) -> FunctionCosts:
    caller, callee, n_calls, caused = np.array(calls, dtype=np.int64).reshape(-1, 4).T
    return FunctionCosts(
        name=[*"abcdef"[: len(own)]],
        file=[""] * len(own),
        line=np.zeros(len(own), dtype=np.int32),
        own=np.array([own], dtype=np.int64),
        caller=caller.astype(np.int32),
        callee=callee.astype(np.int32),
        n_calls=n_calls,
        caused=caused[None],
    )


def test_calls_from_several_lines_are_one_edge() -> None:
    table = make([1, 2], (0, 1, 3, 1), (0, 1, 4, 1)).build(IR, "x")
    assert list_edges(table) == {("a", "b"): (7, [2])}
    assert list_functions(table)["a", "", 0] == (0, [1], [3])
    assert list_functions(table)["b", "", 0] == (7, [2], [2])


def test_recursion_counts_once() -> None:
    table = make([1, 10, 4], (0, 1, 1, 14), (1, 1, 9, 60), (1, 2, 2, 4)).build(IR, "x")
    assert list_functions(table)["a", "", 0] == (0, [1], [15])
    assert list_functions(table)["b", "", 0] == (10, [10], [14])
    assert table.n_primitive_calls.tolist() == [0, 1, 2]
    assert not table.warnings


def test_functions_in_a_cycle_have_what_they_surely_have() -> None:
    # a calls b; b and c call each other; c calls d.
    table = make([1, 10, 20, 5], (0, 1, 1, 35), (1, 2, 3, 70), (2, 1, 2, 60), (2, 3, 1, 5)).build(
        IR, "x"
    )
    assert table.total.tolist() == [[36, 35, 25, 5]]
    assert table.warnings == ("2 functions call each other in cycles: their cum may be larger",)


def test_calls_may_cost_more_than_is_known_of_the_callee() -> None:
    """A yappi file: b calls built-in functions, which it does not have."""
    costs = make([1, 10, -3], (0, 1, 2, 30))
    assert costs.build(IR, "x", has_all_callees=False).total.tolist() == [[31, 30, -3]]
    assert costs.build(IR, "x").total.tolist() == [[31, 10, -3]]


def test_a_sum_that_63_bits_cannot_hold_is_refused() -> None:
    most = 2**63 - 1
    with pytest.raises(ContentError, match="sum 63 bits cannot hold"):
        make([1, 1], (0, 1, 1, most), (0, 1, 1, most)).build(IR, "x")
