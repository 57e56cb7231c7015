"""Document of a process's tab: a capture that keeps growing, and its controls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from stackglass.clock import SYSTEM_CLOCK
from stackglass_viewer.model.contention.snapshot import ContentionOffer
from stackglass_viewer.model.heap.cost import HeapCost
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.live.wall import drop_wall_filters
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.session.saved_session import SavedSession
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.live.bars import Bars
from stackglass_viewer.presenter.live.brush import tie
from stackglass_viewer.presenter.live.capture import Connect
from stackglass_viewer.presenter.live.contention_empty_state import (
    Remedy,
    ViewScope,
    describe_filter,
    find_recorded,
)
from stackglass_viewer.presenter.live.debug_downloads import DebugDownloads
from stackglass_viewer.presenter.live.held_moment import HeldMoment
from stackglass_viewer.presenter.live.kept_marks import apply_marks, read_marks
from stackglass_viewer.presenter.live.refresh_pace import RefreshPace
from stackglass_viewer.presenter.live.replay import Replay
from stackglass_viewer.presenter.live.saver import CaptureSaver, SaveSubject, read_shown
from stackglass_viewer.presenter.live.session import make_session
from stackglass_viewer.presenter.live.source import LiveSource
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.live.texts import (
    ATTACH_AGAIN,
    SHOW_WAITS,
    choose_notice,
    describe_placeholder,
)
from stackglass_viewer.presenter.live.threads_now import ThreadsNow
from stackglass_viewer.presenter.live.time_range import fits_window
from stackglass_viewer.presenter.live.timeline import Timeline
from stackglass_viewer.presenter.live.type_counts import TypeCounts
from stackglass_viewer.presenter.live.waiting import Waiting
from stackglass_viewer.presenter.saving.save_plan import SavePlan
from stackglass_viewer.presenter.settings.command_texts import name_process
from stackglass_viewer.presenter.settings.contention_choices import WAITING_NOW
from stackglass_viewer.presenter.settings.label_choices import describe_labels
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.settings.sample_choice import arrange
from stackglass_viewer.presenter.settings.thread_choice import ALL_THREADS
from stackglass_viewer.presenter.settings.view_state import SPANS_NS, LiveStatus, Notice

# Numbers that change more often cannot be read, and a refresh costs about 1 % of a processor.
_REFRESH_MS = 333


class LiveDocument(Document):
    """The tab of a process, or of a session from a file.

    The capture applies data to ``live`` in its own thread. A timer starts a build when there are
    new data, the tab is in front and the last build is done. GUI thread, like every document.
    """

    status_changed = Signal(object)  # LiveStatus
    title_changed = Signal(str)
    attach_again_requested = Signal()  # the user wants a new session of the same process
    placeholder_changed = Signal(str, str)  # title, text: shown in place of a graph
    remedies_changed = Signal(object)  # tuple of Remedy: the buttons below that text
    view_wanted = Signal(str)  # a view that the window is to show
    span_wanted = Signal(str)  # a span that the window is to choose
    contention_wanted = Signal(object)  # Rates of contention that the window is to set
    waiting_changed = Signal(object)  # WaitingSeries; None = there is none
    heap_costs_changed = Signal(object)  # tuple of HeapCost; () = not known

    def __init__(
        self,
        target: Target | SavedSession,
        connect: Connect,
        style: GraphStyle,
        span: str,
        parent: QObject | None = None,
    ) -> None:
        """``target``: a process, or a session from a file; ``span``: a key of SPANS_NS."""
        self.session = make_session(target)
        self.live = self.session.live
        super().__init__(LiveSource(self.live, self.session.pid, self.session.alive), style, parent)
        self.counts = TypeCounts(self.live, self._worker, self)
        self.types = self.counts.model
        self.span = span
        self.span_ns = SPANS_NS[span]
        self._held = HeldMoment(self.live, self._worker, self.build)
        self._is_stale = False  # whether data have come since the last build
        self._has_unshown_status = False  # whether the status has changed since it was shown
        self._is_idle = False
        self._idle_threads = ""  # the threads of the last build that a filter shows; "" = all
        self._window: HeapWindow | None = None  # of the timeline's markers; None = now
        self._is_contention_opened = False  # if so, the chosen kind of contention stays
        self._offer: ContentionOffer | None = None  # locks, calls and kinds to filter by
        self._last_notice: Notice | None = None  # the last notice of the capture
        self._heap_costs: tuple[HeapCost, ...] = ()
        self.capture = self.session.make_capture(connect, self)
        self.capture.status_changed.connect(self._follow_status)
        self.capture.data_arrived.connect(self._on_data_arrived)
        self.saver = CaptureSaver(self.live, self.session.write, self)
        self.saver.saved.connect(lambda text: self.notices.put("save", Notice("info", text)))
        self.saver.failed.connect(self._on_save_failed)
        self.downloads = DebugDownloads(self.session.pid, self.session.read_names_anew, self)
        self.downloads.ended.connect(lambda notice: self.notices.put("debuginfo", notice))
        self.timeline = Timeline(self.live, style.palette, self)
        self.timeline.markers.window_changed.connect(self._on_window_changed)
        self.style_changed.connect(self.timeline.choose_palette)
        tie(self.brush, self.timeline.markers)
        self.replay = Replay(self.timeline.markers, SYSTEM_CLOCK, lambda: self.is_building, self)
        self.replay.choose_length(self.span_ns)
        self._refresh = QTimer(self)
        self._refresh.setInterval(_REFRESH_MS)
        self._refresh.timeout.connect(self._on_refresh)
        self._pace = RefreshPace(SYSTEM_CLOCK)
        self.bars = Bars(self.heap, self.contention, self.saver.unsaved, self)
        self.waiting = Waiting(self.live, self.capture, self._worker, self)
        self.waiting.deadlocks_changed.connect(lambda: self._put_notice(self.status))
        self.contention.waits_watched.connect(self._watch_waits)
        self.threads_now = ThreadsNow(self.live, self.capture, self._worker, self)
        self.contention.threads_watched.connect(self.threads_now.show)
        self.models_of_now = self.waiting.model, self.threads_now.model
        self.contention.open_on(find_recorded(self.status.rates))
        self.threads.chosen_changed.connect(self._on_threads_chosen)
        self.threads.choice_made.connect(self.placing.begin_anew)
        for of_samples in (self.times, self.traces):
            of_samples.watched.connect(lambda _: self._put_notice(self.status))
        self.built.connect(self._on_view_built)

    @property
    def status(self) -> LiveStatus:
        return self.capture.status

    @property
    def title(self) -> str:
        """``server.py 4711``, ``fork of server.py 4712``; for a saved session the file's name."""
        if self.session.name:
            return self.session.name
        status = self.status
        return f"{name_process(status.process_name, status.command, status.forker)} {status.pid}"

    @property
    def is_unsaved(self) -> bool:
        """Whether data are unsaved. Heap and contention count once the user has looked at them."""
        return self.status.phase != "saved" and self.saver.unsaved.is_any(self.status)

    @property
    def saveable(self) -> SaveSubject:
        """What Save would write now."""
        request = self._request()
        plan = SavePlan(
            shown=self.info.choice if self.info is not None else None,
            heap_when=self.heap.when,
            span=self.span,
            span_ns=self.span_ns,
            tids=request.tids,
            threads=self.threads.summary,
            labels=self.labels.chosen,
            window=request.window,
        )
        return SaveSubject(plan, self.status, read_marks(self.timeline.markers))

    def prepare_profile(self) -> Callable[[], Profile]:
        """Return a function that reads the shown profile, as Save would write it."""
        return partial(read_shown, self.live, self.saveable.plan, self._request().steps)

    def start(self) -> None:
        """Attach, and begin to refresh."""
        self._follow_status(self.capture.status)
        self.capture.start()
        self._refresh.start()
        if (marks := self.session.marks) is not None:
            self.built.connect(
                lambda _: apply_marks(marks, self.timeline.markers),
                Qt.ConnectionType.SingleShotConnection,
            )
        self.build()

    def set_front(self, is_front: bool) -> None:
        """Note whether the tab is in front; if not, it draws nothing and pauses its replay."""
        super().set_front(is_front)
        self.timeline.show(is_front=is_front)
        for part in (self.threads_now, self.waiting.poll):
            part.set_front(is_front)
        if self._has_unshown_status:
            self._show_status()
        if not is_front:
            self.replay.pause()

    def leave(self) -> None:
        self._refresh.stop()
        self.replay.pause()
        self.waiting.poll.stop()
        self.threads_now.stop()
        self.capture.leave()
        self.saver.leave()
        self.downloads.leave()
        self.timeline.leave()
        super().leave()

    def wait(self) -> None:
        self.capture.wait()
        self.saver.wait()
        self.downloads.wait()
        self.timeline.wait()
        super().wait()
        self.session.close()

    # -- the capture

    def _watch_waits(self, is_watched: bool) -> None:
        self.waiting.poll.show(is_watched)
        self._put_notice(self.status)

    def clear(self) -> None:
        """Discard the samples; the capture goes on. A saved session keeps its samples."""
        if self.status.phase == "saved":
            return
        # In the worker: the profile's lock may be held for a batch, and this thread never waits.
        self.placing.forget()
        self._worker.submit("clear", self.live.clear, lambda _: self.build())

    def pause(self, is_paused: bool) -> None:
        """Hold the views at this moment, or resume; the capture goes on in either case."""
        for part in (self.timeline, self.waiting, self.threads_now, self._held):
            part.pause(is_paused)

    def take_action(self, action: str) -> None:
        """Carry out the action of a notice's button."""
        if action == ATTACH_AGAIN:
            self.attach_again_requested.emit()
        elif action == SHOW_WAITS:
            self.view_wanted.emit("contention")
            self.contention.choose_grouping(WAITING_NOW)

    def _refresh_front(self) -> None:
        self._pace.hurry()
        self._on_refresh()

    # -- choices

    def _on_save_failed(self, error: Exception) -> None:
        self.notices.put("save", Notice("error", " ".join(str(error).split())))

    def choose_span(self, span: str) -> None:
        self.span = span
        self.span_ns = SPANS_NS[span]
        self.replay.choose_length(self.span_ns)
        self.build()

    def _on_threads_chosen(self, tids: frozenset[int] | None) -> None:
        self.tids = tids
        self.build()

    def choose_type(self, index: int) -> None:
        super().choose_type(index)
        choice = arrange(self._sample_types, index)
        self._is_contention_opened |= choice.contention is not None
        if self._window is not None and not fits_window(choice.heap, self._window):
            self.timeline.markers.choose_mode("now")  # the window does not fit the new type

    def _on_window_changed(self, window: HeapWindow | None) -> None:
        self._window = window
        until = window.until if window is not None else None
        self.waiting.look_at(until)
        self.counts.look_at(until)
        heap = arrange(self._sample_types, self._type_index).heap
        if window is None or fits_window(heap, window):
            self.build()
        else:
            self.heap.choose_measure(is_in_use=window.kind == "growth", is_space=None)

    @property
    def _keeps_places(self) -> bool:
        """Whether boxes keep their places: not in a past span, a saved session, or while paused."""
        return self._window is None and not self._held.is_paused and self.status.phase != "saved"

    def _request(self) -> BuildRequest:
        request, heap = super()._request(), arrange(self._sample_types, self._type_index).heap
        request = replace(request, is_over=not self.status.is_attached)
        return self._held.apply(request, heap, self._window)

    # -- refreshing

    def _on_data_arrived(self) -> None:
        self._is_stale = True
        if not self._refresh.isActive():
            self._refresh.start()

    def _on_refresh(self) -> None:
        """Build if data have come, no more often than timer and pace allow, and one at a time."""
        # The last 10 s change without new data, too: old samples leave the span.
        is_moving = self.span_ns is not None and self.status.is_attached
        if self._window is not None:  # a span between two moments of the past does not change
            is_moving = self._window.until is None and self.status.is_attached
            self._is_stale = is_moving and self._is_stale
        is_wanted = self._is_front and not self._held.is_paused and self._pace.is_due
        if (self._is_stale or is_moving) and is_wanted and not self.is_building:
            self._is_stale = False
            self.build()

    def _on_view_built(self, built: Built) -> None:
        self._pace.rest(built.cpu_s)
        if built.threads is not None:
            self.threads.set_rows(built.threads)
        if built.heap_costs != self._heap_costs:
            self._heap_costs = built.heap_costs
            self.heap_costs_changed.emit(built.heap_costs)
        if built.contention is not None:
            self._offer = built.contention.offer
            self.waiting_changed.emit(built.contention.waiting)
        self._is_idle = built.is_idle
        self._idle_threads = self._scope.threads
        self._show_bars()
        self._show_placeholder(self.status)
        self._put_notice(self.status)

    # -- what is shown of the status

    def _follow_status(self, status: LiveStatus) -> None:
        """Follow a new status. A tab that is not in front updates only its title and its notice; it
        shows the rest when it comes to the front."""
        self.counts.follow(status)
        self.waiting.follow(status)
        self.threads_now.follow(status)
        if not self._is_contention_opened:
            self.contention.open_on(find_recorded(status.rates))
        self.title_changed.emit(self.title)
        self._show_status()
        self._put_notice(status)

    def _show_status(self) -> None:
        self._has_unshown_status = not self._is_front
        if self._is_front:
            self.status_changed.emit(self.status)
            self._show_bars()
            self._show_placeholder(self.status)

    def _show_bars(self) -> None:
        shown = self.info.choice if self.info is not None else None
        self.bars.show(shown, self.status, self._offer, self._window, self._held.is_paused)

    def _show_placeholder(self, status: LiveStatus) -> None:
        choice = self.info.choice if self.info is not None else None
        empty = describe_placeholder(status, choice, self._offer, self._scope)
        self.placeholder_changed.emit(empty.title, empty.text)
        self.remedies_changed.emit(empty.remedies)
        self.waiting.announce()

    @property
    def _scope(self) -> ViewScope:
        """The filters and the span of contention that are chosen."""
        locks = dict(self._offer.locks) if self._offer is not None else {}
        threads = self.threads.summary if self.tids is not None else ""
        is_wall = arrange(self._sample_types, self._type_index).is_wall
        labels = describe_labels(drop_wall_filters(self.labels.chosen, is_wall))
        return ViewScope(
            filters=(
                *describe_filter(self.contention.wanted, locks),
                *filter(None, (threads, labels)),
            ),
            span=self.span if self.span_ns is not None else "",
            threads=threads,
            labels=labels,
            is_window=self._window is not None,
            has_transforms=bool(self.transforms.chosen),
            is_idle=self._is_idle,
        )

    def take_remedy(self, remedy: Remedy) -> None:
        """Carry out the action of a button below the empty state."""
        if remedy.kind == "unfilter":
            self.contention.drop_filters()
            self.labels.drop_all()
            self.threads.restore(ALL_THREADS)
        elif remedy.kind == "now":
            self.contention.choose_grouping(WAITING_NOW)
        elif remedy.rates is not None:
            self.contention_wanted.emit(remedy.rates)
        else:
            self.span_wanted.emit(next(key for key, ns in SPANS_NS.items() if ns is None))

    def _put_notice(self, status: LiveStatus) -> None:
        """Put a notice only if it is new: the user may have closed the last one."""
        self.waiting.poll.follow(is_running=status.phase == "running", is_idle=self._is_idle)
        is_of_samples = self.times.is_watched or self.traces.is_watched  # no current stacks
        has_stacks = self._is_idle and not is_of_samples
        notice = choose_notice(status, has_stacks, self.waiting.deadlocks, self._idle_threads)
        if notice != self._last_notice:
            self._last_notice = notice
            self.notices.put("capture", notice)
