"""Attach dialog: a list of Python processes, and the rates to start with."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from stackglass.wire.rates import OFF, Rates, keep_contention
from stackglass_viewer.model.units import format_value, make_sentence
from stackglass_viewer.presenter.live.target_process import is_running
from stackglass_viewer.presenter.settings.rate_texts import (
    describe_rate,
    describe_rates,
    spell_rates,
)
from stackglass_viewer.presenter.settings.view_state import (
    ALL_CONTENTION,
    HEAP_RATES,
    RATES_HZ,
    USUAL_CONTENTION,
    WALL_RATES_HZ,
    ProcessRow,
)
from stackglass_viewer.presenter.tables.process_model import (
    HISTORY_ROLE,
    ROW_ROLE,
    ProcessColumn,
    ProcessFilter,
    ProcessModel,
)
from stackglass_viewer.view.capture.preset_button import PresetButton
from stackglass_viewer.view.capture.rate_box import RateBox
from stackglass_viewer.view.tables.header import TableHeader
from stackglass_viewer.view.widgets.accessible_parts import announce_current
from stackglass_viewer.view.widgets.accessible_rows import RowTable, offer_rows
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.icons import draw_icon
from stackglass_viewer.view.widgets.shown_text import join_units, show_item_tip
from stackglass_viewer.view.widgets.sparkline import draw_sparkline
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_WIDTHS_PX = {
    ProcessColumn.PID: 76,
    ProcessColumn.PYTHON: 76,
    ProcessColumn.OWNER: 92,
    ProcessColumn.CPU: 112,
    ProcessColumn.MEMORY: 136,
    ProcessColumn.STATE: 34,
}
_SIZE, _FRAME = QSize(980, 540), QSize(24, 48)  # first size; the window frame around it
_RIGHT = (ProcessColumn.PID, ProcessColumn.CPU, ProcessColumn.MEMORY)
_LINE_PX = 44  # width of the sparkline, to the left of its number
# Least range that a sparkline shows in its full height: 100% of a CPU, a MiB.
_LEAST_SPANS = {ProcessColumn.CPU: 1.0, ProcessColumn.MEMORY: float(1 << 20)}


class _ProcessDelegate(QStyledItemDelegate):
    """Paints a cell of the process list.

    CPU and memory have a sparkline of their history; a warning sign marks a process that cannot be
    attached to.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(super().sizeHint(option, index).width(), 30)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row: ProcessRow = index.data(ROW_ROLE)
        column = index.column()
        painter.save()
        is_selected = bool(option.state & QStyleOptionViewItem().state.State_Selected)
        if is_selected:
            painter.fillRect(option.rect, QColor(self._theme.accent_soft))
        rect = option.rect.adjusted(10, 0, -10, 0)
        colour = self._theme.text if row.is_attachable else self._theme.faint
        if column != ProcessColumn.COMMAND and row.is_attachable:
            colour = self._theme.muted
        painter.setPen(QPen(QColor(colour)))
        if column == ProcessColumn.STATE:
            if not row.is_attachable:
                icon = draw_icon(
                    "warning", self._theme.warning, 14, painter.device().devicePixelRatioF()
                )
                painter.drawPixmap(rect.center().x() - 7, rect.center().y() - 7, icon)
            painter.restore()
            return
        text = str(index.data())
        if column == ProcessColumn.MEMORY:
            text = format_value(row.rss_bytes, "bytes") if row.rss_bytes else "–"
        elif column == ProcessColumn.PYTHON:
            text = row.python or "–"
        if column in _LEAST_SPANS:
            line = QRectF(rect.left(), rect.top() + 7, _LINE_PX, rect.height() - 14)
            points, accent = index.data(HISTORY_ROLE), QColor(self._theme.accent)
            draw_sparkline(painter, line, points, _LEAST_SPANS[ProcessColumn(column)], accent)
        if column == ProcessColumn.COMMAND:
            painter.setFont(fixed_font())
        text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        side = Qt.AlignmentFlag.AlignRight if column in _RIGHT else Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect, side | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


class _SearchField(QLineEdit):
    """Search field: letters go to the search, arrows and Page Up and Down to the list."""

    def __init__(self, table: QTableView) -> None:
        super().__init__()
        self._table = table

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
        if event.key() in keys:
            self._table.keyPressEvent(event)
            announce_current(self._table)
        else:
            super().keyPressEvent(event)


class _ProcessTable(RowTable):
    """The list of processes. It emits typed letters, which are for the search field."""

    typed = Signal(str)

    def keyboardSearch(self, text: str) -> None:
        self.typed.emit(text)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            show_item_tip(self, event)
            return True
        return super().viewportEvent(event)


