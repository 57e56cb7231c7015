"""Choice of a process to attach to: the start page's list and the dialog; part of the composition
root."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt

from stackglass.wire.rates import Rates
from stackglass_viewer.looks import Looks
from stackglass_viewer.presenter.live.attaching import find_python_processes
from stackglass_viewer.presenter.live.capture import Target
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.tables.process_model import ProcessList
from stackglass_viewer.view.dialogs.attach_dialog import AttachDialog
from stackglass_viewer.view.window.main_window import MainWindow

_START_PAGE_MS = 5000  # between two looks at the processes: the page may stand there for hours


class Attach(Protocol):
    """Watches a process in a new tab; ``has_children``: and those that descend from it."""

    def __call__(self, target: Target, *, has_children: bool = False) -> object: ...


class ProcessChoice:
    """GUI thread."""

    def __init__(
        self,
        window: MainWindow,
        preferences: Preferences,
        looks: Looks,
        attach: Attach,
        *,
        is_quiet: bool,
    ) -> None:
        """``is_quiet``: list no processes on the start page."""
        self._window = window
        self._preferences = preferences
        self._looks = looks
        self._attach = attach
        self._is_quiet = is_quiet
        self.processes = ProcessList(find_python_processes)
        start = window.start
        self.processes.found.connect(start.processes.show_rows)
        start.processes.watched.connect(self._watch)
        start.process_requested.connect(lambda pid: attach(Target(pid, preferences.rates)))
        window.attach_requested.connect(self.show_dialog)

    def show_dialog(self) -> None:
        """Ask for a process, the rates to begin with, and whether its children too."""
        dialog = AttachDialog(
            self.processes.model, self._preferences.rates, self._looks.theme, self._window
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.processes.failed.connect(dialog.show_failure)
        self.processes.refreshed.connect(dialog.show_found)
        dialog.attach_requested.connect(self._on_chosen)
        dialog.finished.connect(lambda: self.processes.stop("dialog"))
        self.processes.start("dialog")
        dialog.open()

    def end(self) -> None:
        """End the thread that lists them."""
        self.processes.end()

    def _watch(self, is_watched: bool) -> None:
        """List them on the start page as long as it is shown."""
        if is_watched and not self._is_quiet:
            self.processes.start("start page", _START_PAGE_MS)
        else:
            self.processes.stop("start page")

    def _on_chosen(self, pid: int, rates: Rates, has_children: bool) -> None:
        self._preferences.rates = rates
        self._attach(Target(pid, rates), has_children=has_children)
