"""Cycles and the order of waiters and holders."""

from __future__ import annotations

from stackglass.wire.lock_waits import (
    describe_cycle,
    explain_holders,
    find_cycles,
    order_threads,
    sort_cycles,
)


def test_there_is_no_cycle_in_a_row_of_waiters() -> None:
    assert find_cycles({1: 2, 2: 3, 4: 3}) == []


def test_cycles_are_found_apart_from_who_waits_for_them() -> None:
    assert find_cycles({9: 1, 1: 2, 2: 1, 3: 4, 4: 5, 5: 3}) == [[1, 2], [3, 4, 5]]


def test_who_holds_what_it_waits_for_is_a_cycle_alone() -> None:
    assert find_cycles({1: 1, 2: 1}) == [[1]]


def test_waiters_stand_below_who_holds_them_up() -> None:
    holder_of = {2: 1, 3: 2, 4: 5, 6: 5}
    assert order_threads([2, 3, 4, 6, 7], holder_of, []) == [
        (5, 0),
        (4, 1),
        (6, 1),
        (1, 0),
        (2, 1),
        (3, 2),
        (7, 0),
    ]


def test_cycles_come_first_each_with_those_who_wait_for_it() -> None:
    holder_of = {1: 2, 2: 1, 3: 2, 4: 3, 5: 6}
    assert order_threads([5, 1, 2, 3, 4], holder_of, [[1, 2]]) == [
        (1, 0),
        (2, 0),
        (3, 1),
        (4, 2),
        (6, 0),
        (5, 1),
    ]


def test_a_long_row_needs_no_stack_of_calls() -> None:
    holder_of = {tid: tid + 1 for tid in range(1, 5000)}
    order = order_threads(list(holder_of), holder_of, find_cycles(holder_of))
    assert order[0] == (5000, 0)
    assert order[-1] == (1, 4999)


def test_a_cycle_is_what_the_engine_says_of_all_its_threads() -> None:
    holder_of = {1: 2, 2: 1, 3: 4, 4: 3, 5: 6, 6: 5, 7: 7, 8: 1}
    stuck = {1: 2, 2: 2, 3: 1, 4: 2, 5: 2, 8: 2}
    cycles = sort_cycles(holder_of, stuck)
    assert cycles.all == [[1, 2], [3, 4], [5, 6], [7]]
    assert cycles.deadlocks == [[1, 2]]
    assert cycles.possible == [[3, 4]]


def test_how_a_holder_is_known_is_said_where_it_matters() -> None:
    said = explain_holders((1, 2, 3, 4), (1, 0, 0, 0), (0, 1, 1, 0), (2, 1, 2, 1))
    assert said == {1: "inside its with", 2: "took it last"}


def test_a_cycle_in_words() -> None:
    names = {1: "A", 2: "B"}
    assert describe_cycle(
        [1, 2], {1: "app.Y", 2: ""}, {2: "inside its with"}, names.__getitem__
    ) == [
        "A waits for app.Y, which B holds",
        "B waits for a lock, which A holds (inside its with)",
    ]
    assert describe_cycle([1], {1: "app.Y"}, {}, names.__getitem__) == [
        "A waits for app.Y, which it holds itself"
    ]
