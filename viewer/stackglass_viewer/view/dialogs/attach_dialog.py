"""Attach dialog: a list of Python processes, and the rates to start with."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from stackglass.wire.rates import OFF, Rates, keep_contention
from stackglass_viewer.model.units import make_sentence
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
from stackglass_viewer.presenter.tables.process_filter import ProcessFilter
from stackglass_viewer.presenter.tables.process_model import ROW_ROLE, ProcessColumn, ProcessModel
from stackglass_viewer.view.capture.preset_button import PresetButton
from stackglass_viewer.view.capture.rate_box import RateBox
from stackglass_viewer.view.dialogs.process_table import make_process_table
from stackglass_viewer.view.widgets.accessible_parts import announce_current
from stackglass_viewer.view.widgets.accessible_rows import offer_rows
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.shown_text import join_units
from stackglass_viewer.view.widgets.theme import Theme

_SIZE, _FRAME = QSize(980, 540), QSize(24, 48)  # first size; the window frame around it


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
        self._table = make_process_table(self._filter, theme)
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
        # Rows that moved under the pointer would make a click choose another process.
        self._table.entered_by_pointer.connect(self._filter.hold_order)
        self._table.left_by_pointer.connect(self._filter.release_order)
        self.finished.connect(self._filter.release_order)
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

    def set_theme(self, theme: Theme) -> None:
        self._table.set_theme(theme)

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
        self._table.scroll_to_current()  # Enter attaches to it
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
