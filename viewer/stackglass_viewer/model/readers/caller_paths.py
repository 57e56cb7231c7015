"""Paths from a node to its root, in bounded memory, of formats whose stacks are trees."""

from __future__ import annotations

from collections.abc import Callable

_DEEPEST = 4096  # frames of a stack
_FREE_FRAMES = 8_000_000  # of all stacks: some 70 MB
_FRAMES_A_NODE = 32


class CallerPaths:
    """Lists stacks by the caller of each node. One thread."""

    def __init__(self, find_caller: Callable[[int], int | None], n_nodes: int) -> None:
        """``find_caller``: the caller of a node; None = it is a root."""
        self._find_caller = find_caller
        self._n_left = _FREE_FRAMES + _FRAMES_A_NODE * n_nodes

    def list_stack(self, node: int) -> list[int]:
        """The node and its callers. Raises ValueError for a circle, or too much of it."""
        stack = [node]
        while (caller := self._find_caller(stack[-1])) is not None:
            stack.append(caller)
            if len(stack) > _DEEPEST:
                raise ValueError(f"a stack of more than {_DEEPEST} frames, or a circle")
        self._n_left -= len(stack)
        if self._n_left < 0:
            raise ValueError("its stacks are too many and too deep")
        return stack
