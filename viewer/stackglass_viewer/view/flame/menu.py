"""Context menu of a frame."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget


class FlameMenu(QMenu):
    """Emits the node that it was opened for."""

    zoom_requested = Signal(int)
    name_requested = Signal(int)
    stack_requested = Signal(int)
    search_requested = Signal(int)
    reset_requested = Signal()
    sandwich_requested = Signal(int)
    source_requested = Signal(int)
    editor_requested = Signal(int)

    def __init__(self, node: int, parent: QWidget) -> None:
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
        self.addSeparator()
        self.addAction("Show everything").triggered.connect(lambda: self.reset_requested.emit())
