"""Contention rate button: shows the rates in force, and has a menu of presets and single rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QWidget

from stackglass.wire.rates import OFF, Rates, keep_contention
from stackglass_viewer.presenter.settings.contention_texts import explain_rates
from stackglass_viewer.presenter.settings.rate_texts import (
    describe_block_rate,
    describe_fraction,
    describe_gil_rate,
    describe_rates,
    describe_stall,
    spell_rates,
)
from stackglass_viewer.presenter.settings.view_state import (
    ALL_CONTENTION,
    BLOCK_RATES_NS,
    GIL_RATES_HZ,
    MUTEX_FRACTIONS,
    STALLS_NS,
    USUAL_CONTENTION,
    LiveStatus,
)
from stackglass_viewer.view.widgets.menu_button import MenuButton

_PARTS: tuple[tuple[str, str, Sequence[int], Callable[[int], str]], ...] = (
    ("block_rate_ns", "Block: waits for locks", BLOCK_RATES_NS, describe_block_rate),
    ("mutex_fraction", "Mutex: holders of contended locks", MUTEX_FRACTIONS, describe_fraction),
    ("gil_hz", "GIL: its holders and waiters", GIL_RATES_HZ, describe_gil_rate),
    ("stall_ns", "Stalls: calls that block asyncio's loop", STALLS_NS, describe_stall),
)


class ContentionRateButton(MenuButton):
    """Shows a name for the rates in force, and emits the rates that the user chose."""

    rates_chosen = Signal(object)  # Rates; only the contention fields are set

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Contention rates", "Custom", parent)
        self._rates: Rates | None = None
        self._presets: dict[Rates, QAction] = {}
        self._single: dict[tuple[str, int], QAction] = {}
        self._other: QAction | None = None

    def _fill(self) -> None:
        for rates in (OFF, USUAL_CONTENTION, ALL_CONTENTION):
            spelled = f"\t{spell_rates(rates)}" if rates != OFF else ""
            action = self._menu.addAction(describe_rates(rates) + spelled)
            action.setCheckable(True)
            action.triggered.connect(partial(self._choose, rates))
            self._presets[rates] = action
        self._menu.addSeparator()
        self._single = {
            (field, value): action
            for field, title, values, describe in _PARTS
            for value, action in self._add_part(field, title, values, describe)
        }
        self._menu.addSeparator()
        other = self._menu.addAction("Other waits: sleep, sockets, select, child processes")
        other.setCheckable(True)
        other.triggered.connect(self._choose_other)
        self._other = other
        self._tick()

    def _add_part(
        self, field: str, title: str, values: Sequence[int], describe: Callable[[int], str]
    ) -> list[tuple[int, QAction]]:
        menu = self._menu.addMenu(title)
        group = QActionGroup(menu)
        group.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
        added = []
        for value in values:
            action = menu.addAction(describe(value))
            action.setCheckable(True)
            action.triggered.connect(partial(self._choose_part, field, value))
            group.addAction(action)
            added.append((value, action))
        return added

    def _choose(self, rates: Rates, _checked: bool = False) -> None:
        self._tick()  # the click moved the tick, but the old rates hold until the engine confirms
        self.rates_chosen.emit(rates)

    def _choose_part(self, field: str, value: int, _checked: bool = False) -> None:
        self._choose((self._rates or OFF)._replace(**{field: value}))

    def _choose_other(self, is_wanted: bool) -> None:
        rates = (self._rates or OFF)._replace(has_other=int(is_wanted))
        if is_wanted and not rates.block_rate_ns:  # other waits are sampled at the block rate
            rates = rates._replace(block_rate_ns=USUAL_CONTENTION.block_rate_ns)
        self._choose(rates)

    def show_status(self, status: LiveStatus) -> None:
        self.setEnabled(status.phase in ("waiting", "running"))
        self.setToolTip(explain_rates(status))
        rates = keep_contention(status.rates)
        if rates != self._rates:
            self._rates = rates
            self.setText(describe_rates(self._rates))
            self._tick()

    def _tick(self) -> None:
        rates = self._rates or OFF
        for preset, action in self._presets.items():
            action.setChecked(preset == rates)
        for (field, value), action in self._single.items():
            action.setChecked(getattr(rates, field) == value)
        if self._other is not None:
            self._other.setChecked(bool(rates.has_other))
