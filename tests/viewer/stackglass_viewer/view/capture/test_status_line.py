"""The status line of a live tab."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from stackglass.wire.rates import Rates
from stackglass_viewer.presenter.settings.view_state import LiveStatus, Phase
from stackglass_viewer.view.capture.status_line import StatusLine

STATUS = LiveStatus("running", 7, clock="ticker", rates=Rates(cpu_hz=100))


def test_shares_that_may_be_off_are_shown_with_their_cause(qt: QApplication) -> None:
    line = StatusLine()
    line.resize(1600, 28)
    line.show()
    line.show_status(replace(STATUS, share_error_points=9, share_error_cause="no timers"))
    qt.processEvents()
    shown = [label for label in line.findChildren(QLabel) if "points" in label.text()]
    assert [label.text() for label in shown] == ["ticker clock  ·  shares may be 9 points off"]
    assert "no timers" in shown[0].toolTip()
    line.show_status(STATUS)
    qt.processEvents()
    assert (shown[0].text(), shown[0].toolTip()) == ("ticker clock", "")
    line.show_status(replace(STATUS, share_error_points=9, share_error_cause="no timers"))
    line.resize(line.minimumSizeHint().width() + 160, 28)
    qt.processEvents()
    assert shown[0].text().endswith("…")
    assert "9 points off" in shown[0].toolTip()
    line.close()
    line.deleteLater()


def test_the_state_says_why_in_its_tip(qt: QApplication) -> None:
    """The message in the window can be dismissed."""
    line = StatusLine()
    line.show_status(replace(STATUS, phase="lost", message="the engine has left process 7"))
    (lost,) = (each for each in line.findChildren(QLabel) if "Disconnected" in each.text())
    assert lost.toolTip() == "The engine has left process 7."
    line.show_status(STATUS)
    assert (lost.text(), lost.toolTip()) == ("● Live", "")
    line.close()
    line.deleteLater()


def test_the_interpreter_is_never_cut_to_a_stub(qt: QApplication) -> None:
    line = StatusLine()
    line.show()
    status = replace(STATUS, pid=4194304, command="gunicorn shop.wsgi", python_version="3.11.2")
    line.show_status(status)
    shown = set()
    for width_px in range(line.minimumSizeHint().width(), 1400, 7):
        line.resize(width_px, 28)
        qt.processEvents()
        shown.add(line._about.text())
    assert {"", "Python 3.11.2  ·  ticker clock"} < shown
    assert all(text.startswith("Python 3.11") for text in shown if text), shown
    line.close()
    line.deleteLater()


RUNNING = LiveStatus(
    "running", 7, rates=Rates(100, 4096), achieved_hz=98.0, cpu_share=0.5, n_threads=3
)


def test_a_paused_view_is_not_live(qt: QApplication) -> None:
    line = StatusLine()
    line.show_status(RUNNING)
    assert line._phase.text() == "● Live"
    line.show_paused(True)
    assert line._phase.text() == "Ⅱ Paused"
    line.show_status(replace(RUNNING, n_samples=5))
    assert line._phase.text() == "Ⅱ Paused"
    line.show_status(replace(RUNNING, phase="ended"))
    assert line._phase.text() == "● Ended"
    line.show_paused(False)
    line.show_status(RUNNING)
    assert line._phase.text() == "● Live"
    line.deleteLater()


@pytest.mark.parametrize("phase", ["detached", "ended", "lost", "failed"])
def test_what_is_over_has_no_current_values(qt: QApplication, phase: Phase) -> None:
    line = StatusLine()
    line.show_status(replace(RUNNING, n_samples=5, n_lost=2))
    current = {"rate": "98 / 100 Hz", "heap": "–", "CPU": "50.0%", "threads": "3"}
    assert {name: line._numbers[name].text() for name in current} == current
    line.show_status(replace(RUNNING, n_samples=5, n_lost=2, phase=phase))
    assert {line._numbers[name].text() for name in current} == {"–"}
    assert (line._numbers["samples"].text(), line._numbers["lost"].text()) == ("5", "2")
    line.deleteLater()


@pytest.mark.parametrize("width_px", [2400, 1366, 960, 900])
def test_the_pid_stays_when_the_line_is_narrow(qt: QApplication, width_px: int) -> None:
    """And the first letters of the command line, the program, before the interpreter and its
    clock."""
    line = StatusLine()
    line.resize(width_px, 28)
    line.show()
    command = "/srv/shop/bin/gunicorn --workers 4 --bind 0.0.0.0:8000 shop.wsgi:application"
    line.show_status(
        replace(
            RUNNING,
            pid=4194304,
            command=command,
            python_version="3.11.2",
            clock="perf",
            n_samples=1_000_000,
        )
    )
    qt.processEvents()
    labels = {label.text(): label for label in line.findChildren(QLabel)}
    pid = labels["4194304"]
    assert pid.width() >= pid.sizeHint().width()
    assert line.width() == width_px
    assert line._command.text().startswith("gunicor")
    assert command in line._command.toolTip()
    if width_px == 2400:
        assert line._command.text() == command.removeprefix("/srv/shop/bin/")
        assert "Python 3.11.2  ·  perf clock" in labels
    if width_px <= 960:
        assert "Python 3.11.2  ·  perf clock" not in labels
    last = labels["3"]
    assert last.geometry().right() <= width_px
    line.close()
    line.deleteLater()
