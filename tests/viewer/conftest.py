"""What tests of the window need: one application, and no word from Qt that is not expected."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

import pytest
from PySide6.QtCore import (
    QEventLoop,
    QObject,
    QSettings,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from stackglass_viewer.app import App

_EXPECTED = (
    # Said by the offscreen platform of every window with a smallest size.
    "This plugin does not support propagateSizeHints()",
    # Of the offscreen platform, too: it has no window manager to ask.
    "This plugin does not support raise()",
    # Of every list that is popped up, on that platform.
    "This plugin does not support grabbing the keyboard",
)
_WAIT_MS = 30_000
_NO_KEYS = Qt.KeyboardModifier.NoModifier


@pytest.fixture(scope="session")
def qt() -> QApplication:
    """The one application of this process."""
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(["stackglass"])
    application.setQuitOnLastWindowClosed(False)
    _move_pointer_away()
    return application


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


@pytest.fixture(autouse=True)
def no_qt_warnings() -> Iterator[None]:
    """A test during which Qt warns fails."""
    said: list[str] = []

    def hear(kind: QtMsgType, _context: object, text: str) -> None:
        if kind != QtMsgType.QtDebugMsg and text not in _EXPECTED:
            said.append(f"{kind.name}: {text}")

    before = qInstallMessageHandler(hear)
    yield
    qInstallMessageHandler(before)
    if said:
        pytest.fail("Qt warned:\n" + "\n".join(said), pytrace=False)


@pytest.fixture(autouse=True)
def no_slot_errors(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test fails if a slot raises: Qt calls it, so that the error reaches no caller."""
    raised: list[str] = []

    def hear(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        raised.append("".join(traceback.format_exception(kind, error, trace)))

    monkeypatch.setattr(sys, "excepthook", hear)
    yield
    if raised:
        pytest.fail("A slot raised:\n" + "\n".join(raised), pytrace=False)


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "settings.conf"), QSettings.Format.IniFormat)


WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def wait_until(qt: QApplication) -> WaitUntil:
    """Run the event loop until a condition holds; fails after half a minute."""

    def wait(is_so: Callable[[], bool]) -> None:
        loop = QEventLoop()
        poll, limit = QTimer(), QTimer()
        poll.timeout.connect(lambda: loop.quit() if is_so() else None)
        limit.setSingleShot(True)
        limit.timeout.connect(loop.quit)
        poll.start(5)
        limit.start(_WAIT_MS)
        if not is_so():
            loop.exec()
        poll.stop()
        limit.stop()
        assert is_so(), "it did not come about in time"

    return wait


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
