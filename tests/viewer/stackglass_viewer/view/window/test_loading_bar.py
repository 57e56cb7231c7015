"""The bar of a task that takes a while."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from stackglass_viewer.presenter.settings.view_state import LoadProgress
from stackglass_viewer.view.window.loading_bar import LoadingBar

LONG = "a-profile-with-a-name-that-says-where-it-was-taken-and-when.pb.gz"


@pytest.fixture
def bar(qt: QApplication) -> Iterator[LoadingBar]:
    window = QWidget()
    made = LoadingBar(window)
    made.resize(900, 40)
    window.resize(900, 40)
    window.show()
    yield made
    window.close()
    window.deleteLater()


@pytest.fixture
def below(qt: QApplication) -> Iterator[QWidget]:
    """The widget over which a bar is to lie; below it is another."""
    window = QWidget()
    column = QVBoxLayout(window)
    made, last = QWidget(window), QWidget(window)
    last.setFixedHeight(30)
    column.addWidget(made)
    column.addWidget(last)
    window.resize(900, 400)
    window.show()
    qt.processEvents()
    yield made
    window.close()
    window.deleteLater()


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


def test_over_a_widget_it_covers_the_lower_edge_and_moves_nothing(
    qt: QApplication, below: QWidget
) -> None:
    before = below.geometry()
    bar = LoadingBar(below.window(), over=below)
    bar.show_progress(LoadProgress("a.prof", 0.5))
    qt.processEvents()
    assert below.geometry() == before
    assert bar.isVisible()
    assert bar.geometry().bottom() == before.bottom()
    assert bar.geometry().left() == before.left()
    assert bar.width() == before.width()
    assert 30 < bar.height() < 60
    below.window().resize(1000, 500)
    qt.processEvents()
    assert below.geometry() != before
    assert bar.geometry().bottom() == below.geometry().bottom()
    assert bar.width() == below.width()
