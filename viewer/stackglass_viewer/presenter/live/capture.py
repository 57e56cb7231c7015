"""Live capture: the thread that listens to an engine, and the commands it takes.

::

    connecting ──▶ waiting ──▶ running ──▶ detached | ended | lost
         └────────────┴──▶ failed               (what was captured stays)
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from google.protobuf.message import DecodeError
from PySide6.QtCore import QObject, Qt, Signal, Slot

from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import StackglassError
from stackglass.waits.sleep_times import Sleeps
from stackglass.wire import requests
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import ContentionStatus, FromEngine, HeapStatus
from stackglass_viewer.presenter.live.rate_meter import HeapMeter, RateMeter
from stackglass_viewer.presenter.live.requested_collections import Collections
from stackglass_viewer.presenter.settings.view_state import (
    NO_CONTENTION,
    ContentionFigures,
    ContentionRates,
    HeapFigures,
    LiveStatus,
    Phase,
)

_POLL_S = 0.05  # how long a command may have to wait
_REPORT_S = 0.2  # the least time between two reports to the window
_ASK_THREADS_S = 0.4  # how often, while no thread uses the CPU
_DYING_S = 0.5  # how long a killed process may take to vanish
_NEWS = ("batch", "threads", "heap", "contention")  # messages after which there is more to see
_DETACH_S = 3.0  # how long the engine may take to say Bye


class Link(Protocol):
    """A connection to an engine. For one thread."""

    def receive(self, timeout_s: float) -> bytes | None:
        """The next message; None = none came in time. Raises StackglassError at the end."""

    def send(self, message: bytes) -> None:
        """Send a framed message. Raises StackglassError."""

    def close(self) -> None:
        """Close the connection."""


Connect = Callable[[int, int], Link]  # PID, Hz; raises StackglassError


@dataclass(frozen=True, slots=True)
class _Command:
    kind: str  # rates, heap rate, contention, collect, census, waits, detach, disconnect
    rate: int = 0  # Hz, or bytes
    contention: ContentionRates = NO_CONTENTION


class Capture(QObject):
    """One attachment to one process. Methods are for the GUI thread and never wait."""

    status_changed = Signal(object)  # LiveStatus
    data_arrived = Signal()  # at most every 0.2 s

    _reported = Signal(object, bool)

    def __init__(
        self,
        pid: int,
        cpu_hz: int,
        heap_rate: int,
        live: LiveProfile,
        connect: Connect,
        parent: QObject | None = None,
        has_native: bool = True,
        contention: ContentionRates = NO_CONTENTION,
    ) -> None:
        """``heap_rate`` in bytes; 0 = off. ``has_native``: with what libraries allocate past
        Python's allocators."""
        super().__init__(parent)
        self.pid = pid
        self.live = live
        self._connect = connect
        self._has_native = has_native
        self._commands: queue.SimpleQueue[_Command] = queue.SimpleQueue()
        self._status = LiveStatus(
            "connecting",
            pid,
            _command_of(pid),
            asked_hz=cpu_hz,
            heap_rate=heap_rate,
            contention_rates=contention,
        )
        self._shown = self._status  # the last report to the GUI thread
        self._sleeps: Sleeps | None = None  # set once, by the listening thread
        self._meter = RateMeter()
        self._heap_meter = HeapMeter()
        self._collections = Collections()
        self._reported_s = 0.0
        self._asked_s = 0.0
        self._has_news = False
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=self._run, name=f"capture {pid}", daemon=True)

    @property
    def status(self) -> LiveStatus:
        """As last reported. GUI thread."""
        return self._shown

    def start(self) -> None:
        self._thread.start()

    def set_rate(self, cpu_hz: int) -> None:
        self._commands.put(_Command("rates", cpu_hz))

    def set_heap_rate(self, rate: int) -> None:
        self._commands.put(_Command("heap rate", rate))

    def set_contention(self, rates: ContentionRates) -> None:
        self._commands.put(_Command("contention", contention=rates))

    def take_waits(self) -> None:
        """Request the waiting threads."""
        self._commands.put(_Command("waits"))

    def collect(self) -> None:
        """Ask for a full collection in the target."""
        self._commands.put(_Command("collect"))

    def take_census(self) -> None:
        """Ask for the target's objects by type."""
        self._commands.put(_Command("census"))

    def detach(self) -> None:
        """End this conversation; the engine leaves with its last client."""
        self._commands.put(_Command("detach"))

    def leave(self) -> None:
        """End the thread. The engine leaves by itself with its last client."""
        self._commands.put(_Command("disconnect"))

    def list_asleep(self, mono_ns: int, tids: Iterable[int]) -> Mapping[int, int]:
        """For how long threads have not run that have slept since before the attach, at least, up
        to ``mono_ns``; ns. Any thread."""
        sleeps = self._sleeps
        return sleeps.list_asleep(mono_ns, tids) if sleeps is not None else {}

    def wait(self, timeout_s: float = 5.0) -> None:
        """Until the thread has ended. Any thread."""
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    # -- the listening thread

    def _run(self) -> None:
        self._sleeps = Sleeps(self.pid, SYSTEM_CLOCK)  # before a thread of the target is woken
        try:
            link = self._connect(self.pid, self._status.asked_hz)
        except StackglassError as error:
            self._end("failed", str(error))
            return
        self._set(phase="waiting")
        try:
            self._listen(link)
        except (StackglassError, DecodeError) as error:
            if _ends_soon(self.pid):
                self._end("ended", f"process {self.pid} has ended")
            else:
                self._end("lost", str(error))
        finally:
            link.close()

    def _listen(self, link: Link) -> None:
        leave_at_s = float("inf")
        # The viewer that attached last sets the rates, as with the CPU's.
        link.send(requests.encode_set_heap_rate(self._status.heap_rate, self._has_native))
        link.send(_encode_rates(self._status.contention_rates))
        while self._status.is_attached:
            payload = link.receive(_POLL_S)
            if payload is not None:
                self._take(payload)
            while not self._commands.empty():
                command = self._commands.get()
                if command.kind == "rates":
                    link.send(requests.encode_set_rates(command.rate))
                elif command.kind == "heap rate":
                    link.send(requests.encode_set_heap_rate(command.rate, self._has_native))
                elif command.kind == "contention":
                    link.send(_encode_rates(command.contention))
                elif command.kind == "waits":
                    link.send(requests.encode_take_lock_waits())
                elif command.kind == "collect":
                    link.send(requests.encode_collect())
                    self._collections.ask(self._status.n_collects)
                    self._set(is_collecting=True, collected="")
                elif command.kind == "census":
                    link.send(requests.encode_take_census())
                    self._set(is_counting=True)
                elif command.kind == "disconnect":
                    self._end("detached", "")
                    return
                elif leave_at_s == float("inf"):
                    link.send(requests.encode_detach())
                    leave_at_s = time.monotonic() + _DETACH_S
            if time.monotonic() > leave_at_s:
                self._end("detached", "")
                return
            self._ask_threads(link)
            self._report()

    def _take(self, payload: bytes) -> None:
        message = FromEngine.FromString(payload)
        kind = message.WhichOneof("message")
        self.live.apply(message)
        if kind == "ready":
            ready = message.ready
            # sys.argv of `python -c …` is only "-c": then the system's own account says more.
            has_name = bool(ready.argv) and ready.argv[0] not in ("", "-c", "-m")
            command = " ".join(" ".join(ready.argv).split()) if has_name else self._status.command
            self._set(
                phase="running",
                python_version=ready.python_version,
                clock=ready.clock or self._status.clock,
                command=command,
                gil_wait_ns=0,
            )
        elif kind == "rates":
            rates = message.rates
            self._set(
                asked_hz=rates.cpu_hz,
                heap_rate=rates.heap_rate,
                contention_rates=ContentionRates(
                    rates.block_rate_ns,
                    rates.mutex_fraction,
                    rates.gil_hz,
                    rates.has_other,
                    rates.stall_ns,
                ),
            )
        elif kind == "status":
            self._take_status(message)
        elif kind == "heap":
            self._collections.add(message.heap)
        elif kind == "heap_status":
            self._take_heap_status(message.heap_status)
        elif kind == "census":
            self._set(is_counting=False, n_censuses=self._status.n_censuses + 1)
        elif kind == "contention_status":
            self._take_contention_status(message.contention_status)
        elif kind == "lock_waits":
            self._set(n_waits=self._status.n_waits + 1)
        elif kind == "bye":
            reason = message.bye.reason
            self._end("ended" if reason else "detached", reason)
        self._has_news = self._has_news or kind in _NEWS

    def _take_status(self, message: FromEngine) -> None:
        status = message.status
        if self._status.phase != "running":  # nothing is profiled yet
            self._status = replace(self._status, gil_wait_ns=status.gil_wait_ns)
            return
        self._meter.add(status.time_mono_ns, status.n_samples, status.process_cpu_ns)
        self._status = replace(
            self._status,
            asked_hz=status.cpu_hz,
            cpu_problem=status.problem,
            share_error_points=status.share_error_points,
            share_error_cause=status.share_error_cause,
            clock=status.clock or self._status.clock,
            n_samples=status.n_samples,
            n_lost=status.n_lost,
            n_threads=status.n_threads,
            gil_wait_ns=status.gil_wait_ns,
            achieved_hz=self._meter.achieved_hz,
            cpu_share=self._meter.cpu_share,
        )

    def _take_heap_status(self, status: HeapStatus) -> None:
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
        )
        self._status = replace(self._status, heap=heap, n_collects=status.n_collects)
        if self._status.is_collecting and self._collections.is_done(status.n_collects):
            self._set(is_collecting=False, collected=self._collections.describe())

    def _take_contention_status(self, status: ContentionStatus) -> None:
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
        )
        self._status = replace(self._status, contention=figures)

    def _ask_threads(self, link: Link) -> None:
        """A process that sleeps has no samples: ask where its threads stand."""
        now_s = time.monotonic()
        is_due = now_s - self._asked_s >= _ASK_THREADS_S
        if self._status.phase == "running" and is_due and self._meter.is_idle:
            self._asked_s = now_s
            link.send(requests.encode_snapshot_threads())

    # -- reports to the GUI thread

    def _set(self, **changes: object) -> None:
        """Make a change and report it to the window at once."""
        self._status = replace(self._status, **changes)  # type: ignore[arg-type] # by keyword
        self._reported_s = 0.0
        self._report()

    def _end(self, phase: Phase, message: str) -> None:
        self._has_news = True
        self._set(
            phase=phase, message=message, gil_wait_ns=0, is_collecting=False, is_counting=False
        )

    def _report(self) -> None:
        now_s = time.monotonic()
        if now_s - self._reported_s >= _REPORT_S:
            self._reported_s = now_s
            self._reported.emit(self._status, self._has_news)
            self._has_news = False

    @Slot(object, bool)
    def _on_reported(self, status: LiveStatus, has_news: bool) -> None:
        if status != self._shown:
            self._shown = status
            self.status_changed.emit(status)
        if has_news:
            self.data_arrived.emit()


def _encode_rates(rates: ContentionRates) -> bytes:
    return requests.encode_set_contention_rates(
        rates.block_ns, rates.mutex_fraction, rates.gil_hz, bool(rates.other), rates.stall_ns
    )


def _ends_soon(pid: int) -> bool:
    """Whether the process is ending: a killed one closes its sockets before it is gone."""
    deadline_s = time.monotonic() + _DYING_S
    while is_running(pid):
        if time.monotonic() >= deadline_s:
            return False
        time.sleep(_POLL_S)
    return True


def is_running(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (OSError, IndexError):
        return False


def _command_of(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return " ".join(os.fsdecode(file.read()).replace("\0", " ").split())
    except OSError:
        return ""
