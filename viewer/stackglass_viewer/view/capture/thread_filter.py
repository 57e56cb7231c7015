"""Thread filter: a button that opens the list of threads."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.model.units import format_share, make_printable
from stackglass_viewer.presenter.settings.thread_choice import ALL_THREADS
from stackglass_viewer.presenter.tables.thread_model import SHARE_ROLE, ThreadModel
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.popup_place import keep_in_window
from stackglass_viewer.view.widgets.shown_text import escape_ampersands
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_WIDTH_PX = 300
_ROW_PX = 28
_MAX_ROWS = 12
_BATCH_ROWS = 500
_BOX_PX = 11  # left edge of the check boxes
_BOX_END_PX = 28  # a click left of it is on a check box
_FRAME_PX = 142  # height of the search field, the button, the check box and the margins
_SHARE_PX = 64


class _ThreadDelegate(QStyledItemDelegate):
    """Paints a thread's row with its share of the CPU at the right end.

    The row with the keyboard focus has another background.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(0, _ROW_PX)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.fillRect(option.rect, QColor(self.theme.accent_soft))
        share = index.data(SHARE_ROLE)
        whole = QRect(option.rect)  # a copy: option.rect is changed below
        option.rect = whole.adjusted(0, 0, -_SHARE_PX, 0)
        super().paint(painter, option, index)
        painter.save()
        painter.setFont(fixed_font())
        painter.setPen(QPen(QColor(self.theme.muted)))
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(whole.adjusted(0, 0, -10, 0), side, format_share(share))
        painter.restore()


class _SearchField(QLineEdit):
    """A line edit that emits ``left`` when the down arrow leads to the list."""

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class _ThreadPopup(QFrame):
    """The popup with the list of threads. A click outside closes it."""

    def __init__(self, model: ThreadModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("card")
        self._model = model
        self._list = QListView(self)
        self._list.setAccessibleName("Threads")
        self._list.setModel(model)
        self._list.setSelectionMode(QListView.SelectionMode.NoSelection)
        self._list.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # keeps the ×count at the end
        self._delegate = _ThreadDelegate(theme, self._list)
        self._list.setItemDelegate(self._delegate)
        self._list.setUniformItemSizes(True)  # else Qt asks for each row's size
        self._list.setBatchSize(_BATCH_ROWS)
        self._lay_out_in_batches(True)
        model.modelReset.connect(lambda: self._lay_out_in_batches(True))
        model.rowsAboutToBeInserted.connect(lambda: self._lay_out_in_batches(False))
        model.rowsAboutToBeRemoved.connect(lambda: self._lay_out_in_batches(False))
        self._search = _SearchField(self)
        self._search.setPlaceholderText("Search threads")
        self._search.setAccessibleName("Search threads")
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(model.set_search)
        self._search.left.connect(self._enter_list)
        everything = QPushButton("All threads", self)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self._search)
        column.addWidget(self._list)
        column.addWidget(everything)
        self.split = QCheckBox("Split the graph by thread", self)
        below = QHBoxLayout()
        below.setContentsMargins(_BOX_PX, 0, 0, 0)  # aligned with the boxes in the list
        below.addWidget(self.split)
        column.addLayout(below)
        everything.clicked.connect(lambda: model.restore(ALL_THREADS))
        self._list.clicked.connect(self._on_row_clicked)

    def set_theme(self, theme: Theme) -> None:
        self._delegate.theme = theme

    def open_below(self, button: QWidget) -> None:
        self._search.clear()
        self._model.hold(True)
        n_rows = min(_MAX_ROWS, max(3, self._model.rowCount()))
        self.resize(_WIDTH_PX, n_rows * _ROW_PX + _FRAME_PX)
        self.move(button.mapToGlobal(QPoint(button.width() - _WIDTH_PX, button.height() + 4)))
        self.show()
        keep_in_window(self, button)
        self._search.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc clear the search first; without one, Qt closes the popup."""
        if event.key() == Qt.Key.Key_Escape and self._search.text():
            self._search.clear()
            self._search.setFocus()
        else:
            super().keyPressEvent(event)

    def _lay_out_in_batches(self, is_wanted: bool) -> None:
        """Choose whether the list lays out its rows in batches.

        In batches, a list of thousands of rows opens before all of them are laid out. When rows are
        inserted or removed, a list in batches would scroll to the top.
        """
        mode = QListView.LayoutMode
        self._list.setLayoutMode(mode.Batched if is_wanted else mode.SinglePass)

    def _enter_list(self) -> None:
        """Move the focus to the first row. Space then ticks the current row."""
        if self._model.rowCount():
            self._list.setFocus()
            self._list.setCurrentIndex(self._model.index(0))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._search.clear()
        self._model.hold(False)

    def _on_row_clicked(self, index: QModelIndex) -> None:
        """Tick or untick the clicked row. Qt does so itself for a click on the check box."""
        cursor = self._list.viewport().mapFromGlobal(self._list.cursor().pos())
        if cursor.x() > _BOX_END_PX:
            is_on = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
            new = Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked
            self._model.setData(index, new, Qt.ItemDataRole.CheckStateRole)


class ThreadFilter(QToolButton):
    """A button that shows which threads are chosen. A click opens the list."""

    split_toggled = Signal(bool)  # whether the graph begins with threads

    def __init__(self, model: ThreadModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._popup: _ThreadPopup | None = None  # made when it is first opened
        self._is_split = False
        self.clicked.connect(self._on_clicked)
        model.dataChanged.connect(self._show_summary)
        model.modelReset.connect(self._show_summary)
        model.chosen_changed.connect(self._show_summary)
        self.set_theme(theme)
        self._show_summary()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._popup is not None:
            self._popup.set_theme(theme)
        self.setIcon(load_icon("threads", theme.muted))

    def show_split(self, is_split: bool) -> None:
        """Show in the popup whether the graph is split by thread."""
        self._is_split = is_split
        if self._popup is not None:
            self._popup.split.setChecked(is_split)

    def set_compact(self, is_compact: bool) -> None:
        """Show only the icon, or icon and text. The tool tip has the text in both cases."""
        style = Qt.ToolButtonStyle
        self.setToolButtonStyle(
            style.ToolButtonIconOnly if is_compact else style.ToolButtonTextBesideIcon
        )

    def _show_summary(self) -> None:
        summary = make_printable(self._model.summary)
        self.setText(f" {escape_ampersands(summary)}")
        self.setToolTip(f"Show only some threads (F9)\nNow: {summary}")

    def _on_clicked(self) -> None:
        if self._popup is None:
            self._popup = _ThreadPopup(self._model, self._theme, self)
            self._popup.split.setChecked(self._is_split)
            self._popup.split.clicked.connect(self.split_toggled)
        self._popup.open_below(self)
