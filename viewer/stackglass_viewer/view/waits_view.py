"""Who waits for whom now: threads below those that hold them up, and circles in plain words."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from stackglass_viewer.presenter.waits_model import WaitsModel
from stackglass_viewer.view.number_table import NumberTable
from stackglass_viewer.view.theme import Theme

_WIDTHS_PX = (92, 190, 190, 170, 240, 160)  # of the model's columns


class WaitsView(QWidget):
    """``counted`` is for the bar above."""

    counted = Signal(str)  # how many threads wait, in words

    def __init__(self, model: WaitsModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._circle = QLabel(self)
        self._circle.setObjectName("deadlock")
        self._circle.setWordWrap(True)
        self._circle.hide()
        self._table = NumberTable(model, theme, _WIDTHS_PX, self, is_sortable=False)
        self._table.setAccessibleName("Who waits for whom")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._circle)
        column.addWidget(self._table, 1)
        model.told.connect(self._show)

    def set_theme(self, theme: Theme) -> None:
        self._table.set_theme(theme)

    def _show(self, circles: str, n_waiting: str) -> None:
        self._circle.setText(f"Deadlock: {circles}." if circles else "")
        self._circle.setVisible(bool(circles))
        self.counted.emit(n_waiting)
