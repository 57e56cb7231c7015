"""Status of a capture, kept up to date from the engine's messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from stackglass.wire.heap_profile import describe_forgotten
from stackglass.wire.rates import Rates
from stackglass_viewer.model.proto.wire_pb2 import FromEngine
from stackglass_viewer.presenter.live.rate_meter import HeapMeter, RateMeter
from stackglass_viewer.presenter.live.requested_collections import Collections
from stackglass_viewer.presenter.settings.view_state import (
    ContentionFigures,
    HeapFigures,
    LiveStatus,
    Phase,
)

_NEWS = ("batch", "threads", "heap", "contention", "custom_profiles")  # messages with data to show


class StatusTracker:
    """Keeps the status of a capture and updates it with each message. For one thread."""

    def __init__(
        self, status: LiveStatus, list_line_problems: Callable[[], tuple[str, ...]] = tuple
    ) -> None:
        self.status = status
        self._list_line_problems = list_line_problems
        self._requested_hz: int | None = None  # CPU rate of the last Rates message
        self.has_news = False  # whether there are data that were not reported to the window
        self.is_urgent = False  # whether the window must show the status at once
        self._meter = RateMeter()
        self._heap_meter = HeapMeter()
        self._collections = Collections()

    @property
    def is_idle(self) -> bool:
        """Whether no thread of the process uses the CPU; also True while that is not known yet."""
        return self._meter.is_idle

    def apply(self, message: FromEngine) -> None:
        """Update the status with a message of the engine."""
        kind = message.WhichOneof("message") or ""
        reader = _READERS.get(kind)
        if reader is not None:
            reader(self, message)
        self.has_news = self.has_news or kind in _NEWS

    def set_phase(self, phase: Phase) -> None:
        """Set the phase, such as "waiting" once the connection is made."""
        self._set(phase=phase)

    def set_outside_stack(self, lines: tuple[str, ...]) -> None:
        """Set the lines of the process's stack, as read from outside."""
        if lines != self.status.outside_stack:
            self._set(outside_stack=lines)

    def begin_collection(self) -> None:
        """Note that a full collection is requested now."""
        self._collections.ask(self.status.n_collects)
        self._set(is_collecting=True, collected="")

    def begin_census(self) -> None:
        """Note that a census is requested now."""
        self._set(is_counting=True)

    def end(self, phase: Phase, message: str) -> None:
        """End the capture in ``phase``, with the reason as ``message``."""
        self.has_news = True
        self._set(
            phase=phase, message=message, gil_wait_ns=0, is_collecting=False, is_counting=False
        )
        if self._requested_hz is not None:  # the last status of a program that ends has rate 0
            self._set(rates=self.status.rates._replace(cpu_hz=self._requested_hz))

    def _set(self, **changes: object) -> None:
        self.status = replace(self.status, **changes)  # type: ignore[arg-type] # by keyword
        self.is_urgent = True

    # -- one reader for each kind of message

    def _read_ready(self, message: FromEngine) -> None:
        ready = message.ready
        # sys.argv of `python -c …` is only "-c": the command line of the system says more.
        has_name = bool(ready.argv) and ready.argv[0] not in ("", "-c", "-m")
        command = " ".join(" ".join(ready.argv).split()) if has_name else self.status.command
        self._set(
            phase="running",
            python_version=ready.python_version,
            clock=ready.clock or self.status.clock,
            start_mono_ns=ready.time_mono_ns,
            command=command,
            process_name=" ".join(ready.process_name.split()) or self.status.process_name,
            gil_wait_ns=0,
            outside_stack=(),
        )

    def _read_rates(self, message: FromEngine) -> None:
        self._requested_hz = message.rates.cpu_hz
        self._set(rates=Rates(*(getattr(message.rates, field) for field in Rates._fields)))

    def _read_status(self, message: FromEngine) -> None:
        status = message.status
        if self.status.phase != "running":  # no Ready message has come: nothing is profiled yet
            self.status = replace(self.status, gil_wait_ns=status.gil_wait_ns)
            return
        self._meter.add(status.time_mono_ns, status.n_samples, status.process_cpu_ns)
        self.status = replace(
            self.status,
            rates=self.status.rates._replace(cpu_hz=status.cpu_hz),
            cpu_problem=status.problem,
            wall_problem=status.wall_problem,
            process_name=" ".join(status.process_name.split()) or self.status.process_name,
            line_problems=self._list_line_problems(),
            share_error_points=status.share_error_points,
            share_error_cause=status.share_error_cause,
            clock=status.clock or self.status.clock,
            n_samples=status.n_samples,
            n_lost=status.n_lost,
            n_threads=status.n_threads,
            n_unsampled_threads=status.n_unsampled_threads,
            gil_wait_ns=status.gil_wait_ns,
            achieved_hz=self._meter.achieved_hz,
            cpu_share=self._meter.cpu_share,
        )

    def _read_batch(self, message: FromEngine) -> None:
        n_wall = sum(message.batch.wall_count)
        if n_wall:
            n_before = self.status.n_wall_samples
            self.status = replace(self.status, n_wall_samples=n_before + n_wall)

    def _read_heap(self, message: FromEngine) -> None:
        self._collections.add(message.heap)

    def _read_heap_status(self, message: FromEngine) -> None:
        status = message.heap_status
        self._heap_meter.add(status.time_mono_ns, status.n_samples)
        age_ns = status.time_mono_ns - status.full_mono_ns if status.full_mono_ns else None
        heap = HeapFigures(
            n_samples=status.n_samples,
            samples_hz=self._heap_meter.samples_hz,
            n_lost=status.n_lost + status.n_lost_frees,
            accounted_bytes=status.accounted_bytes,
            rss_bytes=status.rss_bytes,
            attach_rss_bytes=status.attach_rss_bytes,
            unaccounted_bytes=status.unaccounted_bytes,
            n_native_libraries=status.n_native_libraries if status.is_native_seen else 0,
            n_allocators=status.n_allocators,
            arenas=tuple(zip(status.arena_library, status.arena_bytes, strict=False)),
            native_problem=status.native_problem,
            full_age_ns=age_ns if age_ns is None else max(age_ns, 0),
            is_listening_to_gc=bool(status.is_listening_to_gc),
            n_unnamed=status.n_unnamed,
            problem=status.problem,
            forgotten=describe_forgotten(status.n_displaced, status.n_lost_frees),
        )
        self.status = replace(self.status, heap=heap, n_collects=status.n_collects)
        if self.status.is_collecting and self._collections.is_done(status.n_collects):
            self._set(is_collecting=False, collected=self._collections.describe())

    def _read_census(self, message: FromEngine) -> None:
        self._set(is_counting=False, n_censuses=self.status.n_censuses + 1)

    def _read_contention_status(self, message: FromEngine) -> None:
        status = message.contention_status
        figures = ContentionFigures(
            n_events=status.n_events,
            n_lost=status.n_lost,
            n_lost_events=status.n_lost_events,
            n_unnamed=status.n_unnamed,
            n_locks=status.n_locks,
            lock_source=status.lock_source,
            gil_source=status.gil_source,
            problem=status.problem,
            gil_problem=status.gil_problem,
            tasks_problem=status.tasks_problem,
        )
        self.status = replace(self.status, contention=figures)

    def _read_lock_waits(self, message: FromEngine) -> None:
        self._set(n_waits=self.status.n_waits + 1)

    def _read_thread_dump(self, message: FromEngine) -> None:
        self._set(n_dumps=self.status.n_dumps + 1)

    def _read_bye(self, message: FromEngine) -> None:
        reason = message.bye.reason
        self.end("ended" if reason else "detached", reason)


_READERS: Mapping[str, Callable[[StatusTracker, FromEngine], None]] = {
    "ready": StatusTracker._read_ready,
    "rates": StatusTracker._read_rates,
    "status": StatusTracker._read_status,
    "batch": StatusTracker._read_batch,
    "heap": StatusTracker._read_heap,
    "heap_status": StatusTracker._read_heap_status,
    "census": StatusTracker._read_census,
    "contention_status": StatusTracker._read_contention_status,
    "lock_waits": StatusTracker._read_lock_waits,
    "thread_dump": StatusTracker._read_thread_dump,
    "bye": StatusTracker._read_bye,
}
