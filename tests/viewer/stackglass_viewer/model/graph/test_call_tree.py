"""Call trees: shape, order, recursion, sums; the C beside a few lines of Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.profiles import grow_tree, read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.graph.call_tree import CallTree, build_call_tree, sum_type
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.pprof import read_pprof
from stackglass_viewer.native import _loops


def list_paths(tree: CallTree) -> list[tuple[str, ...]]:
    paths: list[tuple[str, ...]] = [()]
    for node in range(1, tree.n_nodes):
        name = tree.frame_name[tree.frame[node]]
        paths.append((*paths[tree.parent[node]], name))
    return paths


def test_samples_with_a_common_beginning_share_it(tmp_path: Path) -> None:
    tree, values = grow_tree(
        """
        main;work;parse 30
        main;idle 5
        main;work 7
        main;work;parse 1
        """,
        tmp_path,
    )
    totals = dict(zip(list_paths(tree), values.total.tolist(), strict=True))
    assert totals == {
        (): 43,
        ("main",): 43,
        ("main", "work"): 38,
        ("main", "work", "parse"): 31,
        ("main", "idle"): 5,
    }
    assert values.own.sum() == 43


def test_parents_come_first_and_depths_fit(tmp_path: Path) -> None:
    tree, _ = grow_tree("a;b;c 1\na;c 2\nb 3\nb;b;b 4", tmp_path)
    assert tree.parent[0] == -1
    assert tree.frame[0] == -1
    for node in range(1, tree.n_nodes):
        assert tree.parent[node] < node
        assert tree.depth[node] == tree.depth[tree.parent[node]] + 1


@pytest.mark.checklist(100)
def test_recursion_is_marked_and_never_folded(tmp_path: Path) -> None:
    """Checklist 100."""
    tree, _ = grow_tree("f;g;f;f 1", tmp_path)
    assert list_paths(tree)[-1] == ("f", "g", "f", "f")
    assert tree.is_recursive.tolist() == [False, False, False, True, True]


def test_a_tree_of_nothing_is_a_root(tmp_path: Path) -> None:
    message = Message(string_table=["", "n"])
    message.sample_type.add(type=1)
    message.sample.add(value=[3])
    profile = read_pprof(message.SerializeToString(), lambda _share: True)
    tree = build_call_tree(profile)
    assert tree.n_nodes == 1
    assert sum_type(tree, profile, TypeId(0)).own.tolist() == [3]


def test_very_deep_stacks_do_not_recurse(tmp_path: Path) -> None:
    deep = ";".join(["f", "g"] * 100_000)
    profile = read_stacks(f"{deep} 1\n{deep} 2\n{deep};h 4", tmp_path)
    tree = build_call_tree(profile)
    assert tree.n_nodes == 200_002
    assert tree.depth[-1] == 200_001


def test_inlined_calls_that_explode_are_refused() -> None:
    message = Message(string_table=["", "n", "f"])
    message.sample_type.add(type=1)
    message.function.add(id=1, name=2)
    location = message.location.add(id=1)
    for _ in range(50_000):
        location.line.add(function_id=1)
    message.sample.add(location_id=[1] * 50_000, value=[1])
    profile = read_pprof(message.SerializeToString(), lambda _share: True)
    with pytest.raises(ContentError, match="too large to show"):
        build_call_tree(profile)


@pytest.mark.parametrize("n_alike", [0, 9])
def test_many_stacks_are_sorted_by_several_threads(n_alike: int) -> None:
    """``n_alike``: frames that all stacks begin with."""
    random = np.random.default_rng(7)
    n, n_frames = 300_000, 12
    sizes = random.integers(0, 9, n) + n_alike
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(sizes, out=start[1:])
    stack = random.integers(0, n_frames, start[-1]).astype(np.int32)
    for place in range(n_alike):
        stack[start[1:] - 1 - place] = place
    lines = np.arange(n_frames + 1, dtype=np.int32)
    shares: list[float] = []

    def go_on(share: float) -> bool:
        shares.append(share)
        return True

    columns = _loops.build_tree(start, stack, lines, lines[:-1], n_frames, go_on)
    parent, frame, node = (np.asarray(columns[each]) for each in ("parent", "frame", "sample_node"))
    assert shares == sorted(shares)
    assert len(np.unique(parent.astype(np.int64) * n_frames + frame)) == len(parent)
    samples = np.arange(n)
    for place in range(int(sizes.max())):  # from the leaf on
        has_more = sizes[samples] > place
        assert not node[~has_more].any()
        samples, node = samples[has_more], node[has_more]
        assert np.array_equal(frame[node], stack[start[samples] + place])
        node = parent[node]
    assert not node.any()


def test_it_can_be_cancelled(tmp_path: Path) -> None:
    profile = read_stacks("a;b 1", tmp_path)
    with pytest.raises(CancelledError):
        build_call_tree(profile, lambda _share: False)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.lists(st.integers(0, 3), max_size=7), st.integers(-5, 5)), max_size=60)
)
def test_the_loop_agrees_with_a_dictionary(samples: list[tuple[list[int], int]]) -> None:
    stacks = [stack for stack, _ in samples]
    start = np.cumsum([0, *map(len, stacks)]).astype(np.int64)
    stack = np.array([item for each in stacks for item in each], dtype=np.int32)
    # Location 3 has two lines: 0, called by 3.
    line_start = np.array([0, 1, 2, 3, 5], dtype=np.int32)
    line_frame = np.array([0, 1, 2, 0, 3], dtype=np.int32)
    columns = _loops.build_tree(start, stack, line_start, line_frame, 4, lambda _share: True)
    parent, frame, sample_node, is_recursive = (
        np.asarray(columns[name]).tolist()
        for name in ("parent", "frame", "sample_node", "is_recursive")
    )
    paths: list[tuple[int, ...]] = [()]
    for node in range(1, len(parent)):
        paths.append((*paths[parent[node]], frame[node]))
        assert is_recursive[node] == (frame[node] in paths[parent[node]])
    assert len(set(paths)) == len(paths)
    assert paths == sorted(paths)  # preorder, children in order of frames
    lines = {0: [0], 1: [1], 2: [2], 3: [3, 0]}
    for each, node in zip(stacks, sample_node, strict=True):
        assert paths[node] == tuple(line for item in reversed(each) for line in lines[item])
    want = {()} | {paths[n][:k] for n in sample_node for k in range(len(paths[n]) + 1)}
    assert set(paths) == want


@pytest.mark.parametrize(
    "spoilt",
    [
        {"stack": [0, 4]},
        {"stack": [0, -1]},
        {"start": [0, 3]},
        {"start": [1, 2]},
        {"line_start": [0, 1, 1, 3, 4]},
        {"line_frame": [0, 1, 2, 9]},
    ],
)
def test_references_out_of_range_are_refused(spoilt: dict[str, list[int]]) -> None:
    given_ = {
        "start": [0, 2],
        "stack": [0, 1],
        "line_start": [0, 1, 2, 3, 4],
        "line_frame": [0, 1, 2, 3],
    } | spoilt
    with pytest.raises(ValueError, match="out of range"):
        _loops.build_tree(
            np.array(given_["start"], dtype=np.int64),
            np.array(given_["stack"], dtype=np.int32),
            np.array(given_["line_start"], dtype=np.int32),
            np.array(given_["line_frame"], dtype=np.int32),
            4,
            lambda _share: True,
        )


def test_arrays_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError, match="parent"):
        _loops.add_up(np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64))
    read_only = np.zeros(3, dtype=np.int64)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        _loops.add_up(np.array([-1, 0, 0], dtype=np.int32), read_only)
