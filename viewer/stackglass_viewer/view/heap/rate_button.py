"""Heap rate button: shows the rate in force, and has a menu of rates with the cost of each."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QWidget

from stackglass_viewer.model.heap.cost import HeapCost
from stackglass_viewer.presenter.settings.heap_texts import describe_cost, explain_rate
from stackglass_viewer.presenter.settings.rate_texts import describe_rate
from stackglass_viewer.presenter.settings.view_state import HEAP_RATES, LiveStatus
from stackglass_viewer.view.widgets.menu_button import MenuButton


class HeapRateButton(MenuButton):
    """Shows a rate, and emits the rate that the user chose."""

    rate_chosen = Signal(int)  # bytes; 0 = off

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Heap sampling rate", "512 KiB", parent)
        self._costs: tuple[HeapCost, ...] = ()
        self._status: LiveStatus | None = None
        self._rate = -1
        self._group = QActionGroup(self)
        self._actions: dict[int, QAction] = {}
        self._menu.aboutToShow.connect(self._write_costs)

    def _fill(self) -> None:
        for rate in HEAP_RATES:
            action = self._menu.addAction(describe_rate(rate))
            action.setCheckable(True)
            action.triggered.connect(partial(self._choose, rate))
            self._group.addAction(action)
            self._actions[rate] = action
        self._tick()

    def show_status(self, status: LiveStatus) -> None:
        self._status = status
        self.setEnabled(status.phase in ("waiting", "running"))
        self.setToolTip(explain_rate(status, self._costs))
        if status.rates.heap_rate != self._rate:
            self._rate = status.rates.heap_rate
            self.setText(describe_rate(self._rate))
            self._tick()

    def _choose(self, rate: int, _checked: bool = False) -> None:
        self._tick()  # the click moved the tick, but the old rate holds until the engine confirms
        self.rate_chosen.emit(rate)

    def _tick(self) -> None:
        chosen = self._actions.get(self._rate)
        if chosen is not None:
            chosen.setChecked(True)
        elif self._group.checkedAction() is not None:  # a rate that another client chose
            self._group.setExclusive(False)
            self._group.checkedAction().setChecked(False)
            self._group.setExclusive(True)

    def show_costs(self, costs: tuple[HeapCost, ...]) -> None:
        """Set the cost of each rate, which is written when the menu is opened."""
        self._costs = costs

    def _write_costs(self) -> None:
        costs = {cost.rate: describe_cost(cost) for cost in self._costs}
        for rate, action in self._actions.items():
            cost = costs.get(rate, "")
            # Qt aligns the text after a tab to the right, as it does shortcuts.
            action.setText(f"{describe_rate(rate)}\t{cost}" if cost else describe_rate(rate))
