"""Trees of JSON objects, as formats have them whose nodes hold their children.

::

    {"function": "main", "children": [{"function": "work", "children": []}, …]}

A node is taken as soon as the parser has read it, so a tree of the whole file never exists: it
would take ten to thirty times the file. Children are read before their parents.
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
    """What stands for a node in its parent: a number of the file's own is none."""


class JsonTree:
    """A tree that was read. One thread."""

    def __init__(self, document: Any, callers: array[int]) -> None:
        self._document = document
        self._callers = callers

    @property
    def document(self) -> Any:
        """What is around the tree."""
        return self._document

    def check_root(self, node: object) -> None:
        """Raises TypeError for what is no node."""
        if not isinstance(node, NodeNumber):
            raise TypeError("the tree's root is missing")

    def list_callers(self) -> Int64s:
        """(n_nodes,) the caller of each node; -1 = it is a root."""
        return np.array(self._callers, dtype=np.int64)

    def find_paths(self) -> CallerPaths:
        """From nodes to the root."""
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
    """``keys``: all nodes have them, and other objects lack one. ``add_node`` receives each node,
    with numbers in ``children``. Raises what `json_damage` lists; what ``progress`` raises."""
    callers = array("i")
    n_nodes = max(content.count(f'"{keys[0]}"'.encode()), 1)
    first, *others = keys

    def take(found: dict[str, Any]) -> Any:
        if first not in found:  # half of the objects of some formats
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
