"""Choice of a process to attach to: the start page's list and the dialog; part of the composition
root."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from PySide6.QtCore import Qt

from stackglass.wire.rates import Rates
from stackglass_viewer.appearance import Appearance
from stackglass_viewer.presenter.live.attaching import find_python_processes
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.tables.process_model import ProcessList
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.windows import Windows

_START_PAGE_MS = 5000  # between two lists of processes: the page may be shown for hours


class Attach(Protocol):
    """Attaches to a process in a new tab; ``has_children``: also to its descendants."""

    def __call__(self, target: Target, *, has_children: bool = False) -> object: ...


class ProcessChoice:
    """Lists processes, and attaches to the one that the user chooses. GUI thread."""

    def __init__(
        self,
        windows: Windows,
        preferences: Preferences,
        appearance: Appearance,
        attach: Attach,
        *,
        is_quiet: bool,
    ) -> None:
        """``is_quiet``: list no processes on the start page."""
        self._windows = windows
        self._preferences = preferences
        self._appearance = appearance
        self._attach = attach
        self._is_quiet = is_quiet
        self.processes = ProcessList(find_python_processes)
        windows.attach_requested.connect(self.show_dialog)
        windows.on_each(self._connect_start)

    def _connect_start(self, window: MainWindow) -> None:
        start = window.start
        self.processes.found.connect(start.processes.show_rows)
        start.processes.watched.connect(partial(self._watch, f"start page {id(window)}"))
        start.process_requested.connect(
            lambda pid: self._attach(Target(pid, self._preferences.rates))
        )

    def show_dialog(self) -> None:
        """Ask for a process, the rates to begin with, and whether to attach to its children."""
        # Here for start-up time.
        from stackglass_viewer.view.dialogs.attach_dialog import AttachDialog

        dialog = AttachDialog(
            self.processes.model,
            self._preferences.rates,
            self._appearance.theme,
            self._windows.active,
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.processes.failed.connect(dialog.show_failure)
        self.processes.refreshed.connect(dialog.show_found)
        self._windows.theme_changed.connect(dialog.set_theme)
        dialog.attach_requested.connect(self._on_chosen)
        watcher = f"dialog {id(dialog)}"  # each window may have one open
        dialog.finished.connect(lambda: self.processes.stop(watcher))
        self.processes.start(watcher)
        dialog.open()

    def end(self) -> None:
        """End the thread that lists the processes."""
        self.processes.end()

    def _watch(self, watcher: str, is_watched: bool) -> None:
        """List the processes on a window's start page while the page is shown."""
        if is_watched and not self._is_quiet:
            self.processes.start(watcher, _START_PAGE_MS)
        else:
            self.processes.stop(watcher)

    def _on_chosen(self, pid: int, rates: Rates, has_children: bool) -> None:
        self._preferences.rates = rates
        self._attach(Target(pid, rates), has_children=has_children)
