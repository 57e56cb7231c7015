"""What the window says of errors that nothing else reports."""

from __future__ import annotations

import pytest

from stackglass_viewer.app import App
from stackglass_viewer.launch import _report

pytestmark = pytest.mark.gui


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
