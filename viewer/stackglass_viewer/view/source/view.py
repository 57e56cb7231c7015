"""Source view: the source file of the chosen function, with the cost of each line."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from stackglass_viewer.presenter.tables.source_model import SourceModel, SourceText
from stackglass_viewer.view.source.painter import SourcePainter
from stackglass_viewer.view.tables.column_sizing import ColumnSizing
from stackglass_viewer.view.tables.copied_table import CopiedTable
from stackglass_viewer.view.tables.header import TableHeader
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.empty_note import EmptyNote
from stackglass_viewer.view.widgets.theme import Theme

_WIDTHS_PX = (86, 86, 76, 64, 900)  # of the model's columns
_TEXT = 4  # index of the text column
_SIDE_PX, _SPACING_PX = 12, 8  # margin and spacing of the head
_ROWS_ABOVE = 6  # rows that stay visible above the line that is scrolled to


class _SourceTable(CopiedTable):
    """A table of lines, which cannot be sorted."""

    line_activated = Signal(int)  # row

    def __init__(self, model: SourceModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(model, theme, parent, SourcePainter(model, theme))
        self.setModel(model)
        self._header = TableHeader(theme, lambda section: _WIDTHS_PX[section], self)
        self._header.setSectionsClickable(False)
        self._header.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        self.setHorizontalHeader(self._header)
        for column, width_px in enumerate(_WIDTHS_PX):
            self.setColumnWidth(column, width_px)
        self._sizing = ColumnSizing(self, _WIDTHS_PX, (_TEXT,))
        self.width_lacked.connect(self._sizing.widen)
        self.setAccessibleName("Source lines")
        self.doubleClicked.connect(lambda index: self.line_activated.emit(index.row()))

    def go_to(self, row: int) -> None:
        """Select a row, and scroll so that some rows above it are visible, too."""
        self.selectRow(row)
        self.updateGeometries()  # else the scroll bar does not know rows that have just come
        above = self.model().index(max(0, row - _ROWS_ABOVE), 0)
        self.scrollTo(above, self.ScrollHint.PositionAtTop)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._header.theme = theme
        self._header.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._sizing.share()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.line_activated.emit(self.currentIndex().row())
        elif event.key() in (Qt.Key.Key_N, Qt.Key.Key_E) and not event.modifiers():
            event.ignore()  # for SourceView: Qt would jump to a line that begins with the letter
        else:
            super().keyPressEvent(event)


class SourceView(CompoundWidget):
    """Shows the model's file; call ``show_text`` after the model has taken another text."""

    editor_requested = Signal(str, int)  # path on this machine, line
    folder_requested = Signal(str)  # file that was not found: ask for a folder to find it in

    def __init__(self, model: SourceModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        # The function, its file, and whether the file was found; None = nothing is shown.
        self._shown: tuple[str, str, bool] | None = None
        self._place = ElidedLabel(Qt.TextElideMode.ElideMiddle, self)
        self._place.setAccessibleName("Source file")
        self._hint = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._hint.setObjectName("hint")
        self._next_hot = self._make_button(
            "Costliest line", "Go to the costliest line; again: the next (N)"
        )
        self._edit = self._make_button("Open in editor", "Open this line in your editor (E)")
        self._find = self._make_button("Find sources…", "Choose a folder to look for sources in")
        self._table = _SourceTable(model, theme, self)
        self._empty = EmptyNote(self._table)
        self.set_entry(self._table)
        head = QHBoxLayout()
        head.setContentsMargins(_SIDE_PX, 8, _SIDE_PX, 8)
        head.setSpacing(_SPACING_PX)
        head.addWidget(self._place, 2)
        head.addWidget(self._hint, 3)
        for button in (self._find, self._next_hot, self._edit):
            head.addWidget(button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(head)
        whole.addWidget(self._table, 1)
        self._next_hot.clicked.connect(self._go_to_next_hot)
        self._edit.clicked.connect(lambda: self._open_row(self._table.currentIndex().row()))
        self._find.clicked.connect(self._on_find)
        self._table.line_activated.connect(self._open_row)
        self.show_text(model.text)

    def _make_button(self, text: str, about: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(about)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def set_theme(self, theme: Theme) -> None:
        self._table.set_theme(theme)

    def minimumSizeHint(self) -> QSize:
        """Return a width that does not depend on the text, so that other views keep theirs."""
        buttons_px = self._next_hot.sizeHint().width() + self._edit.sizeHint().width()
        least_px = max(buttons_px, self._find.sizeHint().width()) + 2 * _SIDE_PX + 3 * _SPACING_PX
        return QSize(least_px, super().minimumSizeHint().height())

    def show_text(self, text: SourceText | None) -> None:
        """Show the model's text; None = no function with a source is chosen."""
        is_there = text is not None and text.lines is not None
        is_lost = text is not None and not is_there
        self._edit.setEnabled(is_there)
        self._edit.setVisible(not is_lost)
        self._next_hot.setVisible(not is_lost)
        self._find.setVisible(is_lost)
        self._next_hot.setEnabled(bool(self._model.list_hot()))
        self._empty.setVisible(not self._model.rowCount())
        if text is None:
            self._shown = None
            self._place.set_text("")
            self._hint.set_text("")
            self._empty.say("No source", "No function that is shown has a source file.")
            return
        self._place.set_text(text.path or text.file)
        self._hint.set_text(_describe(text))
        self._empty.say("No lines", _describe(text))
        shown = (text.function, text.file, is_there)
        if shown != self._shown:  # a refresh does not scroll
            self._shown = shown
            self._go_to(self._model.row_of(text.first))

    def clear_selection(self) -> bool:
        """Clear the selection; returns whether a line was selected."""
        if not self._table.selectionModel().hasSelection():
            return False
        self._table.setCurrentIndex(QModelIndex())
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_N and not event.modifiers():
            self._go_to_next_hot()
        elif event.key() == Qt.Key.Key_E and not event.modifiers():
            self._open_row(self._table.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def _go_to(self, row: int) -> None:
        if row >= 0:
            self._table.go_to(row)

    def _go_to_next_hot(self) -> None:
        hot = self._model.list_hot()
        if hot:
            here = self._table.currentIndex().row()
            at = hot.index(here) + 1 if here in hot else 0
            self._go_to(hot[at % len(hot)])

    def _open_row(self, row: int) -> None:
        text = self._model.text
        if text is not None and text.path:
            self.editor_requested.emit(text.path, self._model.line_at(row) or text.first)

    def _on_find(self) -> None:
        text = self._model.text
        if text is not None:
            self.folder_requested.emit(text.file)


def _describe(text: SourceText) -> str:
    """Return the function's name with notes on what the file or its numbers lack."""
    parts = [text.function]
    if text.lines is None:
        parts.append("this file is not on this machine")
    if not text.has_samples:
        parts.append("no samples of this type")
    elif not text.has_numbers:
        parts.append("the profile records no line numbers")
    elif not text.has_lines:
        parts.append("costs of whole functions, at the line where each begins")
    if text.is_newer:
        parts.append("the file was changed after the profile was taken: lines may have moved")
    return "  ·  ".join(parts)
