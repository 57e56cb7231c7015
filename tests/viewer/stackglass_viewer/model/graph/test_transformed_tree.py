"""What steps leave of a tree: the same as of stacks."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import numpy as np
import pytest

from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, build_call_tree, sum_type
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.graph.transformed_tree import transform_tree
from stackglass_viewer.model.profile.packages import package_or_library
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.transforms import (
    PATTERN_KINDS,
    Transform,
    TransformKind,
    transform_profile,
)

TIME = TypeId(1)
NAMES = ("main", "a.run", "a.stop", "b.load", "c", "libz: f", "libz: g", "libpython3.13: h", "x: y")
# A capture has a frame for each of its libraries.
LIBRARIES = "".join(f"\n{library}: * 0" for library in ("libz", "libpython3.13", "x"))
STACKS = "main;work;parse 30\nmain;save 20\nmain;work;work;parse;parse 5\nmain;work 1"


def read(text: str, folder: Path) -> Profile:
    return read_stacks(text, folder)


def list_paths(tree: CallTree, values: NodeValues) -> dict[tuple[str, ...], int]:
    """Own values by path; without those that are 0."""
    paths: list[tuple[str, ...]] = [()]
    for node in range(1, tree.n_nodes):
        name = tree.frame_name[int(tree.frame[node])]
        paths.append((*paths[int(tree.parent[node])], name))
    return {path: int(own) for path, own in zip(paths, values.own, strict=True) if own}


def list_rows(tree: CallTree, values: NodeValues) -> dict[str, tuple[int, int]]:
    top = build_top(tree, values)
    rows = zip(top.name, top.flat.tolist(), top.cum.tolist(), strict=True)
    return {name: (flat, cum) for name, flat, cum in rows if flat or cum}


def check(profile: Profile, steps: list[Transform]) -> None:
    """By the tree, and by the stacks."""
    tree = build_call_tree(profile)
    made = transform_tree(tree, steps)
    values = made.sum_values(sum_type(tree, profile, TIME))
    changed = transform_profile(profile, steps)
    expected_tree = build_call_tree(changed)
    expected = sum_type(expected_tree, changed, TIME)
    assert list_paths(made.tree, values) == list_paths(expected_tree, expected), steps
    assert list_rows(made.tree, values) == list_rows(expected_tree, expected), steps


@pytest.mark.parametrize(
    "steps",
    [
        [("focus", "save")],
        [("drop", "parse")],
        [("subtree", "work")],
        [("call_path", "main\nwork")],
        [("call_path", "main\nwork\nwork"), ("drop", "save")],
        [("call_path", "work")],
        [("merge", "work"), ("call_path", "main\nparse")],
        [("merge", "work")],
        [("merge", "main"), ("merge", "work")],
        [("merge_file", "main.py"), ("focus", "save")],
        [("package", "a")],
        [("merge", "work"), ("package", "main")],
        [("recursion", "")],
        [("merge", "work"), ("recursion", "")],
        [("recursion", ""), ("merge", "work")],
        [("focus", "parse"), ("focus", "save")],
        [("merge", "parse"), ("focus", "parse")],
        [("own_code", "")],
        [("focus_match", "^sa")],
        [("drop_match", "pars?e")],
        [("subtree_match", "ork|ave")],
        [("merge_match", "wo|pa")],
        [("show_match", "^(work|parse)$")],
        [("show_match", "save"), ("merge_match", "work")],
        [],
    ],
)
def test_steps(steps: list[tuple[str, str]], tmp_path: Path) -> None:
    chosen = [Transform(TransformKind(kind), name) for kind, name in steps]
    check(read(STACKS, tmp_path), chosen)


def test_any_steps_after_each_other(tmp_path: Path) -> None:
    chance = Random(7)
    for _ in range(60):
        lines = [
            ";".join(chance.choices(NAMES, k=chance.randint(1, 7))) + f" {chance.randint(1, 50)}"
            for _ in range(25)
        ]
        profile = read("\n".join(lines) + LIBRARIES, tmp_path)
        steps = []
        for kind in chance.choices(tuple(TransformKind), k=chance.randint(1, 4)):
            name = chance.choice(NAMES)
            if kind is TransformKind.MERGE_FILE:  # which a library's frame has from its functions
                name = f"{chance.choice(NAMES[:6]).split('.')[0]}.py"
            if kind is TransformKind.PACKAGE:
                name = package_or_library(name, "")
            if kind is TransformKind.CALL_PATH:
                stack = chance.choice(lines).rpartition(" ")[0].split(";")
                name = "\n".join(stack[: chance.randint(1, 3)])
            if kind in PATTERN_KINDS:  # not found in the file of a library's frame
                name = f"^{re.escape(name)}$"
            steps.append(Transform(kind, name))
        check(profile, steps)


def test_nodes_keep_their_numbers_while_the_tree_grows(tmp_path: Path) -> None:
    early = build_call_tree(read("main;work;parse 3\nmain;save 2", tmp_path))
    later = CallTree(
        np.append(early.parent, [2, 0]).astype(np.int32),
        np.append(early.frame, [early.frame[-1], early.frame[1]]).astype(np.int32),
        np.append(early.depth, [3, 1]).astype(np.int32),
        np.append(early.is_recursive, [False, False]),
        early.frame_name,
        early.frame_file,
        early.sample_node,
        early.frame_line,
    )
    step = [Transform(TransformKind.MERGE, "work")]
    before, after = transform_tree(early, step), transform_tree(later, step)
    assert after.node_of[: early.n_nodes].tolist() == before.node_of.tolist()
    assert after.tree.parent[: before.tree.n_nodes].tolist() == before.tree.parent.tolist()


def test_stacks_of_the_engine_end_at_the_callers_of_merged_functions(tmp_path: Path) -> None:
    tree = build_call_tree(read("main;work;parse 3", tmp_path))  # nodes 1, 2, 3
    steps = [Transform(TransformKind.MERGE, name) for name in ("work", "parse")]
    made = transform_tree(tree, steps)
    node_of_wire = np.array([0, 1, 1, 2, 3], dtype=np.int32)  # main by two lines
    wire_parent = np.array([0, 0, 0, 2, 3], dtype=np.int32)
    assert made.find_ends(node_of_wire, wire_parent).tolist() == [0, 1, 2, 2, 2]
