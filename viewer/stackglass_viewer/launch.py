"""Launch of the application from a command line, with an optional screenshot."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QSettings, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from stackglass.errors import OutputError, UsageError
from stackglass_viewer.app import App
from stackglass_viewer.presenter.settings.preferences import REMEMBERED_VIEWS
from stackglass_viewer.presenter.settings.unstored_settings import UnstoredSettings
from stackglass_viewer.presenter.settings.view_state import Notice

_SWITCH_INTERVAL_S = 0.001  # how long the GUI thread may have to wait for the GIL
_SIGNAL_POLL_MS = 200
_OPENING_POLL_MS = 20
_EXPOSED_MS = 1000  # the most that the display may take to show the window
_PICTURE_AFTER_S = 1.0
_VIEWS = (*REMEMBERED_VIEWS, "wall", "timeline")
_STYLE = ("-style", "fusion")
"""Arguments of Qt. ``QApplication.setStyle`` would delay the start page: it returns the style, for
which PySide makes all types and enums of styles."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A screenshot to save (``--screenshot``) some time after its tab was opened."""

    path: Path
    after_s: float


def add_picture_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that every command of the viewer has."""
    group = parser.add_argument_group("pictures")
    group.add_argument(
        "--screenshot", metavar="OUT.png", help="save a screenshot of the window, then exit"
    )
    group.add_argument(
        "--after",
        metavar="SECONDS",
        type=float,
        default=_PICTURE_AFTER_S,
        help="seconds from the tab's opening to the screenshot (default: %(default)s)",
    )
    group.add_argument("--view", choices=_VIEWS, default="", help="which view to show")


def read_picture(arguments: argparse.Namespace) -> Picture | None:
    """Return the screenshot that the command line asks for, if any. Raises UsageError."""
    if arguments.screenshot is None:
        return None
    path = Path(arguments.screenshot)
    if not path.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {path.absolute().parent} for the screenshot")
    if not 0 <= arguments.after < 86_400:
        raise UsageError("--after takes seconds: 0 or more, and less than a day")
    return Picture(path, arguments.after)


def launch(begin: Callable[[App], None], picture: Picture | None = None, view: str = "") -> int:
    """Show the window, let ``begin`` fill it, and wait until it is closed. Returns the exit code.

    ``view``: the view to show first; "" = the usual one. Raises UsageError without a display,
    OutputError if the picture was not written.
    """
    if not _is_any_set("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        if picture is None:
            raise UsageError(
                "there is no display to show a window on",
                "use --screenshot, or `stackglass record` and `stackglass top`",
            )
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    qt = QApplication([*sys.argv[:1], *_STYLE])
    qt.setApplicationName("stackglass")
    qt.setApplicationDisplayName("Stackglass")
    qt.setDesktopFileName("stackglass")
    QGuiApplication.setQuitOnLastWindowClosed(False)
    kept = QSettings if picture is None else UnstoredSettings  # a screenshot stores no settings
    app = App(qt, kept("stackglass", "stackglass"), is_quiet=picture is not None)
    # Qt's event loop is C++, but Python's signal handlers run only between bytecodes: the timer
    # runs a few.
    pulse = QTimer()
    pulse.timeout.connect(lambda: None)
    pulse.start(_SIGNAL_POLL_MS)
    sys.excepthook = lambda kind, error, trace: _report(app, kind, error, trace)
    if picture is None:  # a picture has the same size on every machine
        app.place_window()
    app.window.show()
    _paint_window(qt, app.window)
    app.start_warm_up()
    for number in (signal.SIGINT, signal.SIGTERM):
        # The handler may interrupt any code, even a generator, so it closes with the next event.
        signal.signal(number, lambda *_: QTimer.singleShot(0, app.close))
    begin(app)
    if view:
        app.force_view(view)
    outcome: list[OutputError | None] = []  # of the screenshot; None = it was written
    if picture is not None:
        _take_later(app, picture, outcome)
    try:
        code = qt.exec()
    finally:
        sys.excepthook = sys.__excepthook__
    if picture is not None:
        no_picture = OutputError("no screenshot was taken: the window was closed before")
        error = outcome[0] if outcome else no_picture
        if error is not None:
            raise error
    return code


def _paint_window(qt: QApplication, window: QWidget) -> None:
    """Wait until the window is on the screen, and paint it: ``begin`` may take longer."""
    handle = window.windowHandle()
    deadline = QDeadlineTimer(_EXPOSED_MS)
    while handle is not None and not handle.isExposed() and not deadline.hasExpired():
        qt.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents, deadline)
    window.repaint()


def _is_any_set(*variables: str) -> bool:
    """Whether any of these environment variables is set, and not empty."""
    return any(os.environ.get(variable) for variable in variables)


def _report(
    app: App, kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Report an internal error: one line in the window, the traceback on standard error."""
    traceback.print_exception(kind, error, trace)
    text = f"Internal error in Stackglass, please report it: {kind.__name__}: {error}"
    about = "What is shown may be out of date."
    app.window.show_notice(Notice("error", f"{' '.join(text.split()).rstrip('.: ')}. {about}"))


def _take_later(app: App, picture: Picture, outcome: list[OutputError | None]) -> None:
    """Take the picture some time after everything was opened, which may take long at the first
    start, when modules are compiled, or on a busy machine."""
    if _is_opening(app):
        delay_ms, act = _OPENING_POLL_MS, _take_later
    else:
        delay_ms, act = round(picture.after_s * 1000), _take_picture
    QTimer.singleShot(delay_ms, app.window, lambda: act(app, picture, outcome))


def _is_opening(app: App) -> bool:
    """Whether a file is being read, or a tab is being made or waits for modules to be imported."""
    return app.loader.is_busy or app.tabs.is_opening or app.window.loading.isVisible()


def _take_picture(app: App, picture: Picture, outcome: list[OutputError | None]) -> None:
    is_written = app.window.grab().save(str(picture.path))
    error = OutputError(f"cannot write the screenshot {picture.path}")
    outcome.append(None if is_written else error)
    app.close()
