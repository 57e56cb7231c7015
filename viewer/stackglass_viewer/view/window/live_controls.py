"""Live controls: the bars, the timeline and the status line of a capture in its tab."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from stackglass_viewer.presenter.settings.heap_texts import HeapBarState
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.view.capture.live_bar import LiveBar
from stackglass_viewer.view.capture.status_line import StatusLine
from stackglass_viewer.view.capture.thread_bar import ThreadBar
from stackglass_viewer.view.timeline.panel import TimelinePanel
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.window.loading_bar import LoadingBar


class LiveControls(QObject):
    """The controls. The timeline is made later, when it is first needed, since making it with the
    rest would take too long for one incremental step."""

    timeline_toggled = Signal(bool)  # shown or not
    timeline_made = Signal(object)  # TimelinePanel
    debug_info_requested = Signal()
    marker_requested = Signal(str)  # a or b, to put at the pointer on the timeline
    replay_toggled = Signal()
    speed_stepped = Signal()  # of the replay

    def __init__(
        self,
        threads: ThreadModel,
        theme: Theme,
        page: QWidget,
        column: QVBoxLayout,
        bar: LiveBar | None = None,
    ) -> None:
        """``column``: the layout of ``page``. Bar and timeline go to its top, the status line to
        its bottom. ``bar``: a child of ``page`` that was made in earlier steps; None = make it
        now."""
        super().__init__(page)
        self.bar = bar or LiveBar(threads, theme, page)
        self.thread_bar = ThreadBar(threads, theme, page)
        self.status_line = StatusLine(page)
        self.download = LoadingBar(page)
        self.has_debug_server = False  # whether a server for debug information is configured
        self._page, self._theme, self._column = page, theme, column
        self._timeline: TimelinePanel | None = None
        self._is_paused = False
        self.bar.timeline_toggled.connect(self.show_timeline)
        self.bar.pause_toggled.connect(self._show_paused)
        column.insertWidget(0, self.bar)
        self.bar.show()
        column.addWidget(self.download)  # at the bottom: nothing moves under the pointer
        column.addWidget(self.status_line)

    def show_heap_state(self, state: HeapBarState | None) -> None:
        """Adapt the thread filter to the shown heap table; None = the heap is not shown."""
        self.bar.show_heap_state(state)
        self.thread_bar.set_applies(state is None or state.has_threads)

    @property
    def timeline(self) -> TimelinePanel:
        if self._timeline is None:
            self._timeline = self._make_timeline()
            self.timeline_made.emit(self._timeline)
        return self._timeline

    @property
    def is_timeline_visible(self) -> bool:
        """Whether the timeline is on the screen. Unlike ``timeline``, does not make it."""
        return self._timeline is not None and self._timeline.isVisible()

    def _make_timeline(self) -> TimelinePanel:
        made = TimelinePanel(self._theme, self._page)
        made.hide()
        made.show_paused(self._is_paused)
        made.replay.toggled.connect(self.replay_toggled)
        made.replay.speed_stepped.connect(self.speed_stepped)
        self._column.insertWidget(self._column.indexOf(self.bar) + 1, made)
        return made

    def show_timeline(self, is_shown: bool) -> None:
        """Show or hide the timeline, the process's memory over time, above the graph."""
        if is_shown or self._timeline is not None:
            self.timeline.setVisible(is_shown)
        self.bar.set_timeline(is_shown)
        self.timeline_toggled.emit(is_shown)

    def put_marker(self, marker: str) -> None:
        """Request a marker at the pointer on the timeline, and show the timeline if hidden."""
        self._open_timeline()
        self.marker_requested.emit(marker)

    def toggle_replay(self) -> None:
        """Play or pause the replay, and show the timeline if it is hidden."""
        self._open_timeline()
        self.replay_toggled.emit()

    def _open_timeline(self) -> None:
        if self._timeline is None or self._timeline.isHidden():
            self.show_timeline(True)

    def _show_paused(self, is_paused: bool) -> None:
        self._is_paused = is_paused
        self.status_line.show_paused(is_paused)
        if self._timeline is not None:
            self._timeline.show_paused(is_paused)

    def show_status(self, status: LiveStatus) -> None:
        self.bar.show_status(status)
        self.status_line.show_status(status)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.bar.set_theme(theme)
        self.thread_bar.set_theme(theme)
        if self._timeline is not None:
            self._timeline.set_theme(theme)
