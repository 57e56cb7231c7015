"""Held moment: where the views of a paused tab stand, whatever is chosen meanwhile.

::

    pause ─▶ latest moment of the session ─▶ every build shows the span up to it; growth since a
                                             marker ends there; the chart over time shows all of
                                             the session up to it
    resume ─▶ the views follow the process again

The capture goes on: without a held moment, each choice of a view, a filter or a theme would show
later data than the one before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice
from stackglass_viewer.presenter.worker import Worker


class HeldMoment:
    """Holds the moment of a pause. GUI thread."""

    def __init__(self, live: LiveProfile, worker: Worker, build: Callable[[], None]) -> None:
        """``build`` is called when the views are to be built anew."""
        self._live = live
        self._worker = worker
        self._build = build
        self.is_paused = False
        self.moment: int | None = None  # units of 10 ms since the session's start; None = not held

    def pause(self, is_paused: bool) -> None:
        """Hold the latest moment, or follow the process again."""
        self.is_paused = is_paused
        if is_paused:
            # In the worker: the profile's lock may be held for a batch, and this thread never
            # waits.
            self._worker.submit("hold", lambda: self._live.facts.latest, self._hold)
        else:
            self.moment = None
            self._build()

    def apply(
        self, request: BuildRequest, heap: HeapChoice | None, marked: HeapWindow | None
    ) -> BuildRequest:
        """Return the request for the views at the held moment, or for those that move on.
        Parameters as for ``find_window``."""
        # Allocations by thread are known for spans of the timeline. Without one the heap's views
        # are of all threads, and a pause must not change that.
        tids = None if heap is not None and marked is None else request.tids
        window = self.find_window(request, heap, marked)
        return replace(request, window=window, times_until=self.moment, tids=tids)

    def find_window(
        self, request: BuildRequest, heap: HeapChoice | None, marked: HeapWindow | None = None
    ) -> HeapWindow | None:
        """Return the span of a request up to the held moment; None = the views move on.

        What the last full collection has left (of ``heap``, the sample type) belongs to the moment
        of that, and is not held. ``marked``: the window of the timeline's markers, which is held
        only if it ends now.
        """
        if marked is not None:
            if self.moment is None or marked.until is not None:
                return marked
            return replace(marked, until=max(self.moment, marked.after))
        is_in_use = heap is not None and heap.is_in_use
        is_of_full = is_in_use and request.heap_when is HeapWhen.AS_OF_FULL
        if self.moment is None or is_of_full:
            return None
        span = self.moment if request.span_ns is None else request.span_ns // UNIT_NS
        return HeapWindow("replay", max(self.moment - span, 0), self.moment)

    def _hold(self, moment: int) -> None:
        if self.is_paused:
            self.moment = moment
            self._build()
