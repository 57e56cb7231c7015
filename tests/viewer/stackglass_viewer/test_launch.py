"""What the window says of errors that nothing else reports, and when it is first painted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stackglass_viewer.app import App
from stackglass_viewer.launch import _report

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
