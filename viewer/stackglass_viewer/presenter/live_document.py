"""The tab of a process: a document whose data keep coming, and the controls of its capture."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass_viewer.model.colours import Palette
from stackglass_viewer.model.growth import HeapWindow
from stackglass_viewer.model.heap_cost import HeapCost
from stackglass_viewer.model.live_heap import HeapWhen
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.type_census import TypeTable
from stackglass_viewer.presenter.capture import Capture, Connect
from stackglass_viewer.presenter.document import Document
from stackglass_viewer.presenter.heap_words import (
    HeapBarState,
    describe_heap_bar,
    describe_no_heap,
)
from stackglass_viewer.presenter.live_source import LiveSource
from stackglass_viewer.presenter.sample_choice import HeapChoice, arrange
from stackglass_viewer.presenter.saving import save_heap, save_live
from stackglass_viewer.presenter.sources import BuildRequest, Built
from stackglass_viewer.presenter.thread_model import ThreadModel
from stackglass_viewer.presenter.timeline import Timeline
from stackglass_viewer.presenter.type_model import TypeModel
from stackglass_viewer.presenter.values import SPANS_NS, LiveStatus, Notice, SaveChoice
from stackglass_viewer.presenter.window_source import fits_window
from stackglass_viewer.presenter.worker import Worker

_REFRESH_MS = 250  # at least so long between two refreshes
_GIL_WAIT_NS = 300_000_000  # told from here on

ATTACH_AGAIN = "attach again"
_OPTIONS_WITH_VALUE = ("-m", "-X", "-W", "--check-hash-based-pycs")  # of the interpreter


class LiveDocument(Document):
    """GUI thread, like every document."""

    status_changed = Signal(object)  # LiveStatus
    title_changed = Signal(str)
    attach_again_requested = Signal()  # a new session: its data are not these
    placeholder_changed = Signal(str, str)  # title, text: in the place of a graph
    heap_bar_changed = Signal(object)  # HeapBarState; None = something else is looked at
    heap_costs_changed = Signal(object)  # tuple of HeapCost; () = not known

    def __init__(
        self,
        pid: int,
        cpu_hz: int,
        heap_rate: int,
        connect: Connect,
        order: str,
        palette: Palette,
        span: str,
        parent: QObject | None = None,
        has_native: bool = True,
    ) -> None:
        self.live = LiveProfile()
        super().__init__(LiveSource(self.live, pid), order, palette, parent)
        self.threads = ThreadModel(self)
        self.types = TypeModel(self)
        self.span = span
        self.span_ns = SPANS_NS[span]
        self._pid = pid
        self._is_paused = False
        self._is_stale = False  # there is more than what is shown
        self._n_saved = 0  # samples when it was saved last
        self._n_heap_saved = 0  # likewise, of the heap
        self._is_heap_seen = False  # it was looked at once
        self._is_idle = False
        self._window: HeapWindow | None = None  # what of the heap is looked at
        self._n_censuses = 0  # that were looked at
        self._said: Notice | None = None
        self._heap_costs: tuple[HeapCost, ...] = ()
        self._heap_bar: HeapBarState | None = None
        self._saver = Worker("save", self)
        self._capture = Capture(pid, cpu_hz, heap_rate, self.live, connect, self, has_native)
        self._capture.status_changed.connect(self._say_status)
        self._capture.data_arrived.connect(self._on_data_arrived)
        self.timeline = Timeline(self.live, self)
        self.timeline.window_changed.connect(self._on_window_changed)
        self._refresh = QTimer(self)
        self._refresh.setInterval(_REFRESH_MS)
        self._refresh.timeout.connect(self._on_refresh)
        self.threads.chosen_changed.connect(self._on_threads_chosen)
        self.built.connect(self._on_view_built)

    @property
    def status(self) -> LiveStatus:
        return self._capture.status

    @property
    def title(self) -> str:
        """``server.py 4711``."""
        return f"{name_command(self.status.command)} {self._pid}"

    @property
    def is_unsaved(self) -> bool:
        """There are samples that were not saved; the heap's count once they were looked at."""
        heap = self.status.heap
        n_heap = heap.n_samples if heap is not None and self._is_heap_seen else 0
        return self.status.n_samples > self._n_saved or n_heap > self._n_heap_saved

    def start(self) -> None:
        """Attach."""
        self._say_status(self._capture.status)
        self._capture.start()
        self._refresh.start()
        self.build()

    def leave(self) -> None:
        self._refresh.stop()
        self._capture.leave()
        self._saver.leave()
        self.timeline.leave()
        super().leave()

    def wait(self) -> None:
        self._capture.wait()
        self._saver.wait()
        self.timeline.wait()
        super().wait()

    # -- the capture

    def set_rate(self, cpu_hz: int) -> None:
        self._capture.set_rate(cpu_hz)

    def set_heap_rate(self, rate: int) -> None:
        """Bytes; 0 = off."""
        self._capture.set_heap_rate(rate)

    def collect(self) -> None:
        """Run a full collection in the target."""
        self._capture.collect()

    def take_census(self) -> None:
        """Count the target's objects by type; ``types`` shows them when they are there."""
        self._capture.take_census()

    def detach(self) -> None:
        self._capture.detach()

    def clear(self) -> None:
        """Forget the samples; the capture goes on."""
        # Not here: the profile may be busy taking in a batch, and this thread never waits.
        self._worker.submit("clear", self.live.clear, lambda _: self.build())

    def pause(self, is_paused: bool) -> None:
        """Keep showing what is shown; the capture goes on."""
        self._is_paused = is_paused
        self.timeline.pause(is_paused)
        if not is_paused:
            self.build()

    def take_action(self, action: str) -> None:
        """What the button in a notice of ours asks for."""
        if action == ATTACH_AGAIN:
            self.attach_again_requested.emit()

    # -- choices

    def choose_span(self, span: str) -> None:
        self.span = span
        self.span_ns = SPANS_NS[span]
        self.build()

    def _on_threads_chosen(self, tids: frozenset[int] | None) -> None:
        self.tids = tids
        self.build()

    def choose_type(self, index: int) -> None:
        super().choose_type(index)
        heap = arrange(self._sample_types, index).heap
        if self._window is not None and not fits_window(heap, self._window):
            self.timeline.choose_mode("now")  # the user looks at something else

    def _on_window_changed(self, window: HeapWindow | None) -> None:
        self._window = window
        heap = arrange(self._sample_types, self._type_index).heap
        if window is None or fits_window(heap, window):
            self.build()
        else:
            self.heap.choose_measure(is_in_use=window.kind == "growth", is_space=None)

    def _request(self) -> BuildRequest:
        return replace(super()._request(), window=self._window)

    # -- refreshing

    def _on_data_arrived(self) -> None:
        self._is_stale = True
        if not self._refresh.isActive():
            self._refresh.start()

    def _on_refresh(self) -> None:
        """No oftener than the timer, and never two at once: a slow tree is shown less often."""
        # What the last 10 s hold changes by itself: old samples leave.
        is_moving = self.span_ns is not None and self.status.is_attached
        if self._window is not None:  # what lies between two moments of the past is done with
            is_moving = self._window.until is None and self.status.is_attached
            self._is_stale = is_moving and self._is_stale
        if (self._is_stale or is_moving) and not self._is_paused and not self.is_building:
            self._is_stale = False
            self.build()

    def _on_view_built(self, built: Built) -> None:
        if built.threads is not None:
            self.threads.set_rows(built.threads)
        if built.heap_costs != self._heap_costs:
            self._heap_costs = built.heap_costs
            self.heap_costs_changed.emit(built.heap_costs)
        self._say_heap()
        self._say_placeholder(self.status)
        if built.is_idle != self._is_idle:
            self._is_idle = built.is_idle
            self._say_notice(self.status)

    def _on_types(self, table: TypeTable | None) -> None:
        if table is not None:
            self.types.set_table(table)

    # -- what is said

    def _say_status(self, status: LiveStatus) -> None:
        if status.n_censuses != self._n_censuses:
            self._n_censuses = status.n_censuses
            self._worker.submit("types", self.live.list_types, self._on_types)
        self.status_changed.emit(status)
        self.title_changed.emit(self.title)
        self._say_heap()
        self._say_placeholder(status)
        self._say_notice(status)

    @property
    def _heap_shown(self) -> HeapChoice | None:
        return self.info.choice.heap if self.info is not None else None

    def _say_heap(self) -> None:
        shown = self._heap_shown
        self._is_heap_seen = self._is_heap_seen or shown is not None
        state = None
        if shown is not None:
            state = describe_heap_bar(shown, self.heap.when, self.status, self._window)
        if state != self._heap_bar:
            self._heap_bar = state
            self.heap_bar_changed.emit(state)

    def _say_placeholder(self, status: LiveStatus) -> None:
        match status.phase:
            case "connecting":
                text = ("Attaching…", f"to process {self._pid}")
            case "waiting" if status.gil_wait_ns >= _GIL_WAIT_NS:
                text = ("Waiting for the GIL", _gil_text(self._pid))
            case "waiting":
                text = ("Attaching…", f"the engine is in process {self._pid}")
            case "failed":
                text = ("Could not attach", _sentence(status.message))
            case "running" if self._heap_shown is not None:
                text = describe_no_heap(status)
            case "running" if not status.asked_hz:
                text = ("Sampling is off", "Choose a rate above to begin.")
            case "running":
                text = ("Waiting for samples", "Nothing was captured yet.")
            case _:
                text = ("Nothing captured", "There are no samples in what is shown.")
        self.placeholder_changed.emit(*text)

    def _say_notice(self, status: LiveStatus) -> None:
        """Only what is new: the bar may show something else now, or have been put away."""
        notice = self._choose_notice(status)
        if notice != self._said:
            self._said = notice
            self.notice_changed.emit(notice)

    def _choose_notice(self, status: LiveStatus) -> Notice | None:
        again = (ATTACH_AGAIN, "Attach again")
        match status.phase:
            case "failed":
                return Notice("error", _sentence(status.message), ATTACH_AGAIN, "Try again")
            case "ended":
                text = status.message or f"process {self._pid} has ended"
                return Notice("info", f"{_sentence(text)} What was captured is kept.")
            case "lost":
                text = status.message or "the connection was lost"
                return Notice("warning", f"{_sentence(text)} What was captured is kept.", *again)
            case "detached":
                return Notice("info", "Detached. The process runs on as it was before.", *again)
        if status.gil_wait_ns >= _GIL_WAIT_NS:
            return Notice("warning", _sentence(f"waiting: {_gil_text(self._pid)}"), can_close=False)
        if self._is_idle and status.phase == "running":
            text = "No CPU used in this span. Shown is where the threads stand now."
            return Notice("info", text, can_close=False)
        return None

    # -- saving

    def describe_save(self) -> tuple[str, str]:
        """What ``shown`` and ``everything`` would save, in words."""
        shown = self._heap_shown
        if shown is not None:
            span = "all allocations" if self.span_ns is None else f"allocations of {self.span}"
            when = "now" if self.heap.when is HeapWhen.LIVE else "by the last full collection"
            return (
                f"The heap as it was {when}, {span}. CPU samples are saved where they are shown",
                "The heap as it is now, all allocations since the start or the last clear",
            )
        span = "Since the last clear" if self.span_ns is None else f"The last {self.span}"
        threads = "all threads" if self.tids is None else f"only {self.threads.summary}"
        return f"{span}, {threads}", "All samples of all threads since the last clear"

    def suggest_file_name(self) -> str:
        name = name_command(self.status.command).removesuffix(".py")
        stamp = time.strftime("%Y%m%d-%H%M%S")
        what = "-heap" if self._heap_shown is not None else ""
        return str(Path.cwd() / f"{name}-{self._pid}{what}-{stamp}.pb.gz")

    def save(self, path: str, choice: SaveChoice) -> None:
        """Write a pprof file in the background."""
        live, status, shown = self.live, self.status, self._heap_shown
        when = HeapWhen.LIVE if choice == "everything" else self.heap.when
        span_ns = None if choice == "everything" else self.span_ns
        tids = None if choice == "everything" else self.tids

        def on_done(text: str) -> None:
            if choice == "everything" and shown is None:
                self._n_saved = max(self._n_saved, status.n_samples)
            elif choice == "everything" and status.heap is not None:
                self._n_heap_saved = max(self._n_heap_saved, status.heap.n_samples)
            self.notice_changed.emit(Notice("info", text))

        def write() -> str:
            if shown is not None:
                return save_heap(live, path, span_ns, when, shown)
            return save_live(live, path, span_ns, tids, choice)

        self._saver.submit(
            "save",
            write,
            on_done,
            self._on_failed,
        )


def name_command(command: str) -> str:
    """The program a command line is about: a script's name, a module's, else the executable's."""
    words = command.split()
    # A loader may stand before the interpreter: ld-linux.so --library-path … python3 script.py.
    pythons = [n for n, word in enumerate(words) if Path(word).name.startswith("python")]
    if not pythons:
        return _name_program(words[0]).rstrip(":") if words else "process"
    rest = iter(words[pythons[0] + 1 :])
    for word in rest:
        if word == "-c":
            return "python -c"
        if word in _OPTIONS_WITH_VALUE:
            value = next(rest, "")
            if word == "-m" and value:
                return value
        elif not word.startswith("-"):
            return _name_program(word)
    return _name_program(words[pythons[0]])


def _name_program(path: str) -> str:
    """A file's name; of a package that is run, ``…/pip/__main__.py``, the package's."""
    program = Path(path)
    return program.parent.name if program.name == "__main__.py" else program.name


def _gil_text(pid: int) -> str:
    return f"C code in {pid} keeps the GIL; the engine goes on when it lets go"


def _sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
