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
    sizes, frames = tree.spread([work, main])
    assert (sizes.tolist(), frames.tolist()) == ([2, 1], [9, 7, 7])
    assert (tree.find_above(work, 1), tree.find_above(work, 2)) == (main, EMPTY)


def test_what_numbers_no_frame_is_an_error() -> None:
    with pytest.raises(OverflowError):
        StackTree().push(EMPTY, 2**31)
    with pytest.raises(TypeError):
        StackTree().push(EMPTY, "main")  # type: ignore[arg-type] # as damaged files have it
