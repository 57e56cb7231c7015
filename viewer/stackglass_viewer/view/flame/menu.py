"""Context menu of a frame in a flame graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    call_path_of,
    file_of,
    find_in,
    name_of,
    stack_text,
)
from stackglass_viewer.view.flame.view import FlameView

TRANSFORMS = (
    ("focus", "&Only stacks with this function"),
    ("subtree", "&Begin stacks with this function"),
    ("drop", "&Without stacks of this function"),
    ("merge", "&Merge this function into its callers"),
    ("merge_file", "Merge this &file into its callers"),
    ("package", "Collapse this &package or library"),
    ("recursion", "Collapse &recursion"),
    ("own_code", "Only m&y code"),
)
"""Values of TransformKind, with their texts in the menu."""
COPY_PLACE = "Copy file and line"
_SUBTREE = "Only the &subtree of this call"
_OF_ALL = ("recursion", "own_code")  # transforms that need no function


def add_subtree(menu: QMenu, scene: FlameScene | None, node: int) -> QAction:
    """Add the filter by the path of a call as the first entry. Its data is the path. Without a path
    it is disabled, and says so if it needs callers first."""
    path = call_path_of(scene, node) if scene is not None else ""
    is_inverted = scene is not None and scene.is_inverted
    action = QAction(f"{_SUBTREE} (needs callers first)" if is_inverted else _SUBTREE, menu)
    menu.insertAction(menu.actions()[0], action)
    action.setEnabled(bool(path))
    action.setData(path)
    return action


class FlameMenu(QMenu):
    """Emits the chosen command with the node that the menu was opened for.

    A live graph is refreshed while the menu is open. Then the node is the one of the same stack in
    the graph that is shown now.
    """

    zoom_requested = Signal(int)
    copy_requested = Signal(str, str)  # text for the clipboard; what it is, a key of COPIED
    search_requested = Signal(int)
    reset_requested = Signal()
    sandwich_requested = Signal(int)
    source_requested = Signal(int)
    editor_requested = Signal(int)
    transform_requested = Signal(str, int)  # TransformKind's value; node
    path_requested = Signal(str)  # show only the subtree of this call path

    def __init__(
        self,
        node: int,
        graph: FlameView,
        has_transforms: bool = False,
        *,
        stack: str | None = None,
    ) -> None:
        """``has_transforms``: whether the graph can be filtered, which adds a submenu. ``stack``:
        the text that *Copy stack* copies; None = the stack in the scene."""
        super().__init__(graph)
        self._node, self._graph, self._scene = node, graph, graph.scene
        scene = self._scene
        for text, signal in (
            ("Zoom to this frame", self.zoom_requested),
            ("Callers and callees\tC", self.sandwich_requested),
            ("Search for this function", self.search_requested),
            ("", None),
            ("Source, line by line\tL", self.source_requested),
            ("Open in editor\tE", self.editor_requested),
        ):
            if signal is None:
                self.addSeparator()
            else:
                action = self.addAction(text)
                action.triggered.connect(
                    lambda _checked=False, signal=signal: self._emit(signal.emit)
                )
        self.addSeparator()
        if scene is not None:
            self._add_copies(node, scene, stack_text(scene, node) if stack is None else stack)
        if has_transforms:
            self._add_transforms(node, scene)
        self.addSeparator()
        self.addAction("Show everything").triggered.connect(lambda: self.reset_requested.emit())

    def _emit(self, emit: Callable[[int], None]) -> None:
        """Emit the node, if the graph still has its stack."""
        old, new = self._scene, self._graph.scene
        if old is None or new is None:
            return
        node = find_in(old.tree, self._node, new.tree)
        if new.tree.depth[node] == old.tree.depth[self._node]:
            emit(node)

    def _add_copies(self, node: int, scene: FlameScene, stack: str) -> None:
        for text, what, copied in (
            ("Copy name", "name", name_of(scene, node)),
            ("Copy stack", "stack", stack),
            (COPY_PLACE, "place", file_of(scene, node)),
        ):
            action = self.addAction(text)
            action.setEnabled(bool(copied))
            action.triggered.connect(
                lambda _=False, what=what, copied=copied: self.copy_requested.emit(copied, what)
            )

    def _add_transforms(self, node: int, scene: FlameScene | None) -> None:
        self.addSeparator()
        filters = self.addMenu("&Filter")
        for kind, text in TRANSFORMS:
            action = filters.addAction(text)
            emit = partial(self.transform_requested.emit, kind)
            if kind in _OF_ALL:
                action.triggered.connect(lambda _checked=False, emit=emit: emit(0))
            else:
                action.triggered.connect(lambda _checked=False, emit=emit: self._emit(emit))
                action.setEnabled(node > 0)
        subtree = add_subtree(filters, scene, node)
        subtree.triggered.connect(lambda: self.path_requested.emit(subtree.data()))
