"""Reader of trees of JSON objects, for formats in which a node contains its children.

::

    {"function": "main", "children": [{"function": "work", "children": []}, …]}

Each node is processed as soon as the parser has read it, so a Python tree of the whole file, which
would take ten to thirty times the file's size, never exists. Children come before their parents.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.readers.caller_paths import CallerPaths
from stackglass_viewer.model.readers.text_rows import Progress

_REPORT_EVERY = 4096  # nodes
_NO_CALLER = -1


class NodeNumber(int):
    """Number that replaces a node in its parent; its type distinguishes it from other numbers."""


class JsonTree:
    """A tree that was read. Used by one thread."""

    def __init__(self, document: Any, callers: array[int]) -> None:
        self._document = document
        self._callers = callers

    @property
    def document(self) -> Any:
        """The document around the tree."""
        return self._document

    def check_root(self, node: object) -> None:
        """Raise TypeError if ``node`` is not a node."""
        if not isinstance(node, NodeNumber):
            raise TypeError("the tree's root is missing")

    def list_callers(self) -> Int64s:
        """Return (n_nodes,) the caller of each node; -1 = the node is a root."""
        return np.array(self._callers, dtype=np.int64)

    def find_paths(self) -> CallerPaths:
        """Return the paths from nodes to the root."""
        return CallerPaths(self._find_caller, len(self._callers))

    def _find_caller(self, node: int) -> int | None:
        caller = self._callers[node]
        return None if caller == _NO_CALLER else caller


def read_tree(
    content: bytes | bytearray,
    keys: tuple[str, ...],
    add_node: Callable[[dict[str, Any]], None],
    progress: Progress,
) -> JsonTree:
    """Read a tree. An object is a node if it has all ``keys``. ``add_node`` receives each node,
    with numbers in ``children``. Raises the exceptions that `json_damage` lists, and what
    ``progress`` raises."""
    callers = array("i")
    n_nodes = max(content.count(f'"{keys[0]}"'.encode()), 1)
    first, *others = keys

    def take(found: dict[str, Any]) -> Any:
        if first not in found:  # true of half of the objects in some formats
            return found
        for key in others:
            if key not in found:
                return found
        number = NodeNumber(len(callers))
        for child in found.get("children") or ():
            if not isinstance(child, NodeNumber):
                raise TypeError("a child that is not a node")
            callers[child] = number
        callers.append(_NO_CALLER)
        add_node(found)
        if number % _REPORT_EVERY == 0:
            progress(min(number / n_nodes, 1.0))
        return number

    text = content.decode("utf-8-sig", "surrogatepass")
    return JsonTree(json.loads(text, object_hook=take), callers)
