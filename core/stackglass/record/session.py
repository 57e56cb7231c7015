"""The loop of a recording: take what the engine says until it is time to stop."""

from __future__ import annotations

from typing import Callable, Protocol

from stackglass.attach.errors import ConnectionLostError
from stackglass.clock import Clock
from stackglass.errors import WireError
from stackglass.record.outputs import CPU, Output
from stackglass.record.progress import Progress
from stackglass.record.wishes import ContentionWish, HeapWish
from stackglass.wire import reader, requests
from stackglass.wire.recording import Recording

_POLL_S = 0.1
_LAST_WORD_NS = 500_000_000
"""How long the engine may take to hand over what it has when the recording ends."""
_LAST_WORD_OF_TABLES_NS = 3_000_000_000
"""Likewise for heap and contention: the more there is of them, the less often it is told."""
_COLLECTION_NS = 30_000_000_000
"""How long a collection that was asked for may take: the program may have much to free."""
_NO_OUTPUT = Output(CPU, "", is_text=False)
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

    ``why_ended`` is empty for an end that was asked for, else a sentence without full stop.
    """

    __slots__ = (
        "_clock",
        "_connection",
        "_contention",
        "_heap",
        "_is_asked",
        "_least_hz",
        "_progress",
        "_shown",
        "_title",
        "is_collected",
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
        """``heap``, ``contention`` None: they are left alone. ``least_hz`` is for an engine that
        somebody else has brought without the CPU profile; 0 = that is left alone. The progress
        line is about ``shown``."""
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
        self.why_ended = ""
        self.is_collected = False

    def run(self, duration_ns: int | None, is_stopped: Callable[[], bool]) -> None:
        """Record for ``duration_ns`` from the engine's Ready on (None = no limit), until
        ``is_stopped`` says so, or until the engine has gone.
        """
        while not is_stopped() and not self._is_over(duration_ns) and self._take():
            self._progress.show(f"{self._title}: {self._describe()}")
        if self._heap is not None and self._heap.is_collecting:
            self._collect()
        self._take_last_word()
        self._progress.clear()

    def _is_over(self, duration_ns: int | None) -> bool:
        if duration_ns is None or self.recording.ready is None:
            return False
        return self._clock.mono_ns() >= self.recording.start_mono_ns + duration_ns

    def _take(self) -> bool:
        """Take in what comes; False when nothing more will."""
        timeout_s = _POLL_S
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
        if self._least_hz and now.cpu_hz == 0:
            asked.append(requests.encode_set_rates(self._least_hz))
        for request in filter(None, asked):
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
        """Samples travel about ten times a second: wait for those taken up to now."""
        end_mono_ns = self._clock.mono_ns()
        is_slow = self._heap is not None or self._contention is not None
        patience_ns = _LAST_WORD_OF_TABLES_NS if is_slow else _LAST_WORD_NS
        while (
            not self.why_ended
            and self.recording.ready is not None
            and not self._is_all_told(end_mono_ns)
            and self._clock.mono_ns() < end_mono_ns + patience_ns
            and self._take()
        ):
            pass

    def _describe(self) -> str:
        if self.recording.ready is not None:
            return self._shown.describe(self.recording)
        return "waiting for the interpreter, which C code keeps to itself"
