"""Context menu of a frame in a flame graph."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

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
_OF_ALL = ("recursion", "own_code")  # transforms that need no function


class FlameMenu(QMenu):
    """Emits the chosen command with the node that the menu was opened for."""

    zoom_requested = Signal(int)
    name_requested = Signal(int)
    stack_requested = Signal(int)
    search_requested = Signal(int)
    reset_requested = Signal()
    sandwich_requested = Signal(int)
    source_requested = Signal(int)
    editor_requested = Signal(int)
    transform_requested = Signal(str, int)  # TransformKind's value; node

    def __init__(self, node: int, parent: QWidget, has_transforms: bool = False) -> None:
        """``has_transforms``: whether the graph can be filtered, which adds a submenu."""
        super().__init__(parent)
        for text, signal in (
            ("Zoom to this frame", self.zoom_requested),
            ("Callers and callees\tC", self.sandwich_requested),
            ("Search for this function", self.search_requested),
            ("", None),
            ("Source, line by line\tL", self.source_requested),
            ("Open in editor\tE", self.editor_requested),
            ("", None),
            ("Copy name", self.name_requested),
            ("Copy stack", self.stack_requested),
        ):
            if signal is None:
                self.addSeparator()
            else:
                action = self.addAction(text)
                action.triggered.connect(lambda _checked=False, s=signal: s.emit(node))
        if has_transforms:
            self._add_transforms(node)
        self.addSeparator()
        self.addAction("Show everything").triggered.connect(lambda: self.reset_requested.emit())

    def _add_transforms(self, node: int) -> None:
        self.addSeparator()
        filters = self.addMenu("&Filter")
        for kind, text in TRANSFORMS:
            action = filters.addAction(text)
            action.triggered.connect(
                lambda _checked=False, kind=kind: self.transform_requested.emit(kind, node)
            )
            action.setEnabled(node > 0 or kind in _OF_ALL)
