"""Sample page: made with all its views and thrown away, so that Qt and PySide load what every page
needs before the user opens the first one. Part of the composition root."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from stackglass_viewer.presenter.tables.contention_model import ContentionModel
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.label_model import LabelModel
from stackglass_viewer.presenter.tables.now_model import NowModel
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.source_model import SourceModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.presenter.tables.trace_model import TraceModel
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.capture.live_bar import LIVE_ICONS, LiveBar
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.widgets.view_rail import list_icons
from stackglass_viewer.view.window.profile_page import ProfilePage

# A page makes these views when they are first shown.
_VIEWS = (
    *("heap", "sandwich", "contention", "source", "labels", "summary", "tree", "traces"),
    *("graph", "time"),
)


_ICONS_AT_ONCE = 6


def _load_icons(theme: Theme) -> Iterator[None]:
    """Load the icons of a page, a few in each step: they take half the time of making a bar."""
    wanted = [(name, theme.muted) for name in list_icons()]
    wanted += [(name, theme.text) for name in LIVE_ICONS]
    for first in range(0, len(wanted), _ICONS_AT_ONCE):
        for name, colour in wanted[first : first + _ICONS_AT_ONCE]:
            load_icon(name, colour, theme.faint)
        yield


def make_sample(theme: Theme) -> Generator[str, None, None]:
    """Make a page in steps; yield after each step the name of what was made. GUI thread.

    The page is deleted when the generator ends or is closed.
    """
    for _ in _load_icons(theme):
        yield "icons"
    worker = Worker("warm up")
    page = ProfilePage(TopModel(worker), HeapModel(), theme, is_whole=False)
    try:
        while next(page.parts, False):
            yield "a part of the page"
        yield "page"
        threads = ThreadModel()
        bar = LiveBar(threads, theme, page, is_whole=False)
        yield "a part of the live bar"
        bar.make_rest(threads)
        yield "live bar"
        live = page.add_live_controls(threads, bar)
        yield "live controls"
        live.timeline.ensurePolished()
        yield "timeline"
        page.tables.add_contention(ContentionModel(page), (WaitsModel(page), NowModel(page)))
        page.tables.add_labels(LabelModel(page))
        page.tables.add_source(SourceModel(page))
        page.tables.add_traces(TraceModel(page), StackModel(page))
        yield "tables"
        for view in _VIEWS:
            page.show_view(view)
            yield view
        page.ensurePolished()
    finally:
        page.deleteLater()
        worker.stop()
