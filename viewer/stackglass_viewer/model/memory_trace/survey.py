"""Survey: replays the whole trace once when it is opened, and builds its index."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import freeze
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.memory_trace.checkpoint_writer import CheckpointWriter
from stackglass_viewer.model.memory_trace.event_order import EventOrder
from stackglass_viewer.model.memory_trace.events import DTYPES, LANES, EventColumns, join_events
from stackglass_viewer.model.memory_trace.granule_writer import GranuleWriter
from stackglass_viewer.model.memory_trace.line_rates import number_lines, read_line_rates
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.proof_writer import ProofWriter
from stackglass_viewer.model.memory_trace.side_file import SideFile
from stackglass_viewer.model.memory_trace.source import EventSource
from stackglass_viewer.model.memory_trace.survey_sums import (
    read_lifetimes,
    read_rates,
    read_sites,
)
from stackglass_viewer.model.memory_trace.trace_index import (
    N_BINS,
    Pieces,
    SiteStep,
    TraceIndex,
    Troubles,
)
from stackglass_viewer.native import _loops

Progress = Callable[[float], bool]
"""Receives the share done, 0 … 1; returns whether to go on."""

_MOST_LANE_EVENTS = 1 << 20
"""Most events of collections, regions, tasks and logs that are kept; later events are left out."""


def apply_events(replay: _loops.Replay, events: EventColumns) -> None:
    """Apply events to a replay. Raises ContentError for an impossible event."""
    try:
        replay.apply(*(getattr(events, name) for name in DTYPES))
    except ValueError as error:
        raise ContentError(f"the trace is damaged: {error}") from None


class Survey:
    """One pass over a trace. Not thread-safe."""

    def __init__(self, source: EventSource, side_file: SideFile) -> None:
        blocks = source.blocks
        self._total = max(blocks.total_events, 1)
        self._side_file = side_file
        self._begin_ns = int(blocks.first_ns.min()) if len(blocks) else 0
        end_ns = int(blocks.last_ns.max()) if len(blocks) else 0
        self._bin_ns = max(-(-(end_ns + 1 - self._begin_ns) // N_BINS), 1)
        seed = secrets.randbits(64)
        self._start = _loops.StartBlocks(seed)
        self._replay = _loops.Replay(seed, self._begin_ns, self._bin_ns, N_BINS)
        self._lines = number_lines(source.names.definitions)
        if len(self._lines.location) > 1:
            self._replay.count_lines(self._lines.line_of, self._lines.n_joined)
        self._granules = GranuleWriter(side_file)
        self._proofs = ProofWriter(side_file, blocks)
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._checkpoints = CheckpointWriter(side_file, self._replay)
        self._site_steps: list[SiteStep] = []
        self._lanes: list[EventColumns] = []
        self._n_lanes = 0
        self._peak, self._peak_bytes = Moment(0, self._begin_ns), 0
        self._checkpoints.mark(Moment(0, self._begin_ns - 1), 0)

    def run(self, order: EventOrder, progress: Progress) -> TraceIndex:
        """Replay the trace and return its index. Raises ContentError, CancelledError."""
        for events in order.read_start():
            self._start.add(*(getattr(events, name) for name in DTYPES if name != "other"))
            if not progress(0.0):
                raise CancelledError
        self._start.finish()
        self._replay.begin_from(self._start)
        for events in order.sweep():
            self._add(events)
            if not progress(min(self._rows[-1][0] / self._total, 1.0)):
                raise CancelledError
        return self._finish()

    def _add(self, events: EventColumns) -> None:
        apply_events(self._replay, events)
        is_lane = np.isin(events.kind, LANES)
        if is_lane.any() and self._n_lanes < _MOST_LANE_EVENTS:
            self._lanes.append(events.take(is_lane))
            self._n_lanes += len(self._lanes[-1])
        counters = self._replay.counters()
        moment = Moment(counters["n_events"], counters["time_ns"])
        peak_bytes, *peak = self._replay.take_peak()
        if peak_bytes > self._peak_bytes:
            self._peak, self._peak_bytes = Moment(*peak), peak_bytes
        self._rows.append((*moment, counters["object_bytes"], counters["n_objects"], peak_bytes))
        self._proofs.add(self._replay, moment)
        self._granules.add(self._replay, moment)
        if self._checkpoints.add(moment, counters["n_rows"]):
            self._add_site_step(moment)

    def _add_site_step(self, moment: Moment) -> None:
        step = self._replay.take_site_step()
        columns = (
            self._side_file.append(memoryview(step[name]))
            for name in ("stack", "type", "n_since", "bytes_since")
        )
        self._site_steps.append(SiteStep(moment, *columns))

    def _finish(self) -> TraceIndex:
        end = Moment(*self._rows[-1][:2]) if self._rows else Moment(0, self._begin_ns)
        self._add_site_step(end)
        granules = self._granules.finish(self._replay, end)
        proofs = self._proofs.finish(end)
        counters = self._replay.counters()
        self._side_file.finish()
        self._start.freeze()
        return TraceIndex(
            begin_ns=self._begin_ns,
            end=end,
            peak=self._peak,
            peak_bytes=self._peak_bytes,
            pieces=_make_pieces(self._rows),
            start=self._start,
            checkpoints=self._checkpoints.finish(),
            sites=read_sites(self._replay),
            site_steps=tuple(self._site_steps),
            proofs=proofs,
            lifetimes=read_lifetimes(self._replay),
            rates=read_rates(self._replay, self._begin_ns, self._bin_ns),
            line_rates=read_line_rates(self._replay, self._lines, self._begin_ns, self._bin_ns),
            granules=granules,
            lane_events=join_events(self._lanes),
            troubles=Troubles(*(counters[name] for name in Troubles._fields)),
            side_file=self._side_file,
        )


def _make_pieces(rows: list[tuple[int, int, int, int, int]]) -> Pieces:
    table: npt.NDArray[np.int64] = np.array(rows, dtype=np.int64).reshape(-1, 5)
    first = np.concatenate((np.zeros(1, dtype=np.int64), table[:, 0]))
    columns = [np.ascontiguousarray(table[:, column]) for column in range(1, 5)]
    freeze(first, *columns)
    return Pieces(first, *columns)
