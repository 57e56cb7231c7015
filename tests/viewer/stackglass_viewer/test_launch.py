"""What the window says of errors that nothing else reports, when it is first painted, and when a
picture of it is taken."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QPixmap

from stackglass_viewer.app import App
from stackglass_viewer.launch import Picture, _is_opening, _report, _take_later
from stackglass_viewer.presenter.demo import EXAMPLE

pytestmark = pytest.mark.gui

_PROGRAM = """
from PySide6.QtCore import QTimer
from stackglass_viewer.launch import launch
from stackglass_viewer.view.window.main_window import MainWindow

painted = []
MainWindow.paintEvent = lambda *_: painted.append(True)

def begin(app):
    print("painted" if painted else "black")
    QTimer.singleShot(0, app.close)

launch(begin)
"""


def test_the_window_is_painted_before_anything_is_opened(tmp_path: Path) -> None:
    """A tab takes a second to make, and more on a busy machine."""
    settings = {"XDG_CONFIG_HOME": str(tmp_path)}
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"} | settings
    program = (sys.executable, "-c", _PROGRAM)
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["painted"]


def test_a_picture_is_taken_once_the_tab_is_there(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: Callable[..., None]
) -> None:
    """At the first start the tab took longer to be made than the picture was to wait."""
    ended: list[bool] = []
    monkeypatch.setattr(app, "close", lambda: ended.append(True))
    picture = tmp_path / "window.png"
    app.open_places((str(EXAMPLE),))
    assert _is_opening(app)
    seen: list[bool] = []

    def grab() -> QPixmap:
        seen.append(_is_opening(app))
        return QPixmap(1, 1)

    monkeypatch.setattr(app.window, "grab", grab)
    _take_later(app, Picture(picture, 0.0), [])
    wait_until(lambda: ended)
    assert (seen, len(app.documents), picture.exists()) == ([False], 1, True)


def test_an_internal_error_is_said_in_the_window(
    app: App, capsys: pytest.CaptureFixture[str]
) -> None:
    error = KeyError("some\nthing")
    _report(app, KeyError, error, None)
    notice = app.window.message.notice
    assert notice is not None
    assert notice.tone == "error"
    assert notice.text == (
        "Internal error in Stackglass, please report it: KeyError: 'some\\nthing'. "
        "What is shown may be out of date."
    )
    assert "KeyError" in capsys.readouterr().err


def test_an_error_without_a_message_is_said_by_its_kind(app: App) -> None:
    _report(app, MemoryError, MemoryError(), None)
    notice = app.window.message.notice
    assert notice is not None
    assert notice.text == (
        "Internal error in Stackglass, please report it: MemoryError. "
        "What is shown may be out of date."
    )
