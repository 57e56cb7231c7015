"""Paths to the root: cycles and too many frames end."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.readers import caller_paths
from stackglass_viewer.model.readers.caller_paths import CallerPaths


def test_a_stack_is_the_node_and_its_callers() -> None:
    assert CallerPaths({3: 1, 1: 0}.get, 4).list_stack(3) == [3, 1, 0]


def test_a_cycle_ends() -> None:
    with pytest.raises(ValueError, match="a stack of more than 65536 frames, or a cycle"):
        CallerPaths({0: 1, 1: 0}.get, 2).list_stack(0)


def test_all_stacks_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller_paths, "FREE_FRAMES", 10)
    callers = [None, *range(99)]
    paths = CallerPaths(callers.__getitem__, 100)
    for _ in range(32):
        paths.list_stack(99)
    with pytest.raises(ValueError, match="too many and too deep"):
        paths.list_stack(99)
