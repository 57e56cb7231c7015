"""Status line of a live tab: the target, and the state of the capture.

A narrow window cuts the interpreter and the clock first, then the end of the command line. The PID
and the numbers are always whole.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from stackglass_viewer.model.units import format_count, format_share, make_printable, make_sentence
from stackglass_viewer.presenter.live.texts import describe_share_error
from stackglass_viewer.presenter.settings.command_texts import shorten_command
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.view.widgets.elided_label import FittedLabel
from stackglass_viewer.view.widgets.theme import fixed_font, set_style

_PHASES = {
    "connecting": "Attaching",
    "waiting": "Waiting",
    "running": "Live",
    "detached": "Detached",
    "ended": "Ended",
    "lost": "Disconnected",
    "failed": "Failed",
    "saved": "Saved",
}
_UNKNOWN = "–"
_COMMAND_LETTERS = 24  # first letters of the command line, which come before the interpreter
_ABOUT_LETTERS = 14  # of the interpreter, or none: "Python 3.13.0…", not "Pyth…"
# (caption, digits that the number has room for)
_NUMBERS = (
    ("rate", 15),
    ("samples", 9),
    ("lost", 4),
    ("heap", 8),
    ("CPU", 6),
    ("threads", 4),
)


def _describe_rate(status: LiveStatus) -> str:
    """Return the achieved and the requested rate: ``98 / 100 Hz``."""
    if not status.rates.cpu_hz:
        return "off"
    achieved = "–" if status.achieved_hz is None else format_count(round(status.achieved_hz))
    return f"{achieved} / {format_count(status.rates.cpu_hz)} Hz"


def _describe_heap(status: LiveStatus) -> str:
    if not status.rates.heap_rate:
        return "off"
    hz = status.heap.samples_hz if status.heap is not None else None
    return "–" if hz is None else f"{format_count(round(hz))}/s"


def _list_current(status: LiveStatus) -> dict[str, str]:
    """Return the numbers that describe the present moment, by caption.

    All are unknown once the process has ended or the engine is detached.
    """
    if not status.is_attached:
        return dict.fromkeys(("rate", "heap", "CPU", "threads"), _UNKNOWN)
    share = status.cpu_share
    return {
        "rate": _describe_rate(status),
        "heap": _describe_heap(status),
        "CPU": _UNKNOWN if share is None else format_share(share),
        "threads": format_count(status.n_threads) if status.n_threads else _UNKNOWN,
    }


class StatusLine(QFrame):
    """A line of texts and numbers. Numbers have fixed widths, so that nothing moves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self.setFixedHeight(28)
        self._status: LiveStatus | None = None
        self._is_paused = False
        self._phase = QLabel(self)
        self._pid = QLabel(self)
        self._command = FittedLabel(Qt.TextElideMode.ElideRight, self)
        self._about = FittedLabel(Qt.TextElideMode.ElideRight, self)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(6)
        row.addWidget(self._phase)
        row.addSpacing(4)
        row.addWidget(self._pid)
        row.addSpacing(4)
        row.addWidget(self._command)
        row.addStretch(1)
        row.addWidget(self._about)
        self._numbers: dict[str, QLabel] = {}
        for caption, n_digits in _NUMBERS:
            row.addSpacing(10)
            row.addWidget(QLabel(caption, self))
            number = QLabel(self)
            number.setObjectName("number")
            number.setFont(fixed_font())
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            number.setMinimumWidth(number.fontMetrics().horizontalAdvance("0" * n_digits))
            self._numbers[caption] = number
            row.addWidget(number)

    def show_status(self, status: LiveStatus) -> None:
        self._status = status
        self._show_phase(status)
        fork = f"fork of {status.forker}" if status.forker else ""
        name = f"   [{status.process_name or fork}]" if status.process_name or fork else ""
        self._pid.setText(str(status.pid))
        command = shorten_command(status.command)
        about = make_printable(status.command) if status.command != command else ""
        self._command.set_text(f"{command}{name}".strip(), about)
        python = f"Python {status.python_version}" if status.python_version else ""
        clock = f"{status.clock} clock" if status.clock else ""
        points = status.share_error_points
        shares = f"shares may be {points} points off" if points else ""
        collected = "collecting…" if status.is_collecting else status.collected
        self._about.set_text(
            "  ·  ".join(part for part in (collected, python, clock, shares) if part),
            describe_share_error(status),
        )
        numbers = self._numbers
        for caption, text in _list_current(status).items():
            numbers[caption].setText(text)
        numbers["rate"].setToolTip("Achieved / requested samples per second of CPU time")
        numbers["samples"].setText(format_count(status.n_samples))
        numbers["lost"].setText(format_count(status.n_lost))
        set_style(numbers["lost"], "bad" if status.n_lost else "number")
        numbers["heap"].setToolTip("Heap samples per second")
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Share the width: first the first letters of the command line, then the interpreter and
        clock, then the rest of the command line."""
        letters_px = self._command.fontMetrics().averageCharWidth() * _COMMAND_LETTERS
        whole_px, about_px = self._command.sizeHint().width(), self._about.sizeHint().width()
        room_px = max(self.width() - self._row.minimumSize().width(), 0)
        least_px = min(self._about.fontMetrics().averageCharWidth() * _ABOUT_LETTERS, about_px)
        about_px = min(about_px, max(room_px - min(letters_px, whole_px), 0))
        if about_px < least_px:
            about_px = 0
        self._about.setMaximumWidth(about_px)
        self._command.setMaximumWidth(room_px - about_px)

    def show_paused(self, is_paused: bool) -> None:
        """Show whether the view is paused, while the capture continues."""
        self._is_paused = is_paused
        if self._status is not None:
            self._show_phase(self._status)

    def _show_phase(self, status: LiveStatus) -> None:
        is_paused = self._is_paused and status.is_attached
        self._phase.setText("Ⅱ Paused" if is_paused else f"● {_PHASES[status.phase]}")
        name = {"running": "live", "failed": "bad", "lost": "bad"}.get(status.phase, "strong")
        set_style(self._phase, "strong" if is_paused else name)
        # The message that says why can be dismissed.
        self._phase.setToolTip(make_sentence(status.message) if status.message else "")
