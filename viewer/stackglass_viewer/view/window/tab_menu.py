"""Tab menu: the context menu of a tab, to move it to another window or to close it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.view.widgets.shown_text import escape_ampersands


class TabMenu(QMenu):
    """The menu deletes itself when it is closed."""

    window_chosen = Signal(int)  # index in ``windows``; −1 = a new window

    def __init__(
        self,
        windows: Sequence[str],
        *,
        is_alone: bool,
        close: Callable[[], object],
        parent: QWidget,
    ) -> None:
        """``windows``: titles of the other windows.
        ``is_alone``: whether this is the window's only tab, which needs no new window.
        ``close``: called to close the tab."""
        super().__init__(parent)
        new = self.addAction("Move tab to &new window")
        new.triggered.connect(lambda: self.window_chosen.emit(-1))
        new.setEnabled(not is_alone)
        if windows:
            others = self.addMenu("Move tab &to window")
            for number, title in enumerate(windows):
                text = escape_ampersands(make_printable(title))
                others.addAction(text).triggered.connect(
                    lambda _checked=False, number=number: self.window_chosen.emit(number)
                )
        self.addSeparator()
        self.addAction("&Close tab").triggered.connect(lambda: close())
        self.aboutToHide.connect(self.deleteLater)
