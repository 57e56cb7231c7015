"""The loop of a recording: take what the engine says until it is time to stop."""

from __future__ import annotations

from typing import Callable, Protocol

from stackglass.attach.errors import ConnectionLostError
from stackglass.clock import Clock
from stackglass.errors import WireError
from stackglass.record.outputs import CPU, Output
from stackglass.record.progress import Progress
from stackglass.record.rate_requests import ContentionWish, HeapWish
from stackglass.wire import reader, requests
from stackglass.wire.recording import Recording

_POLL_S = 0.1
_LAST_WORD_NS = 1_000_000_000
"""How long the engine may take to hand over what it has when the recording ends: it does so at
once, but may need the interpreter's lock for names."""
_LAST_WORD_OF_TABLES_NS = 5_000_000_000
"""The same for heap and contention, which may be large."""
_COLLECTION_NS = 30_000_000_000
"""How long a collection that was asked for may take: the program may have much to free."""
_NO_OUTPUT = Output(CPU, "", is_text=False)
_NO_LIMIT_NS = 1_000_000_000
"""More than the loop ever waits for at a time."""
_MAX_FRAMES_A_TURN = 200
"""So that a busy engine cannot keep the loop from looking at anything else."""


class FrameSource(Protocol):
    """What a session needs of ``stackglass.attach.client.Connection``."""

    def receive(self, timeout_s: float | None = None) -> bytes | None:
        """The next message, or None. Raises ConnectionLostError, WireError."""

    def send(self, framed: bytes) -> None:
        """Send one of ``stackglass.wire.requests``. Raises ConnectionLostError."""


