"""Stacks merged by function."""

from __future__ import annotations

from array import array

import pytest

from stackglass.graph.tree import Box, build_tree
from stackglass.wire.pprof import ProfileTables, SampleType
from stackglass.wire.stack_tables import Frame, StackTables

Stack = tuple[str, ...]


def make_tables(rows: dict[Stack, int], lines: int = 1) -> ProfileTables:
    """Stacks of names, root first, with a second sample type of ones. ``lines``: of how many lines
    of the last function the value comes."""
    stacks = StackTables()
    nodes, values = [], []
    for stack, value in rows.items():
        for line in range(lines):
            frames = [Frame(name, name, f"{name[0]}.py", 3, 10) for name in stack]
            frames[-1] = frames[-1]._replace(line=10 + line)
            nodes.append(stacks.add(frames))
            values.append(value // lines)
    return stacks.build("python")._replace(
        sample_node=array("I", nodes),
        sample_labels=array("I", [0] * len(nodes)),
        sample_values=(
            array("Q", [value % 2**64 for value in values]),
            array("Q", [1] * len(values)),
        ),
        sample_types=(SampleType("cpu", "nanoseconds"), SampleType("samples", "count")),
        default_type="cpu",
    )


def flatten(box: Box, depth: int = 0) -> list[tuple[int, str, int]]:
    rows = [(depth, box.function.name, box.total)]
    for callee in box.list_callees():
        rows += flatten(callee, depth + 1)
    return rows


ROWS = {("m", "a"): 10, ("m", "b", "a"): 30, ("m",): 4, ("m", "b"): 2}


def test_lines_of_a_function_are_one_box() -> None:
    tree = build_tree(make_tables(ROWS, lines=2))
    assert (tree.sample_type, tree.unit) == ("cpu", "nanoseconds")
    assert flatten(tree.root) == [
        (0, "all", 46),
        (1, "m", 46),
        (2, "b", 32),
        (3, "a", 30),
        (2, "a", 10),
    ]
    assert tree.root.callees.popitem()[0] == ("m", "m.py", 3)


def test_another_sample_type() -> None:
    tree = build_tree(make_tables(ROWS), "samples")
    assert (tree.root.total, tree.unit) == (4, "count")
    with pytest.raises(ValueError, match="'space'"):
        build_tree(make_tables(ROWS), "space")


def test_what_shrank_is_left_out() -> None:
    tree = build_tree(make_tables({("m", "a"): -5, ("m", "b"): 7}))
    assert flatten(tree.root) == [(0, "all", 7), (1, "m", 7), (2, "b", 7)]


def test_what_a_start_itself_calls_may_be_left_out() -> None:
    """As IPython, which prints the exception of a cell: but what the cell calls of it is kept."""
    rows = {("run", "cell"): 5, ("run", "own", "b"): 3, ("run", "own", "run", "cell", "own"): 2}
    tree = build_tree(
        make_tables(rows),
        is_start=lambda name, file: name == "run",
        is_left_out=lambda name: name == "own",
    )
    assert flatten(tree.root) == [(0, "all", 7), (1, "cell", 7), (2, "own", 2)]


def test_stacks_begin_above_the_innermost_start() -> None:
    rows = {("m", "run", "run", "cell"): 5, ("m", "run", "magic"): 1, ("thread",): 3, ("m",): 2}
    tree = build_tree(make_tables(rows), is_start=lambda name, file: name == "run")
    assert flatten(tree.root) == [
        (0, "all", 11),
        (1, "cell", 5),
        (1, "thread", 3),
        (1, "m", 2),
        (1, "magic", 1),
    ]


def test_what_is_left_out_counts_only_above_a_start() -> None:
    rows = {
        ("m", "kernel", "run", "cell", "kernel"): 5,
        ("m", "kernel", "wait"): 7,
        ("kernel",): 3,
        ("thread",): 2,
    }
    tree = build_tree(
        make_tables(rows),
        is_start=lambda name, file: name == "run",
        is_left_out=lambda name: name == "kernel",
    )
    assert flatten(tree.root) == [
        (0, "all", 7),
        (1, "cell", 5),
        (2, "kernel", 5),
        (1, "thread", 2),
    ]


def test_an_empty_profile() -> None:
    assert flatten(build_tree(make_tables({})).root) == [(0, "all", 0)]
