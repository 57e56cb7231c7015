"""Block view: shows the blocks of a cell of the heap map one by one, with all facts on each."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from stackglass_viewer.presenter.memory_trace.block_choice import ShownBlock
from stackglass_viewer.presenter.tables.block_model import name_line
from stackglass_viewer.view.memory_trace.text_area import TextArea
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme


class BlockView(QWidget):
    """Shows one block of a list, and emits the row of the block that the user goes to."""

    row_chosen = Signal(int)
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row, self._n_rows = 0, 0
        self._shown: ShownBlock | None = None
        self._about = ""
        self._back = self._make_button("Previous block", -1)
        self._forward = self._make_button("Next block", 1)
        self._count = QLabel(self)
        self._close = QToolButton(self)
        self._close.setToolTip("Close the block")
        self._close.setAccessibleName("Close the block")
        self._close.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._close.clicked.connect(self.closed)
        self._text = TextArea(self)
        self._text.setAccessibleName("Life of the block")
        row = QHBoxLayout()
        row.setSpacing(2)
        row.addWidget(self._back)
        row.addWidget(self._count)
        row.addWidget(self._forward)
        row.addStretch(1)
        row.addWidget(self._close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self._text, 1)
        self.set_theme(theme)

    def _make_button(self, about: str, step: int) -> QToolButton:
        button = QToolButton(self)
        button.setToolTip(about)
        button.setAccessibleName(about)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self._go(step))
        return button

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for button, icon in (
            (self._back, "back"),
            (self._forward, "forward"),
            (self._close, "close"),
        ):
            button.setIcon(load_icon(icon, theme.muted, theme.faint))
        self._write()

    def show_list(self, about: str, n_rows: int) -> None:
        """Begin another list of ``n_rows`` blocks; ``about`` says in words which they are."""
        self._about, self._n_rows, self._row = about, n_rows, 0
        self._write()

    def show_block(self, shown: ShownBlock | None) -> None:
        self._shown = shown
        self._write()

    def show_row(self, row: int) -> None:
        """Show the row of the shown block in the list."""
        self._row = max(row, 0)
        self._write()

    def _go(self, step: int) -> None:
        self._row = min(max(self._row + step, 0), max(self._n_rows - 1, 0))
        self.row_chosen.emit(self._row)
        self._write()

    def _write(self) -> None:
        n_rows, theme = self._n_rows, self._theme
        self._count.setText(f"Block {self._row + 1} of {n_rows}" if n_rows else "No block")
        self._back.setEnabled(self._row > 0)
        self._forward.setEnabled(self._row + 1 < n_rows)
        parts = [f'<p style="color:{theme.muted}; margin-top:0">{escape(self._about)}</p>']
        shown = self._shown
        if shown is not None and n_rows:
            rows = "".join(
                f'<tr><td style="color:{theme.muted}; padding-right:10px">{escape(row.caption)}'
                f"</td><td>{escape(row.text)}</td></tr>"
                for row in shown.rows
            )
            parts.append(f"<table>{rows}</table>")
            frames = [escape(name_line(frame)) for frame in shown.frames]
            parts.append(f'<p style="color:{theme.muted}; margin-bottom:2px">Allocated by</p>')
            parts.append("<br>".join(frames) or escape(shown.no_stack))
        self._text.set_text("".join(parts))