def _make_table(rows: ProcessFilter, theme: Theme) -> _ProcessTable:
    table = _ProcessTable()
    table.setAccessibleName("Python processes")
    table.setModel(rows)
    header = TableHeader(theme, lambda section: _WIDTHS_PX.get(ProcessColumn(section), 0), table)
    header.setStretchLastSection(False)
    header.setMinimumSectionSize(min(_WIDTHS_PX.values()))
    table.setHorizontalHeader(header)
    table.setItemDelegate(_ProcessDelegate(theme, table))
    table.setSortingEnabled(True)
    table.sortByColumn(ProcessColumn.PID, Qt.SortOrder.DescendingOrder)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(30)
    for column, width_px in _WIDTHS_PX.items():
        table.setColumnWidth(column, width_px)
    header.setSectionResizeMode(ProcessColumn.COMMAND, QHeaderView.ResizeMode.Stretch)
    return table


def _make_contention_box(rates: Rates) -> ChoiceBox:
    box = ChoiceBox()
    box.setToolTip("Locks: waits for locks and the GIL, and their holders")
    offered = (OFF, USUAL_CONTENTION, ALL_CONTENTION, keep_contention(rates))
    for each in dict.fromkeys(offered):
        box.addItem(describe_rates(each), each)
        box.setItemData(box.count() - 1, spell_rates(each), Qt.ItemDataRole.ToolTipRole)
    return box


def _make_reason() -> QLabel:
    """Make the label that says why the chosen process cannot be attached to."""
    reason = QLabel(" ")
    reason.setWordWrap(True)
    reason.setObjectName("hint")
    reason.setTextFormat(Qt.TextFormat.PlainText)
    reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    reason.setMinimumHeight(36)
    return reason


