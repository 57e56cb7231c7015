"""The session's tables: equal stacks are one node, and what finds no room says so."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from native import _core_testing as core

ROOMY = 1 << 20
EMPTY, TRUNCATED = 0, 1

names = st.text(alphabet="abc€", min_size=1, max_size=2)
stacks_of_names = st.lists(st.lists(names, max_size=6).map(tuple), max_size=40).map(tuple)


@given(stacks_of_names)
def test_nodes_are_equal_if_and_only_if_stacks_are(stacks: tuple[tuple[str, ...], ...]) -> None:
    nodes, _, _, n_nodes = core.intern_stacks(ROOMY, ROOMY, stacks)
    assert len(set(zip(stacks, nodes, strict=True))) == len(set(stacks)) == len(set(nodes))
    prefixes = {stack[:n] for stack in stacks for n in range(1, len(stack) + 1)}
    assert n_nodes == len(prefixes) + 2  # the empty stack, and <truncated>


def test_tables_grow() -> None:
    many = tuple((f"f{n % 997}", f"g{n}") for n in range(20_000))
    nodes, n_strings, n_locations, n_nodes = core.intern_stacks(ROOMY, ROOMY, many)
    assert len(set(nodes)) == len(many)
    assert (n_strings, n_locations) == (20_997 + 3, 20_997 + 2)  # "", <unknown>, <truncated>
    assert n_nodes == 20_997 + 2


def test_the_empty_stack_is_node_0_and_a_stack_of_the_unknown_is_not() -> None:
    nodes, *_ = core.intern_stacks(ROOMY, ROOMY, ((), ("<unknown>",), ("<truncated>",)))
    assert nodes[0] == EMPTY
    assert EMPTY not in nodes[1:]


def test_what_finds_no_room_in_the_tree_is_truncated() -> None:
    many = tuple((f"f{n}",) for n in range(100))
    nodes, _, _, n_nodes = core.intern_stacks(ROOMY, 20, many)
    assert n_nodes == 20
    assert set(nodes[20:]) <= {TRUNCATED, max(nodes)}  # or <unknown>, where its row is a node
    assert len(nodes) == len(many)


def test_names_that_find_no_room_are_unknown() -> None:
    names = ("a" * 10, "b" * 60, "c" * 60, "")
    nodes, n_strings, _, _ = core.intern_stacks(40, ROOMY, tuple((name,) for name in names))
    assert n_strings == 4  # "", <unknown>, <truncated>, a…
    assert nodes[1] == nodes[2] != nodes[3]


def test_a_key_that_goes_back_to_an_earlier_value_has_another_row() -> None:
    """Readers take the last row of a thread, and of a function, for the one that counts."""
    rows = ((7, 1, 3, "f"), (7, 2, 3, ""), (7, 1, 3, "f"), (8, 1, 0, "g"), (8, 1, 0, "g"))
    starts, known = core.intern_last_rows(rows)
    assert starts == [(7, 1), (7, 2), (7, 1), (8, 1)]
    assert known == [(3, "f"), (3, ""), (3, "f"), (0, "g")]
