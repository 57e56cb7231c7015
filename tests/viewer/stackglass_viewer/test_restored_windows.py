"""Windows of the last run: where they come back, and what is done with a record that is damaged."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from stackglass_viewer.app import App
from stackglass_viewer.presenter.settings.open_tabs import OpenTabs, WindowRecord


def test_a_window_stands_where_the_last_one_stood(qt: QApplication, settings: QSettings) -> None:
    """Also one that is opened for a file, or starts empty."""
    for height_px in (660, 700):
        made = App(qt, settings)
        made.place_window()
        made.window.show()
        made.window.resize(780, height_px)
        made.close()
        made.window.deleteLater()
        again = App(qt, settings, is_quiet=True)
        again.place_window()
        assert (again.window.width(), again.window.height()) == (780, height_px)
        again.close()
        again.window.deleteLater()


@pytest.mark.parametrize("stored", ["", "[", "{}", '[3, ["x"], [1, true]]', "[" * 100_000])
def test_windows_that_make_no_sense_come_back_at_their_usual_place(
    settings: QSettings, stored: str
) -> None:
    settings.setValue("open_windows", stored)
    assert set(OpenTabs(settings).read_windows()) <= {WindowRecord("", False)}
