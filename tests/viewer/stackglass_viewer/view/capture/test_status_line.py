"""The status line of a live tab."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel

from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.view.capture.status_line import StatusLine

STATUS = LiveStatus("running", 7, clock="ticker", asked_hz=100)


@pytest.mark.usefixtures("qt")
def test_shares_that_may_be_off_are_shown_with_their_cause() -> None:
    line = StatusLine()
    line.show_status(replace(STATUS, share_error_points=9, share_error_cause="no timers"))
    shown = [label for label in line.findChildren(QLabel) if "points" in label.text()]
    assert [label.text() for label in shown] == ["ticker clock  ·  shares may be 9 points off"]
    assert "no timers" in shown[0].toolTip()
    line.show_status(STATUS)
    assert (shown[0].text(), shown[0].toolTip()) == ("ticker clock", "")
