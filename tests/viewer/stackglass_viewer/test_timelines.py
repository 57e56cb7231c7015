"""Timelines that come late, or not at all."""

from __future__ import annotations

from collections.abc import Generator

from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.gui_collector import Collector
from stackglass_viewer.timelines import Timelines
from stackglass_viewer.view.widgets.theme import load_theme


def test_an_import_under_way_is_given_up(qt: QApplication) -> None:
    """Else the next window of this process would find half of pyqtgraph."""
    ended: list[bool] = []

    def import_slowly() -> Generator[None, None, None]:
        try:
            yield
        finally:
            ended.append(True)

    timelines = Timelines(Collector(), lambda: load_theme("light"))
    timelines._import = import_slowly()
    next(timelines._import)
    timelines.stop()
    assert ended
