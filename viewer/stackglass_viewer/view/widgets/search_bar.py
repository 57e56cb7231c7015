"""The search field over the flame graph: pattern, matches, their share."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from stackglass_viewer.model.units import format_share
from stackglass_viewer.presenter.settings.view_state import SearchResult
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme

_DELAY_MS = 100


class _Field(QLineEdit):
    step_requested = Signal(int)  # 1 = next match, -1 = the one before

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            backwards = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.step_requested.emit(-1 if backwards else 1)
        else:
            super().keyPressEvent(event)


class SearchBar(QWidget):
    """Emits the pattern a moment after the last key; Enter steps through the matches."""

    pattern_changed = Signal(str)
    step_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = _Field(self)
        self._field.setPlaceholderText("Search")
        self._field.setAccessibleName("Search")
        self._field.setToolTip("Regular expression over names and files (Ctrl+F)")
        self._field.setClearButtonEnabled(True)
        self._field.setFixedWidth(180)
        self._lens = QAction(self)
        self._field.addAction(self._lens, QLineEdit.ActionPosition.LeadingPosition)
        self._result = QLabel(self)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_DELAY_MS)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._result)
        row.addWidget(self._field)
        self._field.textChanged.connect(self._delay.start)
        self._delay.timeout.connect(lambda: self.pattern_changed.emit(self._field.text()))
        self._field.step_requested.connect(self._on_step)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._lens.setIcon(load_icon("search", theme.muted))

    def focus(self) -> None:
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def set_pattern(self, pattern: str) -> None:
        """Search for this at once."""
        self._field.setText(pattern)
        self._delay.stop()
        self.pattern_changed.emit(pattern)

    @property
    def pattern(self) -> str:
        return self._field.text()

    def show_result(self, result: SearchResult | None) -> None:
        """None: nothing is searched for."""
        error = result.error if result is not None else ""
        self._field.setProperty("state", "bad" if error else "")
        self._field.style().unpolish(self._field)
        self._field.style().polish(self._field)
        if result is None:
            self._result.setText("")
        elif error:
            self._result.setText(error)
        elif result.n_functions == 0:
            self._result.setText("no match")
        elif result.place:
            share = format_share(result.share)
            self._result.setText(f"{result.place} of {result.n_places} · {share}")
        else:
            functions = (
                "1 function" if result.n_functions == 1 else f"{result.n_functions} functions"
            )
            self._result.setText(f"{functions} · {format_share(result.share)}")

    def _on_step(self, step: int) -> None:
        if self._delay.isActive():
            self._delay.stop()
            self.pattern_changed.emit(self._field.text())
        self.step_requested.emit(step)