class AttachDialog(QDialog):
    """A list of processes, and lists of rates. Emits the user's choice."""

    attach_requested = Signal(int, object, bool)  # PID, Rates, whether its children too

    def __init__(
        self, model: ProcessModel, rates: Rates, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Attach to a Python process")
        self.resize(_SIZE.boundedTo(self.screen().availableSize() - _FRAME))
        self._filter = ProcessFilter(self)
        self._filter.setSourceModel(model)
        self._table = _make_table(self._filter, theme)
        offer_rows(self._table, lambda: (ProcessColumn.COMMAND,), lambda: self._search.hasFocus())
        self._search = _SearchField(self._table)
        self._search.setPlaceholderText("Command, PID, owner, version")
        self._search.setAccessibleName("Search processes")
        self._search.setClearButtonEnabled(True)
        self._rate = ChoiceBox()
        for hz in RATES_HZ[1:]:
            self._rate.addItem(f"{hz} Hz", hz)
        self._wall_rate = RateBox(
            "Wall rate",
            "Stack samples per second of each thread, waiting threads included",
            WALL_RATES_HZ,
        )
        self._heap_rate = ChoiceBox()
        self._heap_rate.setToolTip("Heap: one sample per this many allocated bytes on average")
        for rate in HEAP_RATES:
            self._heap_rate.addItem(describe_rate(rate), rate)
        self._contention = _make_contention_box(rates)
        self._native = QCheckBox("Native stacks")
        self._native.setToolTip("Include C, C++ and Rust functions in the stacks")
        self._native.setChecked(bool(rates.native_stacks))
        self._presets = PresetButton(self)
        self._presets.rates_chosen.connect(self._show_rates)
        self._show_rates(rates)
        self._reason = _make_reason()
        self._attach = QPushButton("Attach")
        self._attach.setDefault(True)
        self._attach.setEnabled(False)
        self._children = QCheckBox("And its child processes")
        self._children.setToolTip(
            "Open a tab for each Python process that it has started or will start,"
            " and one for all of them together"
        )
        cancel = QPushButton("Cancel")
        cancel.setAutoDefault(False)
        self._lay_out(cancel)
        self._search.textChanged.connect(self._on_search)
        self._search.returnPressed.connect(self._on_accept)
        self._table.typed.connect(self._on_typed)
        self._table.doubleClicked.connect(self._on_accept)
        self._table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self._filter.dataChanged.connect(self._on_row_changed)
        self._filter.rowsInserted.connect(self._on_rows_inserted)
        model.ending.connect(self._on_ending)
        self._attach.clicked.connect(self._on_accept)
        cancel.clicked.connect(self.reject)
        self._search.setFocus()
        self._has_looked = model.rowCount() > 0
        self._ended = ""  # says that the chosen process has ended; then none is chosen
        self._failure = ""  # why the processes could not be listed the last time
        self._on_rows_inserted()
        self._on_row_changed()

    def _lay_out(self, cancel: QPushButton) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(16, 14, 16, 12)
        top.setSpacing(10)
        top.addWidget(self._search, 1)
        top.addWidget(self._presets)
        for caption, control in (
            ("CPU", self._rate),
            ("Wall", self._wall_rate),
            ("Heap", self._heap_rate),
            ("Locks", self._contention),
        ):
            label = QLabel(caption)
            label.setObjectName("hint")
            label.setBuddy(control)  # screen readers name the control by it
            control.setAccessibleName(control.accessibleName() or caption)  # for its open list
            top.addWidget(label)
            top.addWidget(control)
            control.currentIndexChanged.connect(lambda: self._presets.show_rates(self._rates))
        bottom = QHBoxLayout()
        bottom.setContentsMargins(16, 10, 16, 14)
        bottom.setSpacing(10)
        bottom.addWidget(self._reason, 1)
        bottom.addWidget(self._native)
        bottom.addWidget(self._children)
        bottom.addWidget(cancel)
        bottom.addWidget(self._attach)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(top)
        outer.addWidget(self._table, 1)
        outer.addLayout(bottom)

    def show_failure(self, text: str) -> None:
        """Show ``text``, which says why the processes could not be listed. It stays until they
        are listed again; a row that has a reason of its own shows that."""
        self._failure = make_sentence(text)
        self._on_row_changed()

    @property
    def _rates(self) -> Rates:
        """The chosen rates."""
        contention = Rates(*self._contention.currentData())
        return contention._replace(
            cpu_hz=int(self._rate.currentData()),
            wall_hz=int(self._wall_rate.currentData()),
            heap_rate=int(self._heap_rate.currentData()),
            native_stacks=int(self._native.isChecked()),
        )

    def _show_rates(self, rates: Rates) -> None:
        self._rate.setCurrentIndex(max(0, self._rate.findData(rates.cpu_hz)))
        self._wall_rate.show_rate(rates.wall_hz)
        self._heap_rate.setCurrentIndex(max(0, self._heap_rate.findData(rates.heap_rate)))
        offered = [
            Rates(*self._contention.itemData(index)) for index in range(self._contention.count())
        ]
        self._contention.setCurrentIndex(offered.index(keep_contention(rates)))
        self._presets.show_rates(self._rates)

    def _selected(self) -> ProcessRow | None:
        index = self._table.currentIndex()
        return index.data(ROW_ROLE) if index.isValid() else None

    def _on_search(self, text: str) -> None:
        self._ended = ""
        self._filter.set_search(text)
        if self._filter.rowCount() and not self._table.currentIndex().isValid():
            self._table.selectRow(0)
        self._on_row_changed()

    def _on_typed(self, text: str) -> None:
        self._search.setFocus()
        self._search.insert(text)

    def _on_rows_inserted(self) -> None:
        is_open = not self._ended and not self._table.currentIndex().isValid()
        if is_open and self._filter.rowCount():
            self._table.selectRow(0)

    def _on_ending(self, pids: set[int]) -> None:
        """Choose no process if the chosen one has ended. Qt would choose its neighbour, and Enter
        would attach to that."""
        row = self._selected()
        if row is not None and row.pid in pids:
            self._ended = f"Process {row.pid} has ended. Choose another one."
            self._table.setCurrentIndex(QModelIndex())

    def _on_row_changed(self) -> None:
        row = self._selected()
        self._attach.setEnabled(row is not None and row.is_attachable)
        if row is None:
            self._reason.setText(join_units(self._ended or self._failure or self._say_none()))
        else:
            self._ended = ""
            parts = [part[:1].upper() + part[1:] for part in (row.reason, row.remedy) if part]
            self._reason.setText(join_units("\n".join(parts) or self._failure))

    def show_found(self) -> None:
        """Note that the processes have been listed."""
        self._has_looked, self._failure = True, ""
        self._on_row_changed()

    def _say_none(self) -> str:
        """Return a sentence that says why no process is chosen."""
        search = self._search.text().strip()
        if not self._has_looked:
            return "Looking for Python processes…"
        if search.isdecimal() and is_running(int(search)):
            return f"Process {search} is not a Python process."
        return "No such process." if search else "No Python process was found."

    def _on_accept(self) -> None:
        row = self._selected()
        if row is not None and row.is_attachable:
            self.attach_requested.emit(row.pid, self._rates, self._children.isChecked())
            self.accept()
