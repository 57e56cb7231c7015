"""The button of the heap rate: its tick is at the rate in force."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from stackglass.wire.rates import Rates
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.view.heap.rate_button import HeapRateButton


@pytest.mark.usefixtures("qt")
def test_the_tick_waits_for_the_engine() -> None:
    button, chosen = HeapRateButton(), list[int]()
    button.rate_chosen.connect(chosen.append)
    button.show_status(LiveStatus("running", 7, rates=Rates(100, 4096)))
    button.menu().aboutToShow.emit()  # which adds its entries
    button._actions[1024].trigger()
    assert (chosen, button._actions[4096].isChecked()) == ([1024], True)
    button.show_status(LiveStatus("running", 7, rates=Rates(100, 1024)))
    assert button._actions[1024].isChecked()
    button.deleteLater()
    QApplication.processEvents()
