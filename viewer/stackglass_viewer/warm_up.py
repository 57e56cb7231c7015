"""Warm-up: loads the modules and views that the start page does not need, one step at a time, once
the window is shown. The first tab opens sooner then. Part of the composition root."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator

from PySide6.QtCore import QTimer

from stackglass_viewer.import_order import list_in_order
from stackglass_viewer.presenter.gui_collector import Collector

_MODEL = ("stackglass_viewer.model.live_profile", "stackglass_viewer.model.graph.search")
"""Modules without Qt. They import numpy, protobuf and re2, which cannot be split into steps."""

_PAGES = (
    "stackglass_viewer.pages",
    "stackglass_viewer.view.dialogs.attach_dialog",
    "stackglass_viewer.view.dialogs.about",
    "stackglass_viewer.view.dialogs.shortcut_sheet",
)
"""Modules that tabs need, and dialogs of the start page."""

_OWN = ("stackglass.", "stackglass_viewer.")
_IMPORT_STEP_S = 0.004  # of CPU time; a step ends with the module that exceeds it

LATE_ROOMS = (
    "stackglass_viewer.model.readers",
    "stackglass_viewer.model.memory_trace",
    "stackglass_viewer.presenter.memory_trace",
    "stackglass_viewer.view.memory_trace",
)
"""Packages that only files need: they are loaded last."""

_AFTER_MS = 100  # when the window has been painted
_STEP_MS = 10  # between two steps: events of the user go first


class WarmUp:
    """Imports the model in a thread and ``_PAGES`` in steps, makes a page with all its views and
    throws it away, then imports ``LATE_ROOMS``. GUI thread."""

    def __init__(
        self,
        make_sample: Callable[[], Iterator[str]],
        collector: Collector,
        is_loading: Callable[[], bool] = lambda: False,
    ) -> None:
        """``make_sample`` makes the page in steps; it may import ``pages``. ``is_loading`` returns
        whether a thread reads a file, which imports modules of ``LATE_ROOMS`` too."""
        self._model = threading.Thread(target=_import_model, name="import")
        self._make_sample = make_sample
        self._collector = collector
        self._is_loading = is_loading
        self._steps = self._take_steps()
        self._has_begun = self._has_pages = False
        self._awaiting: list[Callable[[], object]] = []  # what ``when_imported`` has put off
        self._timer = QTimer()
        self._timer.timeout.connect(self.go_on)

    def start(self) -> None:
        self._has_begun = True
        self._timer.start(0 if self.is_awaited else _AFTER_MS)

    def when_imported(self, act: Callable[[], object]) -> None:
        """Call ``act`` once the modules of ``_PAGES`` are imported, and hurry to import them. An
        import of all of them at once would freeze the window for a tenth of a second.

        Calls ``act`` at once if they are imported, or if the warm-up has not begun.
        """
        if not self._has_begun or (self._has_pages and not self._awaiting):
            act()
            return
        self._awaiting.append(act)
        self._timer.start(0)

    @property
    def is_awaited(self) -> bool:
        """Whether something waits for the modules of ``_PAGES``."""
        return bool(self._awaiting)

    def stop(self) -> None:
        """Stop after the current step. What is not loaded yet is loaded when it is first used."""
        self._timer.stop()
        self._awaiting.clear()
        self._steps.close()
        if self._model.is_alive():
            self._model.join()

    def go_on(self) -> bool:
        """Run one incremental step; returns whether there are more."""
        if self._has_pages and self._awaiting:
            self._awaiting.pop(0)()
            return True
        is_done = next(self._steps, None) is None
        self._timer.setInterval(0 if self.is_awaited else _STEP_MS)
        if is_done:
            self._timer.stop()
        return not is_done

    def _take_steps(self) -> Generator[str, None, None]:
        """Do the warm-up in steps; yield after each the name of what was made or imported."""
        self._collector.pause()  # an import makes objects by the hundred thousand
        try:
            self._model.start()
            while self._model.is_alive():
                yield "a part of the model"
            for _ in _import_pages():
                yield "a part of the pages"
        finally:
            self._collector.freeze_and_resume()
        yield "pages"
        self._has_pages = True
        yield from self._make_sample()
        for name in list_late_modules():
            while self._is_loading():  # the GUI thread would wait for the loader's import lock
                yield "nothing"
            importlib.import_module(name)
            yield name


def _import_model() -> None:
    for name in _MODEL:
        importlib.import_module(name)


def _import_pages() -> Iterator[None]:
    """Import ``_PAGES`` a module at a time, and yield after each few milliseconds.

    No module is half imported between two steps. So a tab may be opened there: it imports the rest.
    """
    end_s = time.thread_time() + _IMPORT_STEP_S
    for first in _PAGES:
        for name in list_in_order(first, _is_missing):
            importlib.import_module(name)
            if time.thread_time() > end_s:
                yield
                end_s = time.thread_time() + _IMPORT_STEP_S


def list_late_modules() -> Iterator[str]:
    """Yield the names of the modules of ``LATE_ROOMS``, each after those that it imports, so that
    each import runs one module."""
    rooms = {room: importlib.import_module(room).__path__ for room in LATE_ROOMS}
    listed: set[str] = set()
    for room, path in rooms.items():
        for module in pkgutil.iter_modules(path, f"{room}."):
            yield from list_in_order(module.name, _is_late, listed)


def _is_late(name: str) -> bool:
    return name.rpartition(".")[0] in LATE_ROOMS


def _is_missing(name: str) -> bool:
    return name.startswith(_OWN) and name not in sys.modules
