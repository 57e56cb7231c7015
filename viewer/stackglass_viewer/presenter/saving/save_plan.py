"""Plan of *Save*: the profile of a capture that is written, its span and its filters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.live.wall import drop_wall_filters
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory.timeline import UNITS_PER_S
from stackglass_viewer.model.profile.label_table import LabelFilter
from stackglass_viewer.model.units import format_clock
from stackglass_viewer.presenter.saving.pprof_file import (
    save_contention,
    save_custom,
    save_heap,
    save_heap_span,
    save_live,
    say_window,
)
from stackglass_viewer.presenter.settings.label_choices import describe_labels
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    HeapChoice,
    SampleChoice,
)
from stackglass_viewer.presenter.settings.view_state import SaveChoice

_NAMES = {
    ContentionKind.BLOCK: "block",
    ContentionKind.MUTEX: "mutex",
    ContentionKind.GIL: "gil",
    ContentionKind.OTHER: "waits",
    ContentionKind.TASK: "tasks",
    ContentionKind.STALL: "stalls",
    ContentionKind.IDLE: "idle",
}


_ALL_OF_HEAP = "The heap as it is now, all allocations since the attach or the last clear"
_MAX_SUFFIX = 60  # characters


@dataclass(frozen=True, slots=True)
class SavePlan:
    """What a tab shows at one moment, which *Save* would write. Immutable."""

    shown: SampleChoice | None  # None = nothing was built yet
    heap_when: HeapWhen
    span: str  # text of the span's button
    span_ns: int | None  # None = all
    tids: frozenset[int] | None  # None = every thread
    threads: str  # ``tids`` in words
    labels: frozenset[LabelFilter] = frozenset()  # empty = every sample
    window: HeapWindow | None = None  # of the timeline, in place of ``span_ns``

    @property
    def heap(self) -> HeapChoice | None:
        return self.shown.heap if self.shown is not None else None

    @property
    def contention(self) -> ContentionChoice | None:
        return self.shown.contention if self.shown is not None else None

    @property
    def between(self) -> tuple[int, int] | None:
        """The moments between which samples are shown, units of 10 ms; None = see ``span_ns``."""
        window = self.window
        if window is None or window.kind == "growth" or not window.until:
            return None
        return window.after, window.until

    @property
    def is_wall(self) -> bool:
        return self.shown is not None and self.shown.is_wall

    @property
    def custom(self) -> str:
        return self.shown.custom if self.shown is not None else ""

    @property
    def suffix(self) -> str:
        """Part of the file's name: ``-heap``, ``-block``, ``-wall``; "" for CPU samples."""
        if self.custom:
            return "-" + re.sub(r"[^\w.-]+", "_", self.custom)[:_MAX_SUFFIX]
        if self.is_wall:
            return "-wall"
        if self.heap is not None:
            return "-heap"
        waited = self.contention
        return f"-{_NAMES[waited.kind]}" if waited is not None and waited.kind is not None else ""

    @property
    def _chosen_labels(self) -> frozenset[LabelFilter]:
        return drop_wall_filters(self.labels, self.is_wall)

    @property
    def _labelled(self) -> str:
        words = describe_labels(self._chosen_labels)
        return f", only {words}" if words else ""

    def describe(self) -> tuple[str, str]:
        """Return what ``shown`` and ``everything`` would save, in words."""
        first, last = (format_clock(each / UNITS_PER_S) for each in self.between or (0, 0))
        if self.custom:
            text = f"All values of {self.custom}, as they "
            now, then = f"{text}are now", f"{text}were at {last}"
            return f"{then if self.between else now}. To save CPU samples, show them first", now
        if self.heap is not None and self.window is not None:
            return self._describe_heap_span(self.window), _ALL_OF_HEAP
        if self.heap is not None:
            span = "all allocations" if self.span_ns is None else f"allocations of {self.span}"
            is_live = self.heap_when is HeapWhen.LIVE
            when = "as it is now" if is_live else "as of the last full collection"
            return (
                f"The heap {when}, {span}{self._labelled}. To save CPU samples, show them first",
                _ALL_OF_HEAP,
            )
        span = "Since the last clear" if self.span_ns is None else f"The last {self.span}"
        span = f"From {first} to {last}" if self.between else span
        threads = "all threads" if self.tids is None else f"only {self.threads}"
        if self.contention is not None:
            return (
                f"{span}, {threads}{self._labelled}. To save another kind, show it first",
                "All of this kind, of all threads, since the last clear",
            )
        threads += self._labelled
        if self.is_wall:
            kind = "wall samples with their states"
            return f"{span}, {threads}: {kind}", f"All {kind}, of all threads, since the last clear"
        return f"{span}, {threads}", "All samples of all threads since the last clear"

    def _describe_heap_span(self, window: HeapWindow) -> str:
        span = say_window(window)
        if window.kind == "growth":
            return f"The growth of the heap {span}{self._labelled}"
        threads = f" of {self.threads}" if self.tids is not None else ""
        heap = "as it is now" if window.until is None else "as it was then"
        return f"Allocations{threads} {span}, and the heap {heap}{self._labelled}"

    def write(self, live: LiveProfile, path: str, choice: SaveChoice) -> str:
        """Write a file; returns a message. Any thread but the GUI's. Raises OutputError."""
        is_all = choice == "everything"
        between = None if is_all else self.between
        if self.custom:
            return save_custom(live, path, self.custom, between and between[1])
        span_ns = None if is_all else self.span_ns
        tids = None if is_all else self.tids
        labels = frozenset[LabelFilter]() if is_all else self._chosen_labels
        if self.heap is not None and self.window is not None and not is_all:
            return save_heap_span(live, path, self.window, self.heap, tids, labels)
        if self.heap is not None:
            when = HeapWhen.LIVE if is_all else self.heap_when
            return save_heap(live, path, span_ns, when, self.heap, labels)
        if self.contention is not None:
            return save_contention(live, path, span_ns, tids, self.contention, labels, between)
        what = "Everything" if is_all else "The shown part"
        return save_live(live.export(span_ns, tids, labels, self.is_wall, between), path, what)
