"""Own functions: which they are, and what they cost."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from harness.small_trees import NAMES, Stacks, make_tree, some_stacks
from stackglass_viewer.model.graph.own_functions import find_own, list_costs_of, sum_own

LIBRARY = "/usr/lib/python3.11/threading.py"


def test_code_of_others_is_not_the_programs() -> None:
    functions = {
        "shop.serve": "/srv/shop.py",
        "threading.Condition.wait": LIBRARY,
        "requests.get": "/srv/env/lib/python3.13/site-packages/requests/api.py",
        "_thread.lock.acquire": "",
        "libz: inflate": "/usr/lib/libz.so.1",
        "made": "<string>",
        "<stackglass>.outer.<locals>.inner": "<stackglass>",
        "stackglass.served_process.keeper.run": "/src/stackglass/served_process/keeper.py",
    }
    is_own = find_own(list(functions), list(functions.values()))
    assert is_own.tolist() == [True, *[False] * 7]


def test_costs_count_for_the_innermost_own_function() -> None:
    tree, values = make_tree([(["a", "b", "c", "d"], 9), (["a", "d"], 4), (["d"], 50), (["b"], 2)])
    is_own = np.array([each in "ab" for each in NAMES])
    assert sum_own(tree, is_own, values.own).tolist() == [4, 11, 0, 0]


def test_the_cost_of_one_function_counts_for_its_callers_once() -> None:
    stacks = [(["a", "d", "b", "d"], 9), (["a", "c", "d"], 4), (["b", "d"], 7), (["b"], 99)]
    tree, values = make_tree(stacks)
    costs = list_costs_of(tree, values.total, NAMES.index("d"))
    is_own = np.array([each in "abc" for each in NAMES])
    assert sum_own(tree, is_own, costs).tolist() == [9, 7, 4, 0]


@settings(deadline=None)
@given(some_stacks)
def test_no_cost_is_lost_or_counted_twice(stacks: Stacks) -> None:
    tree, values = make_tree(stacks)
    is_own = np.array([each in "ac" for each in NAMES])
    wanted = dict.fromkeys(NAMES, 0)
    for stack, value in stacks:
        for name in reversed(stack):
            if name in "ac":
                wanted[name] += value
                break
    assert sum_own(tree, is_own, values.own).tolist() == list(wanted.values())
