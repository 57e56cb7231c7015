"""Downloads of debug information for a process's libraries, on the user's request.

Afterwards the tab of the process has more names and lines of machine code.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from stackglass.errors import StackglassError
from stackglass.symbols import debuginfod
from stackglass.symbols.process_libraries import Library, list_libraries
from stackglass_viewer.presenter.settings.view_state import LoadProgress, Notice
from stackglass_viewer.presenter.worker import Worker


class _Cancelled(Exception):
    """The user has cancelled the download."""


def has_server() -> bool:
    """Whether the user has configured a debuginfod server. No other server is ever asked."""
    return bool(debuginfod.list_servers())


class DebugDownloads(QObject):
    """Downloads in a worker of its own. GUI thread."""

    progressed = Signal(object)  # LoadProgress; None = nothing is being downloaded
    ended = Signal(object)  # Notice

    def __init__(self, pid: int, use: Callable[[], None], parent: QObject | None = None) -> None:
        """The worker calls ``use`` when it has downloaded files."""
        super().__init__(parent)
        self._pid = pid
        self._use = use
        self._is_cancelled = threading.Event()
        self._is_busy = False
        self._worker = Worker("debug information", self)

    def start(self) -> None:
        """Start a download, unless one is under way; ``ended`` follows."""
        if self._is_busy:
            return
        self._is_busy = True
        self._is_cancelled.clear()
        self.progressed.emit(LoadProgress("debug information", None, "Looking for"))
        self._worker.submit("download", self._download, self._on_done, self._on_failed)

    def cancel(self) -> None:
        """Stop the download; files that are complete are kept."""
        self._is_cancelled.set()

    def leave(self) -> None:
        """Stop the thread; no signal is emitted any more."""
        self.cancel()
        self.blockSignals(True)
        self._worker.leave()

    def wait(self) -> None:
        """Wait until the thread has ended. Any thread may call this method, after ``leave``."""
        self._worker.wait()

    def _download(self) -> tuple[int, int, bool]:
        """Return the number of files found, of libraries wanted, and whether it was cancelled."""
        servers = debuginfod.list_servers()
        wanted = [
            each for each in list_libraries(self._pid) if each.build_id and not each.has_lines
        ]
        n_found, is_cancelled = 0, False
        try:
            for number, library in enumerate(wanted):
                show = partial(self._show, library, number, len(wanted))
                show(0, 0)
                n_found += bool(debuginfod.download(library.build_id, servers, show))
        except _Cancelled:
            is_cancelled = True
        finally:
            if n_found:
                self._use()
        return n_found, len(wanted), is_cancelled

    def _show(self, library: Library, number: int, n_libraries: int, done: int, size: int) -> None:
        """Report the progress of one library. Raises _Cancelled if the user has cancelled."""
        if self._is_cancelled.is_set():
            raise _Cancelled
        name = f"{library.path.rpartition('/')[2]} ({number + 1} of {n_libraries})"
        if done:
            name += f", {done / 1e6:.1f} MB"
        share = (number + (done / size if size else 0)) / n_libraries
        self.progressed.emit(LoadProgress(name, share, "Downloading debug information of"))

    def _on_done(self, result: tuple[int, int, bool]) -> None:
        n_found, n_wanted, is_cancelled = result
        if is_cancelled:
            text = f"The download was cancelled. Debug files downloaded before: {n_found}."
        elif not n_wanted:
            text = "All libraries with a build id have debug information already."
        else:
            text = f"Debug information was found for {n_found} of {n_wanted} libraries."
        self._end(Notice("info", text))

    def _on_failed(self, error: Exception) -> None:
        is_known = isinstance(error, StackglassError)
        text = str(error) if is_known else f"Stackglass failed: {type(error).__name__}: {error}"
        self._end(Notice("error", " ".join(text.split())))
        if not is_known:
            raise error  # the exception hook prints where it was

    def _end(self, notice: Notice) -> None:
        self._is_busy = False
        self.progressed.emit(None)
        self.ended.emit(notice)
