"""Samples wait until their code has names, and names stay as long as a sample may need them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from native import _core_testing as core

FIRST_ID = 128
UNKNOWN = "<unknown>"
DRAINS_OF_DEAD_CODE = 50
FEWEST_DEAD = 1024  # with fewer the table is not rebuilt


@pytest.fixture(autouse=True)
def stacks() -> Iterator[None]:
    core.stacks_open()
    yield
    core.stacks_close()


def bury(first: int, n: int) -> range:
    """So many code objects that have been freed."""
    ids = range(first, first + n)
    for number in ids:
        core.stacks_learn(number, f"f{number}", True)
    return ids


def test_a_sample_waits_for_the_names_of_its_code() -> None:
    leaf, root = FIRST_ID, FIRST_ID + 1
    core.stacks_learn(root, "root")
    assert core.stacks_add((leaf, root)) == []
    assert core.stacks_take() == [leaf]
    assert core.stacks_retry() == []
    core.stacks_learn(leaf, "leaf")
    assert core.stacks_retry() == [["leaf", "root"]]
    assert core.stacks_add((leaf, root)) == [["leaf", "root"]]


def test_code_that_could_not_be_looked_up_is_requested_again() -> None:
    assert core.stacks_add((FIRST_ID,)) == []
    assert core.stacks_take() == [FIRST_ID]
    core.stacks_request_again(FIRST_ID)
    assert core.stacks_take() == [FIRST_ID]
    core.stacks_learn(FIRST_ID, "f")
    core.stacks_request_again(FIRST_ID)
    assert core.stacks_take() == []
    assert core.stacks_retry() == [["f"]]


def test_a_location_without_room_is_tried_again() -> None:
    core.stacks_learn(FIRST_ID, "f")
    core.stacks_limit(1)
    core.stacks_add((FIRST_ID,))
    core.stacks_limit(1000)
    assert core.stacks_add((FIRST_ID,)) == [["f"]]


def test_a_tombstone_counts_after_the_name_was_given_up() -> None:
    """Another interpreter was freeing the code object as a job looked for it."""
    assert core.stacks_add((FIRST_ID,)) == []
    assert core.stacks_take() == [FIRST_ID]
    core.stacks_give_up(FIRST_ID)
    assert core.stacks_retry() == [[UNKNOWN]]
    core.stacks_learn(FIRST_ID, "f", True)
    assert core.stacks_add((FIRST_ID,)) == [["f"]]
    core.stacks_give_up(FIRST_ID)
    assert core.stacks_add((FIRST_ID,)) == [["f"]]
    bury(FIRST_ID + 1, 2 * FEWEST_DEAD)
    for _ in range(3 * DRAINS_OF_DEAD_CODE):
        n_left = core.stacks_end_drain()
    assert n_left == 0  # it was counted as dead once


def test_dead_code_is_forgotten_once_its_samples_are_drained() -> None:
    dead = bury(FIRST_ID, 2 * FEWEST_DEAD)
    for _ in range(DRAINS_OF_DEAD_CODE):
        assert core.stacks_end_drain() == len(dead)
    for _ in range(DRAINS_OF_DEAD_CODE):
        n_left = core.stacks_end_drain()
    assert n_left == 0


def test_dead_code_stays_while_a_sample_waits_for_other_code() -> None:
    late, *dead = range(FIRST_ID, FIRST_ID + 2 * FEWEST_DEAD)
    bury(dead[0], len(dead))
    assert core.stacks_add((late, dead[0])) == []
    assert core.stacks_take() == [late]
    for _ in range(4 * DRAINS_OF_DEAD_CODE):  # no job got the GIL
        core.stacks_end_drain()
        assert core.stacks_retry() == []
    core.stacks_learn(late, "late")
    assert core.stacks_retry() == [["late", f"f{dead[0]}"]]
    for _ in range(2 * DRAINS_OF_DEAD_CODE):
        n_left = core.stacks_end_drain()
    assert n_left == 1  # nothing waits any more
