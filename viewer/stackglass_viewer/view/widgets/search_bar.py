"""Search bar: a field for a pattern, with the number of matches and their share."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from stackglass_viewer.model.units import format_share
from stackglass_viewer.presenter.settings.view_state import SearchResult
from stackglass_viewer.view.widgets.elided_label import FittedLabel
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.search_field import SearchField
from stackglass_viewer.view.widgets.theme import Theme

_DELAY_MS = 100
_WIDTH_PX, _LEAST_PX = 180, 110


class _Field(SearchField):
    step_requested = Signal(int)  # 1 = next match, -1 = the one before

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            backwards = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.step_requested.emit(-1 if backwards else 1)
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH_PX, super().sizeHint().height())


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
        self._field.setMinimumWidth(_LEAST_PX)
        self._field.setMaximumWidth(_WIDTH_PX)
        self._lens = QAction("Search", self)  # the text is for screen readers
        self._field.addAction(self._lens, QLineEdit.ActionPosition.LeadingPosition)
        self._result = FittedLabel(Qt.TextElideMode.ElideRight, self)
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
        """Enter a pattern and emit it at once."""
        self._field.setText(pattern)
        self._delay.stop()
        self.pattern_changed.emit(pattern)

    @property
    def pattern(self) -> str:
        return self._field.text()

    def show_result(self, result: SearchResult | None) -> None:
        """Show the result of a search; None = there is no search."""
        error = result.error if result is not None else ""
        state = "bad" if error else ""
        if self._field.property("state") != state:
            self._field.setProperty("state", state)
            self._field.style().unpolish(self._field)
            self._field.style().polish(self._field)
        found, share = _say(result)
        self._result.set_text(f"{found} · {share}" if share else found)
        # Without the share, which changes all the time: screen readers read each change.
        self._field.setAccessibleDescription(found)

    def _on_step(self, step: int) -> None:
        if self._delay.isActive():
            self._delay.stop()
            self.pattern_changed.emit(self._field.text())
        self.step_requested.emit(step)


def _say(result: SearchResult | None) -> tuple[str, str]:
    """Return the number of matches or the error, and the share, as texts."""
    if result is None:
        return "", ""
    if result.error:
        return result.error, ""
    if result.n_functions == 0:
        return "no match", ""
    share = "" if result.share is None else format_share(result.share)
    if result.place:
        return f"{result.place} of {result.n_places}", share
    n_functions = result.n_functions
    return "1 function" if n_functions == 1 else f"{n_functions} functions", share
