"""The loop of a recording: receives the engine's messages until it is time to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable

from stackglass.attach.client import WAITS_FOR_GIL
from stackglass.attach.errors import ConnectionLostError
from stackglass.clock import Clock
from stackglass.errors import OutputError, WireError
from stackglass.record.plan import Plan
from stackglass.record.progress import Progress
from stackglass.wire import messages, reader, requests
from stackglass.wire.frame_source import FrameSource
from stackglass.wire.recording import Recording

if TYPE_CHECKING:
    from stackglass.record.flight_recording import FlightRecording
    from stackglass.record.memory_file import MemoryFile

_STATES = (
    messages.Hello,
    messages.Ready,
    messages.Rates,
    messages.Status,
    messages.MemoryInfo,
    messages.Bye,
)
_POLL_S = 0.1
_LONG_WAIT_NS = 500_000_000
"""A wait for the GIL of this length is also announced where no terminal shows it."""
_FLUSH_NS = 6_000_000_000
"""Limit for the engine to send what is left after a detach. It needs the GIL to look up names, and
does without them after five seconds."""
_TRACE_FLUSH_NS = 20_000_000_000
"""The same for a memory trace: it is not whole without its last events and their names."""
_COLLECTION_NS = 30_000_000_000
"""Limit for a requested collection: the program may have much to free."""
_NO_LIMIT_NS = 1_000_000_000
"""More than the loop ever waits at a time."""
_MAX_FRAMES_A_TURN = 200
"""Limit of one turn, so that a busy engine cannot keep the loop from its other checks."""


class RecordingSession:
    """One recording in progress. For one thread.

    ``is_over``: the requested duration has passed, or all profiles were refused. ``why_ended`` is
    empty for a requested end, else a sentence without full stop. ``is_killed``: a signal ended the
    process, or it ended suddenly for an unknown reason.
    """

    __slots__ = (
        "_clock",
        "_connection",
        "_is_leaving",
        "_is_requested",
        "_is_wait_announced",
        "_plan",
        "_progress",
        "failure",
        "is_collected",
        "is_killed",
        "is_over",
        "memory",
        "recording",
        "why_ended",
    )

    def __init__(
        self,
        connection: FrameSource,
        recording: Recording,
        plan: Plan,
        clock: Clock,
        progress: Progress,
    ) -> None:
        """The progress line shows the first output of the plan."""
        self._connection = connection
        self.recording = recording
        self._plan = plan
        self._clock = clock
        self._progress = progress
        self.memory: MemoryFile | FlightRecording | None = None
        """Gets the memory trace, if one is in the plan."""
        self.failure: OutputError | None = None
        """Why the file of a memory trace could not be written; None = it could."""
        self._is_requested = False
        self._is_leaving = False
        self._is_wait_announced = False
        self.why_ended = ""
        self.is_collected = False
        self.is_killed = False
        self.is_over = False

    def run(self, is_stopped: Callable[[], bool]) -> None:
        """Record for the duration of the plan, counted from the start of its first profile, until
        ``is_stopped`` returns true, or until the engine has gone. Then detach.
        """
        began_ns = self._clock.mono_ns()
        while not self._is_at_end(is_stopped):
            left_ns = self._find_left()
            self.is_over = left_ns <= 0
            if self.is_over or not self._take(min(left_ns / 1e9, _POLL_S)):
                break
            self._progress.show(self._describe())
            self._announce_wait(began_ns)
        if self._plan.is_collecting:
            self._collect()
        self._flush()
        self._progress.clear()

    def _is_at_end(self, is_stopped: Callable[[], bool]) -> bool:
        """Whether ``is_stopped``, which may also write the memory trace, returns true or fails."""
        try:
            return is_stopped()
        except (OutputError, WireError) as error:
            self.why_ended = error.message
            if isinstance(error, OutputError):
                self.failure = error
            return True

    def _find_left(self) -> int:
        """Nanoseconds left of the duration. No limit before a profile has begun; 0 if all profiles
        of the plan are refused."""
        start_ns = self._find_start()
        if start_ns < 0:
            return 0
        if self._plan.duration_ns is None or not start_ns:
            return _NO_LIMIT_NS
        return start_ns + self._plan.duration_ns - self._clock.mono_ns()

    def _find_start(self) -> int:
        """When the first profile began; 0 = none has; -1 = all of them are refused."""
        recording, plan = self.recording, self._plan
        heap, contention = recording.heap, recording.contention
        has_cpu = plan.has_samples and not recording.cpu.problem
        is_from_ready = has_cpu or plan.has_creations
        starts = [recording.start_mono_ns if recording.ready else 0] if is_from_ready else []
        if plan.has_heap and not heap.problem:
            starts.append(recording.find_start(heap.start_mono_ns))
        if plan.memory is not None and not plan.memory.find_problem(recording):
            memory = recording.memory
            starts.append(recording.find_start(memory.start_mono_ns) if memory else 0)
        if not all(contention.find_problem(kind) for kind in plan.kinds):
            starts.append(recording.find_start(contention.start_mono_ns))
        if not starts:
            return -1
        return min(filter(None, starts), default=0)

    def _take(self, timeout_s: float = _POLL_S) -> bool:
        """Receive messages; False when no more will come."""
        try:
            for _ in range(_MAX_FRAMES_A_TURN):
                frame = self._connection.receive(timeout_s)
                if frame is None:
                    break
                self._add(frame)
                self._request()
                timeout_s = 0.0  # only messages that are there already
        except ConnectionLostError as lost:
            bye = self.recording.bye
            if bye is None or bye.reason or not self._is_leaving:
                self.why_ended = bye.reason if bye and bye.reason else lost.message
                self.is_killed = lost.is_killed
            return False
        except WireError as error:
            self.why_ended = error.message
            return False
        except OutputError as error:
            self.why_ended = error.message
            self.failure = error
            return False
        return True

    def _add(self, frame: bytes) -> None:
        message = reader.decode(frame, has_events=False)
        if self.memory is not None:
            self.memory.add(frame, message)
        # Tables of other profiles may refer to any message.
        if message is not None and (self._plan.has_tables or isinstance(message, _STATES)):
            self.recording.add(message)

    def _request(self) -> None:
        """Request the plan's rates, once the rates in force are known. A later change by another
        client is left alone."""
        in_force = self.recording.rates
        if self._is_requested or in_force is None:
            return
        self._is_requested = True
        for request in self._plan.request.encode(in_force):
            self._send(request)
        if self._plan.has_creations:
            self._send(requests.encode_take_thread_creations())

    def _send(self, framed: bytes) -> None:
        """Send a request. If the engine has gone, receive what it had sent, then raise.

        Raises ConnectionLostError, WireError, OutputError.
        """
        try:
            self._connection.send(framed)
        except ConnectionLostError:
            while (frame := self._connection.receive(0.0)) is not None:
                self._add(frame)
            raise

    def _collect(self) -> None:
        """Make the process run a full collection, and wait until it is done."""
        until_ns = self._clock.mono_ns() + _COLLECTION_NS
        n_before = -1
        while not self.why_ended and self._clock.mono_ns() < until_ns:
            status = self.recording.heap.status
            if status is not None and n_before < 0:
                n_before = status.n_collects
                try:
                    self._connection.send(requests.encode_collect())
                except ConnectionLostError:
                    continue  # to receive what the engine had sent, and why it has gone
            elif status is not None and status.n_collects > n_before:
                self.is_collected = True
                return
            if not self._take():
                return

    def _is_complete(self, end_mono_ns: int) -> bool:
        """Whether the engine has sent everything up to ``end_mono_ns``."""
        recording, plan = self.recording, self._plan
        heap, contention = recording.heap, recording.contention
        if recording.cpu.last_status_mono_ns < end_mono_ns:
            return False
        # Samples whose names are still looked up come later. The engine counts such CPU samples,
        # but not those of waiting threads: for them only its Bye shows the end.
        if plan.has_wall or (plan.has_samples and not recording.cpu.is_whole):
            return False
        memory = recording.memory
        is_memory_sent = memory is None or memory.problem or memory.is_ended
        if plan.memory is not None and not is_memory_sent:
            return False
        creations = recording.creations
        if plan.has_creations and (creations is None or creations.time_mono_ns < end_mono_ns):
            return False
        is_heap_sent = heap.last_status_mono_ns >= end_mono_ns and heap.is_whole
        is_contention_sent = contention.last_status_mono_ns >= end_mono_ns and contention.is_whole
        has_contention = not all(contention.find_problem(kind) for kind in plan.kinds)
        has_heap = plan.has_heap and not heap.problem
        return (is_heap_sent or not has_heap) and (is_contention_sent or not has_contention)

    def _flush(self) -> None:
        """Detach: the engine sends everything up to now, then a Bye."""
        end_mono_ns = self._clock.mono_ns()
        self._detach()
        patience_ns = _FLUSH_NS if self._plan.memory is None else _TRACE_FLUSH_NS
        while (
            not self.why_ended
            and self.recording.ready is not None
            and self.recording.bye is None
            and not self._is_complete(end_mono_ns)
            and self._clock.mono_ns() < end_mono_ns + patience_ns
            and self._take()
        ):
            pass
        self._finish_memory()

    def _finish_memory(self) -> None:
        try:
            if self.memory is not None and self.failure is None:
                self.memory.finish(self.is_killed)
        except WireError as error:
            self.why_ended = self.why_ended or error.message
        except OutputError as error:
            self.failure = error

    def flush_memory(self) -> None:
        """Hand the memory trace so far over to the system. An OutputError is kept as ``failure``:
        nothing more is written to the file."""
        if self.memory is None or self.failure is not None:
            return
        try:
            self.memory.flush()
        except OutputError as error:
            self.failure = error

    def _detach(self) -> None:
        self._is_leaving = True
        if self.why_ended:
            return
        try:
            self._connection.send(requests.encode_detach())
        except ConnectionLostError:
            self._take()  # a Bye with the reason may be there

    def _announce_wait(self, began_ns: int) -> None:
        """Once, if the engine has waited long for its first GIL."""
        is_waiting = self.recording.ready is None and not self._is_wait_announced
        if is_waiting and self._clock.mono_ns() - began_ns >= _LONG_WAIT_NS:
            self._is_wait_announced = True
            self._progress.announce(WAITS_FOR_GIL)

    def _describe(self) -> str:
        if self.recording.ready is not None:
            return self._plan.outputs[0].describe(self.recording)
        return WAITS_FOR_GIL
