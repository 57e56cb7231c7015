"""What tests of the window need. By pytest-qt, a test fails if Qt warns or a slot raises (see
pyproject.toml)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QSettings, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from stackglass_viewer.app import App

_WAIT_MS = 120_000
_NO_KEYS = Qt.KeyboardModifier.NoModifier


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    """The arguments of the application that pytest-qt makes."""
    return ["stackglass"]


@pytest.fixture(scope="session")
def qt(qapp: QApplication) -> QApplication:
    """The one application of this process."""
    qapp.setQuitOnLastWindowClosed(False)
    _move_pointer_away()
    return qapp


def _move_pointer_away() -> None:
    """A window that is shown under the pointer is entered, and behaves so."""
    QCursor.setPos(-1, -1)


@pytest.fixture(autouse=True)
def no_pointer_left_behind() -> Iterator[None]:
    """The next window opens where this one was, and no test wants the pointer that it got."""
    yield
    if QApplication.instance():
        _move_pointer_away()


@pytest.fixture(autouse=True)
def no_held_keys() -> Iterator[None]:
    """Keys that a test held are released: Qt keeps those of the last click until another one."""
    yield
    if QApplication.instance() and QApplication.keyboardModifiers() != _NO_KEYS:
        button = QPushButton()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        button.deleteLater()
        assert QApplication.keyboardModifiers() == _NO_KEYS


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "settings.conf"), QSettings.Format.IniFormat)


WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def wait_until(qt: QApplication, qtbot: QtBot) -> WaitUntil:
    """Run the event loop until a condition holds; fails after half a minute."""
    return lambda is_so: qtbot.waitUntil(lambda: bool(is_so()), timeout=_WAIT_MS)


@pytest.fixture
def app(qt: QApplication, settings: QSettings) -> Iterator[App]:
    """The whole application, in a window that is shown; asks nothing when it is closed."""
    settings.setValue("theme", "light")
    made = App(qt, settings, is_quiet=True)
    # It would make one more page, with every view, beside each of hundreds of windows.
    made._warm_up.stop()
    made.window.show()
    yield made
    made.close()
    made.window.deleteLater()
    qt.sendPostedEvents(None, 0)


class Heard(QObject):
    """Remembers what a signal carried."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[object] = []

    def hear(self, value: object = None) -> None:
        self.values.append(value)

    @property
    def last(self) -> object:
        return self.values[-1]


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def start(qt: QApplication, settings: QSettings) -> Iterator[Callable[[], App]]:
    """Begin an application with the settings that the ones before have left; those are closed."""
    running: list[App] = []

    def begin() -> App:
        for app in running:
            app.close()
        made = App(qt, settings)
        running.append(made)
        made._warm_up.stop()
        made.window.resize(1280, 800)
        made.window.show()
        return made

    yield begin
    for app in running:
        app.close()
        app.window.deleteLater()
    qt.sendPostedEvents(None, 0)
