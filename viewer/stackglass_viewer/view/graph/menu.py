"""Context menu of a function in the call graph or the call tree."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from stackglass_viewer.view.flame.menu import COPY_PLACE, TRANSFORMS

_ENTRIES = (  # (text, name of the command); empty = a separator
    ("Zoom to this function", "zoom"),
    ("Callers and callees\tC", "sandwich"),
    ("Search for this function", "search"),
    ("", ""),
    ("Source, line by line\tL", "source"),
    ("Open in editor\tE", "editor"),
    ("", ""),
    ("Copy name", "copy"),
    (COPY_PLACE, "copy_place"),
)
_OF_GRAPHS = ("zoom", "search")  # commands that the call tree does not have


class FunctionMenu(QMenu):
    """Emits the chosen command with the function that the menu was opened for."""

    action_requested = Signal(str, int)  # name in _ENTRIES, or TransformKind's value; frame
    reset_requested = Signal()

    def __init__(
        self,
        frame: int,
        parent: QWidget,
        has_transforms: bool,
        *,
        is_graph: bool = True,
        has_copy_key: bool = False,
    ) -> None:
        """``has_transforms``: whether the view can be filtered.
        ``is_graph``: whether the view can be zoomed and searched.
        ``has_copy_key``: whether Ctrl+C copies the name in the view, not a stack or a row."""
        super().__init__(parent)
        self._frame = frame
        self.filters: QMenu | None = None
        for text, name in _ENTRIES:
            if is_graph or name not in _OF_GRAPHS:
                has_key = name == "copy" and has_copy_key
                action = self._add(self, f"{text}\tCtrl+C" if has_key else text, name)
                if name == "copy_place":
                    self._copy_place = action
        if has_transforms:
            self.addSeparator()
            filters = self.filters = self.addMenu("&Filter")
            for kind, text in TRANSFORMS:
                self._add(filters, text, kind)
        self.addSeparator()
        if not is_graph:
            return
        self.addAction("Show everything\t0").triggered.connect(lambda: self.reset_requested.emit())

    def offer_place(self, has_file: bool) -> None:
        """Enable the entry that copies file and line only if the function's file is known."""
        self._copy_place.setEnabled(has_file)

    def _add(self, menu: QMenu, text: str, name: str) -> QAction:
        if not name:
            return menu.addSeparator()
        action = menu.addAction(text)
        action.triggered.connect(lambda: self.action_requested.emit(name, self._frame))
        return action