class Session:
    """One recording while it is made. For one thread.

    ``is_over``: it has lasted as long as asked for. ``why_ended`` is empty for an end that was
    asked for, else a sentence without full stop.
    """

    __slots__ = (
        "_clock",
        "_connection",
        "_contention",
        "_has_cpu",
        "_heap",
        "_is_asked",
        "_is_leaving",
        "_least_hz",
        "_progress",
        "_shown",
        "_title",
        "is_collected",
        "is_over",
        "recording",
        "why_ended",
    )

    def __init__(
        self,
        connection: FrameSource,
        recording: Recording,
        title: str,
        clock: Clock,
        progress: Progress,
        heap: HeapWish | None = None,
        least_hz: int = 0,
        contention: ContentionWish | None = None,
        shown: Output = _NO_OUTPUT,
    ) -> None:
        """``heap``, ``contention`` None, ``least_hz`` 0: these profiles are not wanted. The CPU
        rate is ``least_hz`` where the engine has it off. The progress line is about ``shown``."""
        self._connection = connection
        self.recording = recording
        self._title = title
        self._clock = clock
        self._progress = progress
        self._heap = heap
        self._contention = contention
        self._shown = shown
        self._is_asked = False
        self._least_hz = least_hz
        self._has_cpu = least_hz > 0 or (heap is None and contention is None)
        self._is_leaving = False
        self.why_ended = ""
        self.is_collected = False
        self.is_over = False

    def run(self, duration_ns: int | None, is_stopped: Callable[[], bool]) -> None:
        """Record for ``duration_ns`` from the start of the first profile that is wanted (None =
        no limit), until ``is_stopped`` says so, or until the engine has gone. Then detach.
        """
        while not is_stopped():
            left_ns = self._find_left(duration_ns)
            self.is_over = left_ns <= 0
            if self.is_over or not self._take(min(left_ns / 1e9, _POLL_S)):
                break
            self._progress.show(f"{self._title}: {self._describe()}")
        if self._heap is not None and self._heap.is_collecting:
            self._collect()
        self._take_last_word()
        self._progress.clear()

    def _find_left(self, duration_ns: int | None) -> int:
        """Of the duration, ns; as much as ever before a profile has begun. Nothing if none that is
        wanted can be had."""
        start_ns = self._find_start()
        if start_ns < 0:
            return 0
        if duration_ns is None or not start_ns:
            return _NO_LIMIT_NS
        return start_ns + duration_ns - self._clock.mono_ns()

    def _find_start(self) -> int:
        """When the first profile began; 0 = none has; -1 = all that are wanted are refused."""
        recording = self.recording
        heap, contention = recording.heap, recording.contention
        has_cpu = self._has_cpu and not recording.cpu_problem
        starts = [recording.start_mono_ns if recording.ready else 0] if has_cpu else []
        if self._heap is not None and not heap.problem:
            starts.append(recording.find_start(heap.start_mono_ns))
        kinds = self._contention.kinds if self._contention is not None else []
        if not all(contention.find_problem(kind) for kind in kinds):
            starts.append(recording.find_start(contention.start_mono_ns))
        if not starts:
            return -1
        return min(filter(None, starts), default=0)

    def _take(self, timeout_s: float = _POLL_S) -> bool:
        """Take in what comes; False when nothing more will."""
        try:
            for _ in range(_MAX_FRAMES_A_TURN):
                frame = self._connection.receive(timeout_s)
                if frame is None:
                    break
                message = reader.decode(frame, has_events=False)
                if message is not None:
                    self.recording.add(message)
                self._ask()
                timeout_s = 0.0  # only what is there already
        except ConnectionLostError as lost:
            bye = self.recording.bye
            if bye is None or bye.reason or not self._is_leaving:
                self.why_ended = bye.reason if bye and bye.reason else lost.message
            return False
        except WireError as error:
            self.why_ended = error.message
            return False
        return True

    def _ask(self) -> None:
        """Once it is known what somebody else has asked for. Whoever changes it later means it."""
        now = self.recording.rates
        if self._is_asked or now is None:
            return
        self._is_asked = True
        wishes = [wish for wish in (self._heap, self._contention) if wish is not None]
        asked = [wish.make_request(now) for wish in wishes]
        if self._least_hz:
            asked.append(requests.encode_set_rates(now.cpu_hz or self._least_hz))
        for request in asked:
            self._connection.send(request)

    def _collect(self) -> None:
        """A full collection in the process, and word that it is done."""
        until_ns = self._clock.mono_ns() + _COLLECTION_NS
        n_before = -1
        while not self.why_ended and self._clock.mono_ns() < until_ns:
            status = self.recording.heap.status
            if status is not None and n_before < 0:
                n_before = status.n_collects
                try:
                    self._connection.send(requests.encode_collect())
                except ConnectionLostError as lost:
                    self.why_ended = lost.message
                    return
            elif status is not None and status.n_collects > n_before:
                self.is_collected = True
                return
            if not self._take():
                return

    def _is_all_told(self, end_mono_ns: int) -> bool:
        recording = self.recording
        heap, contention = recording.heap, recording.contention
        if recording.last_status_mono_ns < end_mono_ns:
            return False
        is_heap_told = heap.last_status_mono_ns >= end_mono_ns and heap.is_whole
        is_contention_told = contention.last_status_mono_ns >= end_mono_ns and contention.is_whole
        kinds = self._contention.kinds if self._contention is not None else []
        is_refused = all(contention.find_problem(kind) for kind in kinds)  # or none is wanted
        is_heap_wanted = self._heap is not None and not heap.problem
        return (is_heap_told or not is_heap_wanted) and (is_contention_told or is_refused)

    def _take_last_word(self) -> None:
        """Detach: the engine sends what it has seen up to now, and says Bye."""
        end_mono_ns = self._clock.mono_ns()
        self._detach()
        is_slow = self._heap is not None or self._contention is not None
        patience_ns = _LAST_WORD_OF_TABLES_NS if is_slow else _LAST_WORD_NS
        while (
            not self.why_ended
            and self.recording.ready is not None
            and self.recording.bye is None
            and not self._is_all_told(end_mono_ns)
            and self._clock.mono_ns() < end_mono_ns + patience_ns
            and self._take()
        ):
            pass

    def _detach(self) -> None:
        self._is_leaving = True
        if self.why_ended:
            return
        try:
            self._connection.send(requests.encode_detach())
        except ConnectionLostError:
            self._take()  # it may have said why

    def _describe(self) -> str:
        if self.recording.ready is not None:
            return self._shown.describe(self.recording)
        return "waiting for the interpreter: C code holds the GIL"
