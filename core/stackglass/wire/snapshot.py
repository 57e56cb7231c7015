"""Snapshot: a client that requests one moment of a session, receives it, and detaches.

::

    Hello ─▶ Ready ─▶ [a collection] ─▶ [the program's own profiles] ─▶ [starts of threads]
          ─▶ [a dump of threads and tasks] ─▶ Detach ─▶ tables ─▶ Bye

A client that detaches is sent everything that was seen before its Detach, names included. So the
snapshot is whole when the Bye comes.
"""

from __future__ import annotations

from stackglass.clock import Clock
from stackglass.errors import EngineError
from stackglass.wire import reader, requests
from stackglass.wire.frame_source import FrameSource
from stackglass.wire.recorded_profiles import THREADCREATE, THREADLEAK, THREADS
from stackglass.wire.recording import Recording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

PATIENCE_S = 30.0
"""How long the engine may take for each step: C code may hold the GIL."""
_NO_HEAP_S = 1.0
"""If the heap profile is on, its status arrives within this time."""


class SnapshotClient:
    """Takes one snapshot. For one thread."""

    __slots__ = ("_clock", "_connection", "_patience_s", "recording")

    def __init__(
        self, connection: FrameSource, clock: Clock, patience_s: float = PATIENCE_S
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._patience_s = patience_s
        self.recording = Recording(0, clock.mono_ns())

    def take(
        self,
        wants_gc: bool = False,
        profiles: Collection[str] = (),
        wants_custom: bool = False,
    ) -> Recording:
        """Take a snapshot; ``wants_gc``: after a full collection.

        The snapshot has ``threads``, ``threadcreate`` and ``threadleak`` only if they are among
        ``profiles``, and all other profiles in any case. ``wants_custom``: also the profiles that
        the program fills.

        Raises EngineError if the engine does not answer, or leaves instead; WireError.
        """
        recording = self.recording
        self._wait(lambda: recording.ready is not None)
        if wants_gc:
            self._collect()
        if wants_custom:
            self._connection.send(requests.encode_take_custom_profiles())
        if THREADCREATE in profiles:
            self._connection.send(requests.encode_take_thread_creations())
        if THREADS in profiles or THREADLEAK in profiles:
            wants_leaks = THREADLEAK in profiles
            self._connection.send(requests.encode_take_thread_dump(wants_leaks))
            self._wait(lambda: recording.dump is not None)
        self._connection.send(requests.encode_detach())
        self._wait(lambda: recording.bye is not None)
        return recording

    def _collect(self) -> None:
        heap = self.recording.heap
        if not self._listen(lambda: heap.status is not None, _NO_HEAP_S) or heap.status is None:
            return  # there is no heap profile: nothing would show the collection
        n_before = heap.status.n_collects
        self._connection.send(requests.encode_collect())
        self._wait(lambda: heap.status is not None and heap.status.n_collects > n_before)

    def _wait(self, is_done: Callable[[], bool]) -> None:
        if not self._listen(is_done, self._patience_s):
            raise EngineError(
                f"the engine did not answer in {self._patience_s:g} s", "C code may hold the GIL"
            )

    def _listen(self, is_done: Callable[[], bool], patience_s: float) -> bool:
        """Receive messages until ``is_done``; False if that takes too long."""
        until_ns = self._clock.mono_ns() + round(patience_s * 1e9)
        while not is_done():
            bye = self.recording.bye
            if bye is not None:
                raise EngineError(f"the engine has left: {bye.reason or 'a client requested it'}")
            left_s = (until_ns - self._clock.mono_ns()) / 1e9
            if left_s <= 0:
                return False
            frame = self._connection.receive(left_s)
            message = reader.decode(frame, has_events=False) if frame is not None else None
            if message is not None:
                self.recording.add(message)
        return True
