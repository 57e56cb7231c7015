"""Graph tools: buttons for back, forward and show everything."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme


class GraphTools(QWidget):
    """Three buttons beside a graph. They emit signals; the page acts on them."""

    step_requested = Signal(int)  # -1 = back, 1 = forward
    reset_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._back = self._button("Back (Alt+Left)")
        self._forward = self._button("Forward (Alt+Right)")
        self._reset = self._button("Show everything (0)")
        self._back.clicked.connect(lambda: self.step_requested.emit(-1))
        self._forward.clicked.connect(lambda: self.step_requested.emit(1))
        self._reset.clicked.connect(self.reset_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for button in (self._back, self._forward, self._reset):
            row.addWidget(button)

    def _button(self, tool_tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setToolTip(tool_tip)
        button.setAccessibleName(tool_tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def show_history(self, may_go_back: bool, may_go_forward: bool) -> None:
        self._back.setEnabled(may_go_back)
        self._forward.setEnabled(may_go_forward)

    def set_theme(self, theme: Theme) -> None:
        for button, name in (
            (self._back, "back"),
            (self._forward, "forward"),
            (self._reset, "reset"),
        ):
            button.setIcon(load_icon(name, theme.text, theme.faint))
