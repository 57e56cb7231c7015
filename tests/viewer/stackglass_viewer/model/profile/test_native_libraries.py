"""C code as one frame for each library."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.profiles import list_stacks, read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.profile.native_frames import find_library
from stackglass_viewer.model.profile.transforms import Transform, TransformKind, transform_profile

STACK = (
    "libc: main;libpython3.13: Py_RunMain;app.run;libpython3.13: cfunction_call;"
    "_zlib: compress;libz: deflate;libz: deflate_fast;libc: memcpy"
)


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("libz: inflate_fast", "libz"),
        ("libz: 0x5d80", "libz"),
        ("workcc: known::Shape::draw", "workcc"),
        ("JIT: loop at 3", "JIT"),
        ("std::vector::push_back", ""),
        ("app.run", ""),
        ("app.main.<locals>.work", ""),
        ("github.com/me/app.(*T).Run", ""),
        ("<native>", ""),
        ("(anonymous): x", ""),
        ("", ""),
    ],
)
def test_only_machine_code_has_a_library(name: str, library: str) -> None:
    assert find_library(name) == library


def test_a_library_is_one_frame_and_the_runtime_none(tmp_path: Path) -> None:
    profile = read_stacks(f"{STACK} 3\nlibc: start 1\n<no Python thread>;libz: work 2", tmp_path)
    merged = transform_profile(profile, [Transform(TransformKind.LIBRARIES)])
    assert [(stack, values[1]) for stack, values in list_stacks(merged)] == [
        (["libz: *", "_zlib: *", "app.run"], 3),
        (["libz: *", "<no Python thread>"], 2),
    ]


def test_builtin_functions_stay(tmp_path: Path) -> None:
    stack = "app.run;builtins: sorted;builtins: list.sort;libpython3.13: list_sort_impl"
    merged = transform_profile(
        read_stacks(f"{stack} 3", tmp_path), [Transform(TransformKind.LIBRARIES)]
    )
    assert [stack for stack, _ in list_stacks(merged)] == [
        ["builtins: list.sort", "builtins: sorted", "app.run"]
    ]


def test_python_alone(tmp_path: Path) -> None:
    profile = read_stacks(f"{STACK} 3\n<no Python thread>;libz: work 2", tmp_path)
    merged = transform_profile(profile, [Transform(TransformKind.PYTHON)])
    tree = build_call_tree(merged)
    values = sum_type(tree, merged, TypeId(1))
    assert [tree.frame_name[frame] for frame in tree.frame[1:].tolist()] == [
        "app.run",
        "<no Python thread>",
    ]
    assert values.own[1:].tolist() == [3, 2]


def test_a_profile_without_c_code_stays(tmp_path: Path) -> None:
    profile = read_stacks("main;work 3", tmp_path)
    assert transform_profile(profile, [Transform(TransformKind.LIBRARIES)]) is profile
