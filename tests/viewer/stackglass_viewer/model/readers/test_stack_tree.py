"""Stacks as nodes of a tree."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.readers.stack_tree import EMPTY, StackTree


def test_equal_stacks_are_one_node() -> None:
    tree = StackTree()
    main = tree.push(EMPTY, 7)
    work = tree.push(main, 9)
    assert tree.push(tree.push(EMPTY, 7), 9) == work
    assert tree.push(EMPTY, 9) != work
    paths = tree.find_paths()
    assert tree.list_frames(paths, work) == [9, 7]
    assert tree.list_frames(paths, EMPTY) == []


def test_what_numbers_no_frame_is_an_error() -> None:
    with pytest.raises(OverflowError):
        StackTree().push(EMPTY, 2**31)
    with pytest.raises(TypeError):
        StackTree().push(EMPTY, "main")  # type: ignore[arg-type] # as damaged files have it
