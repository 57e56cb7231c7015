"""Rate preset button: the preset in force, and a menu of all presets."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from stackglass.wire.rates import Rates
from stackglass_viewer.presenter.settings.rate_presets import (
    PRESETS,
    RatePreset,
    find_preset,
    name_rates,
    spell_all,
)
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.menu_button import MenuButton
from stackglass_viewer.view.widgets.theme import Theme

_COMPACT_PX = 50  # width of icon and arrow
_NO_LIMIT_PX = 2**24 - 1


class PresetButton(MenuButton):
    """Shows the name of the rates in force, and emits the rates of the preset that was chosen. Its
    menu offers the wall rate while that has no box of its own."""

    rates_chosen = Signal(object)  # Rates
    wall_requested = Signal()  # the list of wall rates is to open

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Rate presets", max((preset.name for preset in PRESETS), key=len), parent)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._rates: Rates | None = None
        self._is_compact = False
        self._offers_wall = False
        self._actions: dict[RatePreset, QAction] = {}
        self._wall: QAction | None = None  # made with the others, when the menu opens

    def _fill(self) -> None:
        for preset in PRESETS:
            action = self._menu.addAction(f"{preset.name}\t{spell_all(preset.rates)}")
            action.setCheckable(True)
            action.triggered.connect(partial(self._choose, preset.rates))
            self._actions[preset] = action
        self._menu.addSeparator()  # not painted as the last entry that is shown
        self._wall = self._menu.addAction("Wall rate…\tShift+F6", self.wall_requested.emit)
        self._wall.setVisible(self._offers_wall)
        self._tick()

    def set_theme(self, theme: Theme) -> None:
        self.setIcon(load_icon("presets", theme.text, theme.faint))

    def show_rates(self, rates: Rates) -> None:
        """Show the rates in force, without a signal."""
        if rates == self._rates:
            return
        self._rates = rates
        self._write_tip()
        self._write()
        self._tick()

    def offer_wall(self, is_offered: bool) -> None:
        """Choose whether the menu has the wall rate."""
        self._offers_wall = is_offered
        if self._wall is not None:
            self._wall.setVisible(is_offered)
        self._write_tip()

    def set_compact(self, is_compact: bool) -> None:
        """Show an icon if ``is_compact``, else the name of the rates."""
        self._is_compact = is_compact
        style = Qt.ToolButtonStyle
        self.setToolButtonStyle(
            style.ToolButtonIconOnly if is_compact else style.ToolButtonTextOnly
        )
        self.setMinimumWidth(_COMPACT_PX if is_compact else self._words_px)
        self.setMaximumWidth(_COMPACT_PX if is_compact else _NO_LIMIT_PX)
        self._write()

    def _write_tip(self) -> None:
        if self._rates is not None:
            title = "Rate presets, and the wall rate" if self._offers_wall else "Rate presets"
            self.setToolTip(f"{title}\nNow: {spell_all(self._rates)}")

    def _write(self) -> None:
        named = name_rates(self._rates) if self._rates is not None else ""
        self.setText("" if self._is_compact else named)

    def _tick(self) -> None:
        shown = find_preset(self._rates) if self._rates is not None else None
        for preset, action in self._actions.items():
            action.setChecked(preset is shown)

    def _choose(self, rates: Rates, _checked: bool = False) -> None:
        self._tick()  # the click moved the tick, but the old rates hold until the engine confirms
        self.rates_chosen.emit(rates)
