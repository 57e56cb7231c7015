"""Live capture: the thread that listens to an engine, and the requests sent to it.

::

    connecting ──▶ waiting ──▶ running ──▶ detached | ended | lost
         └────────────┴──▶ failed               (data captured so far are kept)
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from google.protobuf.message import DecodeError
from PySide6.QtCore import QObject, Qt, Signal, Slot

from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import StackglassError
from stackglass.waits.sleep_times import SleepTimes
from stackglass.wire import requests
from stackglass.wire.rates import Rates
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import FromEngine, ThreadDump
from stackglass_viewer.presenter.live.outside_stack import describe_outside_stack
from stackglass_viewer.presenter.live.status_tracker import StatusTracker
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.live.target_process import (
    ends_soon,
    find_forker,
    read_command,
    read_title,
)
from stackglass_viewer.presenter.settings.view_state import LiveStatus, Phase

_POLL_S = 0.05  # the longest time that a request waits to be sent
_REPORT_S = 1 / 3  # between two reports to the GUI thread: each is painted
_ASK_THREADS_S = 0.4  # between two requests for stacks while no thread uses the CPU
_LONG_WAIT_NS = 300_000_000  # for the GIL: a longer wait has the stack read from outside
_READ_OUTSIDE_S = 0.5  # between two such reads
_DETACH_S = 3.0  # how long the engine may take to send its Bye


class Link(Protocol):
    """A connection to an engine. For one thread."""

    def receive(self, timeout_s: float) -> bytes | None:
        """Return the next message; None = none came in time. Raises StackglassError at the end."""

    def send(self, message: bytes) -> None:
        """Send a framed message. Raises StackglassError."""

    def close(self) -> None:
        """Close the connection."""


Connect = Callable[[int, int], Link]  # PID, Hz; raises StackglassError
_Request = Callable[[Link], None]  # runs on the listening thread


class Capture(QObject):
    """One attachment to one process: a thread that receives messages and sends requests.

    Methods are called on the GUI thread and never wait. Requests go through a queue to the
    listening thread, which applies each message to ``live``.
    """

    status_changed = Signal(object)  # LiveStatus
    data_arrived = Signal()  # three times a second, and with a status that is urgent

    _reported = Signal(object, bool)

    def __init__(
        self,
        target: Target,
        live: LiveProfile,
        connect: Connect,
        parent: QObject | None = None,
        after_message: Callable[[], None] = lambda: None,
    ) -> None:
        """The listening thread calls ``after_message`` after it applied a message to ``live``."""
        super().__init__(parent)
        self._after_message = after_message
        pid, rates = target.pid, target.rates
        self.target = target  # never changed, so any thread may read it
        self._live = live
        self._connect = connect
        self._requests: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        self._tracker = StatusTracker(
            LiveStatus(
                "connecting",
                pid,
                read_command(pid),
                read_title(pid),
                rates=rates,
                forker=find_forker(pid),
            ),
            lambda: live.lines.problems,
        )
        self._shown = self._tracker.status  # the last status that the GUI thread received
        self._sleeps: SleepTimes | None = None  # set once, by the listening thread
        self.dump: ThreadDump | None = None  # the last one; replaced by the listening thread
        self._reported_s = 0.0
        self._asked_s = 0.0
        self._read_outside_s = 0.0
        self._leave_at_s = float("inf")  # when to end if the engine has sent no Bye
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=self._run, name=f"capture {pid}", daemon=True)

    @property
    def status(self) -> LiveStatus:
        """The status as last reported. GUI thread."""
        return self._shown

    def start(self) -> None:
        self._thread.start()

    def set_rate(self, cpu_hz: int) -> None:
        self._request(requests.encode_set_cpu_rate(cpu_hz))

    def set_wall_rate(self, wall_hz: int) -> None:
        """Request ``wall_hz`` samples of each thread per second; 0 = off."""
        self._request(requests.encode_set_wall_rate(wall_hz))

    def set_native(self, is_on: bool) -> None:
        """Request stacks with C frames, or without."""
        self._request(requests.encode_set_native_stacks(is_on))

    def set_heap_rate(self, rate: int) -> None:
        """Request heap samples, one per ``rate`` bytes on average; 0 = off."""
        self._request(requests.encode_set_heap_rate(rate, self.target.has_native))

    def set_contention(self, rates: Rates) -> None:
        """Request the contention rates of ``rates``; CPU and heap rates stay as they are."""
        self._request(_encode_contention(rates))

    def take_waits(self) -> None:
        """Request the waiting threads."""
        self._request(requests.encode_take_lock_waits())

    def take_threads(self) -> None:
        """Request a dump of all threads, tasks and greenlets."""
        self._request(requests.encode_take_thread_dump())

    def collect(self) -> None:
        """Request a full collection in the target."""
        self._requests.put(self._send_collect)

    def take_census(self) -> None:
        """Request the target's objects by type."""
        self._requests.put(self._send_census)

    def detach(self) -> None:
        """Ask the engine to end this connection. The engine stops when its last client has left."""
        self._requests.put(self._send_detach)

    def leave(self) -> None:
        """End the thread without waiting for the engine, which stops with its last client."""
        self._requests.put(lambda _: self._end("detached", ""))

    def list_asleep(self, mono_ns: int, tids: Iterable[int]) -> Mapping[int, int]:
        """Return the least time for which threads have slept up to ``mono_ns``, if they have slept
        since before the attach: ns by thread id. Any thread."""
        sleeps = self._sleeps
        return sleeps.list_asleep(mono_ns, tids) if sleeps is not None else {}

    def wait(self, timeout_s: float = 5.0) -> None:
        """Wait until the thread has ended. Any thread may call this method."""
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _request(self, message: bytes) -> None:
        self._requests.put(lambda link: link.send(message))

    # -- the listening thread

    def _run(self) -> None:
        try:
            self._attach()
        except Exception as error:
            # Without a report the tab would stay as it is. The exception hook prints the traceback.
            is_new = self._tracker.status.phase == "connecting"
            text = f"Stackglass failed: {type(error).__name__}: {error}"
            self._end("failed" if is_new else "lost", text)
            raise

    def _attach(self) -> None:
        target = self.target
        # Read before the attach, which may wake threads.
        self._sleeps = SleepTimes(target.pid, SYSTEM_CLOCK)
        try:
            link = self._connect(target.pid, target.rates.cpu_hz)
        except StackglassError as error:
            self._end("failed", str(error))
            return
        self._tracker.set_phase("waiting")
        self._report()
        try:
            self._listen(link)
        except (StackglassError, DecodeError) as error:
            if ends_soon(target.pid):
                self._end("ended", f"process {target.pid} has ended")
            else:
                self._end("lost", str(error))
        finally:
            link.close()

    def _listen(self, link: Link) -> None:
        rates = self.target.rates
        if self.target.variables:
            link.send(requests.encode_label_variables(self.target.variables))
        # The viewer that attached last sets the rates. A rate that is off here is not requested:
        # the program itself, or another client, may have turned it on.
        if rates.heap_rate:
            link.send(requests.encode_set_heap_rate(rates.heap_rate, self.target.has_native))
        if any(_list_contention(rates)):
            link.send(_encode_contention(rates, off=None))
        if rates.wall_hz:
            link.send(requests.encode_set_wall_rate(rates.wall_hz))
        if rates.native_stacks:
            link.send(requests.encode_set_native_stacks(True))
        link.send(requests.encode_take_custom_profiles())
        link.send(requests.encode_take_metrics())
        while self._tracker.status.is_attached:
            payload = link.receive(_POLL_S)
            if payload is not None:
                message = FromEngine.FromString(payload)
                if message.HasField("thread_dump"):
                    self.dump = message.thread_dump  # of this moment: not part of the session
                else:
                    self._live.apply(message)
                    self._after_message()
                self._tracker.apply(message)
            while self._tracker.status.is_attached and not self._requests.empty():
                self._requests.get()(link)
            if time.monotonic() > self._leave_at_s and self._tracker.status.is_attached:
                self._end("detached", "")
            self._ask_threads(link)
            self._read_outside()
            self._report()

    def _send_collect(self, link: Link) -> None:
        link.send(requests.encode_collect())
        self._tracker.begin_collection()

    def _send_census(self, link: Link) -> None:
        link.send(requests.encode_take_census())
        self._tracker.begin_census()

    def _send_detach(self, link: Link) -> None:
        if self._leave_at_s == float("inf"):
            link.send(requests.encode_detach())
            self._leave_at_s = time.monotonic() + _DETACH_S

    def _ask_threads(self, link: Link) -> None:
        """Request the threads' current stacks: a process that sleeps yields no samples."""
        now_s = time.monotonic()
        is_due = now_s - self._asked_s >= _ASK_THREADS_S
        if self._tracker.status.phase == "running" and is_due and self._tracker.is_idle:
            self._asked_s = now_s
            link.send(requests.encode_snapshot_threads())

    def _read_outside(self) -> None:
        """Read the process's stack from outside, while the engine waits for the GIL."""
        status, now_s = self._tracker.status, time.monotonic()
        is_due = now_s - self._read_outside_s >= _READ_OUTSIDE_S
        if status.phase == "waiting" and status.gil_wait_ns >= _LONG_WAIT_NS and is_due:
            self._read_outside_s = now_s
            self._tracker.set_outside_stack(describe_outside_stack(status.pid))

    # -- reports to the GUI thread

    def _end(self, phase: Phase, message: str) -> None:
        self._tracker.end(phase, message)
        self._report()

    def _report(self) -> None:
        tracker, now_s = self._tracker, time.monotonic()
        if tracker.is_urgent or now_s - self._reported_s >= _REPORT_S:
            self._reported_s = now_s
            self._reported.emit(tracker.status, tracker.has_news)
            tracker.is_urgent = tracker.has_news = False

    @Slot(object, bool)
    def _on_reported(self, status: LiveStatus, has_news: bool) -> None:
        if status != self._shown:
            self._shown = status
            self.status_changed.emit(status)
        if has_news:
            self.data_arrived.emit()


def _list_contention(rates: Rates) -> tuple[int, int, int, int, int]:
    return (
        rates.block_rate_ns,
        rates.mutex_fraction,
        rates.gil_hz,
        rates.has_other,
        rates.stall_ns,
    )


def _encode_contention(rates: Rates, off: int | None = 0) -> bytes:
    """Encode a request. A rate of 0 is sent as ``off``; None leaves the engine's rate unchanged."""
    block, mutex, gil, other, stall = (rate or off for rate in _list_contention(rates))
    has_other = None if other is None else bool(other)
    return requests.encode_set_contention_rates(block, mutex, gil, has_other, stall)
