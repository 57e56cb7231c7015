"""Warm-up: what the start page does not need is loaded once the window is there, a view or a module
at a time, not under the user's hands; part of the composition root."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Generator, Iterator

from PySide6.QtCore import QTimer

from stackglass_viewer.presenter.tables.contention_model import ContentionModel
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.label_model import LabelModel
from stackglass_viewer.presenter.tables.source_model import SourceModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.window.profile_page import ProfilePage

# Made when they are looked at.
_VIEWS = (
    *("heap", "sandwich", "contention", "source", "labels", "summary", "tree", "graph", "time"),
)

LATE_ROOMS = (
    "stackglass_viewer.model.readers",
    "stackglass_viewer.model.memory_trace",
    "stackglass_viewer.presenter.memory_trace",
    "stackglass_viewer.view.memory_trace",
)
"""Only files need them, so the start page is shown without."""

_LAST = ("any_file", "opener", "opening", "document", "panel")
"""They import most of their room: after it, so that no step is long."""

_AFTER_MS = 100  # when the window has been painted
_STEP_MS = 10  # events of the user go first


class WarmUp:
    """Makes a page with all its views, and throws it away; imports ``LATE_ROOMS``. GUI thread."""

    def __init__(self, theme: Theme, is_loading: Callable[[], bool] = lambda: False) -> None:
        """``is_loading``: whether a thread reads a file, which imports the same modules."""
        self._steps = _take_steps(theme, is_loading)
        self._timer = QTimer()
        self._timer.timeout.connect(self.go_on)

    def start(self) -> None:
        self._timer.start(_AFTER_MS)

    def stop(self) -> None:
        """What is not made by now is made when it is looked at."""
        self._timer.stop()
        self._steps.close()

    def go_on(self) -> bool:
        """Run one incremental step; returns whether there are more."""
        self._timer.setInterval(_STEP_MS)
        is_done = next(self._steps, None) is None
        if is_done:
            self._timer.stop()
        return not is_done


def list_late_modules() -> Iterator[str]:
    """Names of the modules of ``LATE_ROOMS``, room by room."""
    for room in LATE_ROOMS:
        path = importlib.import_module(room).__path__
        names = [module.name for module in pkgutil.iter_modules(path, f"{room}.")]
        yield from sorted(names, key=lambda name: name.rpartition(".")[2] in _LAST)


def _take_steps(theme: Theme, is_loading: Callable[[], bool]) -> Generator[str, None, None]:
    """Yields what it has made or imported."""
    yield from _make_page(theme)
    for name in list_late_modules():
        while is_loading():  # the GUI thread would wait for the other's import
            yield "nothing"
        importlib.import_module(name)
        yield name


def _make_page(theme: Theme) -> Generator[str, None, None]:
    """Yields what it has made."""
    worker = Worker("warm up")
    page = ProfilePage(TopModel(worker), HeapModel(), theme)
    try:
        yield "page"
        page.add_live_controls(ThreadModel())
        yield "live controls"
        page.tables.add_contention(ContentionModel(page), WaitsModel(page))
        page.tables.add_labels(LabelModel(page))
        page.tables.add_source(SourceModel(page))
        yield "tables"
        for view in _VIEWS:
            page.show_view(view)
            yield view
        page.ensurePolished()
    finally:
        page.deleteLater()
        worker.stop()
