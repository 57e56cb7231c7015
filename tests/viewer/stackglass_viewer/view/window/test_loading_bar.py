"""The bar of a task that takes a while."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.settings.view_state import LoadProgress
from stackglass_viewer.view.window.loading_bar import LoadingBar

LONG = "a-profile-with-a-name-that-says-where-it-was-taken-and-when.pb.gz"


@pytest.fixture
def bar(qt: QApplication) -> Iterator[LoadingBar]:
    made = LoadingBar()
    made.resize(900, 40)
    yield made
    made.close()
    made.deleteLater()


def test_it_stays_in_its_place_when_another_file_is_opened(
    qt: QApplication, bar: LoadingBar
) -> None:
    places = []
    for name in ("a.prof", LONG):
        bar.show_progress(LoadProgress(name, 0.5))
        qt.processEvents()
        places.append(bar._progress.geometry())
    assert places[0] == places[1]
    assert bar._text.whole == f"Opening {LONG}"
    assert "…" in bar._text.text()
    assert LONG in bar._text.toolTip()
    bar.show_progress(None)
    assert not bar.isVisible()
