"""Data of a process's time chart: the samples of the whole session."""

from __future__ import annotations

import time
from dataclasses import dataclass

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.live.timed import TimeQuery, list_live_stretches
from stackglass_viewer.model.live.wall import choose_labels
from stackglass_viewer.model.live_profile import CPU, SAMPLES, WALL, LiveProfile
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.frame_colours import FrameColours
from stackglass_viewer.presenter.document.legend import Legend
from stackglass_viewer.presenter.document.timed import Kind, Timed, list_kinds

_TIMED = (CPU, SAMPLES, WALL)
_EVERY_S = 1.0  # the least time between two passes over the session's samples
_REST = 15  # and per CPU time of a pass, since the views take as long again


@dataclass(frozen=True, slots=True)
class _Choice:
    query: TimeQuery
    palette: Palette
    kinds: tuple[Kind, ...]


class CaptureTimes:
    """Keeps the last data, for a second or more. For one thread."""

    def __init__(self, live: LiveProfile, colours: FrameColours) -> None:
        self._live = live
        self._colours = colours
        self._choice: _Choice | None = None
        self._timed: Timed | None = None
        self._due_s = 0.0  # when they are made again

    def forget(self) -> None:
        """Release the data: no view shows them."""
        self._timed = None

    def make(self, request: BuildRequest, legend: Legend | None) -> Timed | None:
        """Return the data; None = not requested, or the sample type has no times. Raises
        PatternError."""
        if not request.has_times or request.type_index not in _TIMED:
            return None
        kinds = list_kinds(legend)
        labels = choose_labels(request.labels, request.type_index == WALL)
        names = tuple(kind.label for kind in kinds)
        query = TimeQuery(request.type_index, request.tids, labels, request.transforms, names)
        choice, now_s = _Choice(query, request.palette, kinds), time.monotonic()
        if self._timed is None or choice != self._choice or now_s >= self._due_s:
            began_s = time.thread_time()
            stretches = list_live_stretches(self._live.capture_times(), query)
            colours = self._colours.of(stretches.tree, request.palette)
            self._timed = Timed(stretches, colours, request.palette.root, kinds, is_live=True)
            rest_s = max(_EVERY_S, _REST * (time.thread_time() - began_s))
            self._choice, self._due_s = choice, now_s + rest_s
        return self._timed
