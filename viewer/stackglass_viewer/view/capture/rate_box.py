"""Rate box: a combo box that shows the rate in force and offers a list of rates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from stackglass_viewer.model.units import format_count
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.view.widgets.choice_box import ChoiceBox


def _format_rate(hz: int) -> str:
    return f"{format_count(hz)} Hz" if hz else "Off"


class RateBox(ChoiceBox):
    """Shows a rate, and emits the rate that the user chose."""

    rate_chosen = Signal(int)  # Hz; 0 = off

    def __init__(
        self, name: str, tool_tip: str, rates_hz: Sequence[int], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTip(tool_tip)
        for hz in rates_hz:
            self.addItem(_format_rate(hz), hz)
        self.activated.connect(lambda: self.rate_chosen.emit(self.currentData()))

    def open_list(self, anchor: QWidget) -> None:
        """Open the list; while the box is hidden, as a menu below ``anchor``."""
        if not self.isHidden():
            self.showPopup()
            return
        menu = QMenu(self.accessibleName(), anchor)
        for index in range(self.count()):
            action = menu.addAction(f"{self.accessibleName()} {self.itemText(index)}")
            action.setCheckable(True)
            action.setChecked(index == self.currentIndex())
            action.triggered.connect(partial(self._choose, int(self.itemData(index))))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(anchor.mapToGlobal(anchor.rect().bottomLeft()))

    def _choose(self, hz: int, _checked: bool = False) -> None:
        self.rate_chosen.emit(hz)

    def show_rate(self, hz: int) -> None:
        """Show the rate in force, without ``rate_chosen``. An open list keeps its choice."""
        if self.view().isVisible():
            return
        index = self.findData(hz)
        if index < 0:  # a rate that another client or the command line chose
            self.addItem(_format_rate(hz), hz)
            index = self.count() - 1
        self.setCurrentIndex(index)

    def show_status(self, status: LiveStatus, hz: int) -> None:
        """Show ``hz``, which is this box's rate in ``status``.

        The box is enabled while the capture waits or runs.
        """
        self.show_rate(hz)
        self.setEnabled(status.phase in ("waiting", "running"))
