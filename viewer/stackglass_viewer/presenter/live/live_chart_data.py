"""Data of a process's time chart: the samples of the session, of it all or up to a pause."""

from __future__ import annotations

import time
from dataclasses import dataclass

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.live.timed_stacks import TimeQuery, list_live_stretches
from stackglass_viewer.model.live.wall import drop_wall_filters
from stackglass_viewer.model.live_profile import CPU, SAMPLES, WALL, LiveProfile
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.frame_colours import FrameColours
from stackglass_viewer.presenter.document.legend import Legend
from stackglass_viewer.presenter.document.time_chart_data import ActivityKind, Timed, list_kinds

_TIMED = (CPU, SAMPLES, WALL)  # sample types whose samples have times
# The pause between two passes over the session's samples is the longer of these. The second is a
# multiple of the last pass's CPU time, so large because the views need as much time again.
_PAUSE_S = 1.0
_PAUSE_PER_CPU_TIME = 15


@dataclass(frozen=True, slots=True)
class _Choice:
    query: TimeQuery
    span: tuple[int, int] | None  # units; None = all
    palette: Palette
    kinds: tuple[ActivityKind, ...]


class CaptureTimes:
    """Makes the data, and returns the last ones again until another choice or the end of the pause.
    For one thread."""

    def __init__(self, live: LiveProfile, colours: FrameColours) -> None:
        self._live = live
        self._colours = colours
        self._choice: _Choice | None = None
        self._timed: Timed | None = None
        self._due_s = 0.0  # end of the pause, by the monotonic clock

    def forget(self) -> None:
        """Release the data: no view shows them."""
        self._timed = None

    def make(self, request: BuildRequest, legend: Legend | None) -> Timed | None:
        """Return the data; None = not requested, or the sample type has no times. Raises
        PatternError."""
        if not request.has_times or request.type_index not in _TIMED:
            return None
        kinds = list_kinds(legend)
        labels = drop_wall_filters(request.labels, request.type_index == WALL)
        names = tuple(kind.label for kind in kinds)
        query = TimeQuery(request.type_index, request.tids, labels, request.steps, names)
        span = None if request.times_until is None else (0, request.times_until)
        choice = _Choice(query, span, request.palette, kinds)
        now_s = time.monotonic()
        if self._timed is None or choice != self._choice or now_s >= self._due_s:
            began_s = time.thread_time()
            stretches = list_live_stretches(self._live.capture_times(choice.span), query)
            colours = self._colours.of(stretches.tree, request.palette)
            self._timed = Timed(stretches, colours, request.palette.root, kinds, is_live=True)
            pause_s = max(_PAUSE_S, _PAUSE_PER_CPU_TIME * (time.thread_time() - began_s))
            self._choice, self._due_s = choice, now_s + pause_s
        return self._timed
