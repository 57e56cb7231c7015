"""Process card of the start page: lists Python processes; a click attaches to one."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from stackglass_viewer.model.units import format_value, make_printable
from stackglass_viewer.presenter.settings.command_texts import shorten_command
from stackglass_viewer.presenter.settings.view_state import ProcessRow
from stackglass_viewer.view.widgets.link_button import LinkButton

_N_ROWS = 6  # greatest number of processes; the attach dialog lists all
_FIGURE_SPACE = "\u2007"  # as wide as a digit
_START_MS = 300  # delay of the search for processes, so that the window is shown first


class ProcessCard(QFrame):
    """Lists the newest processes. Emits ``watched``, True after it is shown and False when it is
    hidden, since processes are searched for only while the card is visible."""

    watched = Signal(bool)
    process_requested = Signal(int)  # PID

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        heading = QLabel("PYTHON PROCESSES", self)
        heading.setObjectName("heading")
        heading.setContentsMargins(8, 0, 0, 4)
        self._note = QLabel("Looking for Python processes…", self)
        self._note.setObjectName("hint")
        self._note.setContentsMargins(8, 4, 8, 4)
        self._rows: tuple[ProcessRow, ...] = ()
        self._buttons = QVBoxLayout()
        self._buttons.setSpacing(0)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_START_MS)
        self._delay.timeout.connect(lambda: self.watched.emit(True))
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 12, 10, 10)
        column.setSpacing(0)
        column.addWidget(heading)
        column.addWidget(self._note)
        column.addLayout(self._buttons)

    def show_rows(self, rows: tuple[ProcessRow, ...]) -> None:
        """Show the newest processes. While the pointer or the focus is on the card, its rows
        stay as they are."""
        # Sorted by start time first, since PIDs start again at low numbers after the greatest.
        by_age = sorted(rows, key=lambda row: (row.begin_ticks, row.pid), reverse=True)
        newest = [row for row in by_age if row.is_attachable][:_N_ROWS]
        names = [(row.pid, row.command) for row in newest]
        self._show_tips(rows)
        # An empty card has nothing that could move under the pointer.
        is_held = (self.underMouse() or self._has_focus()) and bool(self._rows)
        if is_held or names == [(row.pid, row.command) for row in self._rows]:
            self._show_note(bool(rows))
            return
        self._rows = tuple(newest)
        while (item := self._buttons.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        n_digits = max((len(str(row.pid)) for row in newest), default=0)
        for row in newest:
            self._buttons.addWidget(self._make_button(row, n_digits))
        self._show_note(bool(rows))

    def _has_focus(self) -> bool:
        focused = self.focusWidget()
        return focused is not None and focused.hasFocus()

    def _make_button(self, row: ProcessRow, n_digits: int) -> QPushButton:
        """Make the button of a process; ``n_digits``: digits of the longest PID in the list."""
        pid = str(row.pid).rjust(n_digits, _FIGURE_SPACE)
        button = LinkButton(f"{pid}   {shorten_command(row.command)}", self)
        button.setAccessibleName(f"{shorten_command(row.command)}, process {row.pid}")
        button.setToolTip(_describe(row))
        button.clicked.connect(lambda: self.process_requested.emit(row.pid))
        return button

    def _show_tips(self, rows: tuple[ProcessRow, ...]) -> None:
        """Show the present memory of the listed processes in their tool tips."""
        now = {(row.pid, row.command): row for row in rows}
        for index, shown in enumerate(self._rows):
            item, row = self._buttons.itemAt(index), now.get((shown.pid, shown.command))
            if item is not None and row is not None and (button := item.widget()) is not None:
                button.setToolTip(_describe(row))

    def _show_note(self, is_any: bool) -> None:
        """Show why no process is listed, or hide the note.

        ``is_any``: whether there are Python processes, even if none can be attached to.
        """
        self._note.setVisible(not self._rows)
        text = "None of them can be attached to: see Attach to a process…"
        self._note.setText(text if is_any else "No Python process was found.")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._delay.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._delay.stop()
        self.watched.emit(False)


def _describe(row: ProcessRow) -> str:
    """Return the tool tip of a process."""
    facts = ", ".join(filter(None, (row.python, format_value(row.rss_bytes, "bytes"))))
    return f"Attach to process {row.pid}\n{make_printable(row.command)}\n{facts}"
