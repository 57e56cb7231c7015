"""Warm-up: fonts, icons and styles of a page are loaded at the start, not under the user's hands;
part of the composition root."""

from __future__ import annotations

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

_VIEWS = (
    "heap",
    "sandwich",
    "contention",
    "source",
    "labels",
    "summary",
)  # made when they are looked at


def warm_up(theme: Theme) -> None:
    """Make a page with all its views, and throw it away. GUI thread."""
    worker = Worker("warm up")
    page = ProfilePage(TopModel(worker), HeapModel(), theme)
    page.add_live_controls(ThreadModel())
    page.tables.add_contention(ContentionModel(page), WaitsModel(page))
    page.tables.add_labels(LabelModel(page))
    page.tables.add_source(SourceModel(page))
    for view in _VIEWS:
        page.show_view(view)
    page.ensurePolished()
    page.deleteLater()
    worker.stop()
