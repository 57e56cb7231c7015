"""Function selection of a tab: one function, in the graph, in the table and in the sandwich."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    FunctionKey,
    find_again,
    find_widest,
)
from stackglass_viewer.presenter.document.sandwich import SandwichChoice
from stackglass_viewer.presenter.worker import Worker


class FunctionSelection(QObject):
    """Keeps graph, table and sandwich on the same function. GUI thread."""

    changed = Signal()  # another function is selected
    function_chosen = Signal(int)  # function that the table is to select; -1 = none
    function_located = Signal(int)  # the node that ``locate`` found
    node_dropped = Signal()  # the selected node no longer belongs to the selected function

    def __init__(
        self, worker: Worker, sandwich: SandwichChoice, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._worker = worker
        self._sandwich = sandwich
        self._scene: FlameScene | None = None
        self._function = -1
        self._key: FunctionKey | None = None  # of the selected function; None = not known

    @property
    def function(self) -> int:
        """The selected function; -1 = none."""
        return self._function

    @property
    def key(self) -> FunctionKey | int:
        """The selected function by name and file, which stay when its number changes; without
        stacks by its number. -1 = none."""
        return self._function if self._key is None else self._key

    def find(self, key: FunctionKey | int) -> int:
        """Return the function that had this ``key``; -1 = it is not there."""
        if isinstance(key, int):
            return key
        if self._scene is None:
            return -1
        tree = self._scene.tree
        return find_again(key, self._function, tree.frame_name, tree.frame_file)

    def set_scene(self, scene: FlameScene | None) -> None:
        """Note another graph; the table selects the function again."""
        self._scene = scene
        if scene is not None and self._key is not None:
            self._select(self.find(self._key))
        self.function_chosen.emit(self._function)

    def forget(self) -> None:
        """Release large objects, after the document's threads have ended."""
        self._scene = None

    def select_node(self, node: int) -> None:
        """Select the function of a chosen node of the graph; -1 = none."""
        if self._scene is not None:
            function = self.function_of(node)
            self._select(function)
            self.function_chosen.emit(function)

    def select_function(self, function: int) -> None:
        """Select the function of a chosen row of the table."""
        self._select(function)
        self.node_dropped.emit()

    def choose_function(self, function: int) -> None:
        """Select a function in the sandwich and in the table."""
        self._select(function)
        self.function_chosen.emit(function)
        self.node_dropped.emit()

    def function_of(self, node: int) -> int:
        """Return the function of a node of the graph; -1 = none."""
        return int(self._scene.tree.frame[node]) if self._scene is not None and node >= 0 else -1

    def locate(self, function: int) -> None:
        """Look for the widest node of a function; ``function_located`` follows if it has one."""
        scene = self._scene
        if scene is None or function < 0:
            return
        self._worker.submit(
            "locate",
            lambda: find_widest(scene, function),
            lambda node: self._on_located(node, function, scene),
        )

    def _on_located(self, node: int, function: int, scene: FlameScene) -> None:
        if scene is not self._scene:
            self.locate(function)  # another graph is shown, which has other node numbers
        elif node >= 0:
            self.function_located.emit(node)

    def _select(self, function: int) -> None:
        self._sandwich.choose(function)
        if function != self._function:
            self._function, self._key = function, self._find_key(function)
            self.changed.emit()

    def _find_key(self, function: int) -> FunctionKey | None:
        if self._scene is None or not 0 <= function < len(self._scene.tree.frame_name):
            return None
        return self._scene.tree.frame_name[function], self._scene.tree.frame_file[function]
