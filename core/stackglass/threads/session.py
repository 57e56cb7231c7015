"""Session with an engine that takes dumps of threads and tasks.

::

    Hello ─▶ request ─▶ Batch … ─▶ ThreadDump ─▶ request again, or detach

The engine sends a dump once all code in it has names, so each request has one answer.
"""

from __future__ import annotations

from stackglass.errors import AttachError, StackglassError
from stackglass.named_tuple import NamedTuple
from stackglass.wire import messages, reader, requests, thread_dump
from stackglass.wire.definitions import Definitions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from stackglass.clock import Clock
    from stackglass.wire.frame_source import FrameSource
    from stackglass.wire.thread_dump import DumpNames

    Explain = Callable[[int], AttachError]
    """Makes the error for a missing answer; given for how many ns the engine has waited for the
    GIL."""

_POLL_S = 0.1


class Dump(NamedTuple):
    """A dump, and the messages that it refers to."""

    rows: messages.ThreadDump
    definitions: DumpNames
    ready: messages.Ready


class DumpSession:
    """One connection. For one thread."""

    __slots__ = (
        "_clock",
        "_connection",
        "_definitions",
        "_explain",
        "_gil_wait_ns",
        "_is_requested",
        "_patience_ns",
        "_ready",
        "_rows",
    )

    def __init__(
        self, connection: FrameSource, clock: Clock, patience_ns: int, explain: Explain
    ) -> None:
        """``patience_ns``: the limit for each answer; ``explain`` makes the error after it."""
        self._connection = connection
        self._clock = clock
        self._explain = explain
        self._patience_ns = patience_ns
        self._definitions = Definitions()
        self._gil_wait_ns = 0
        self._is_requested = False
        self._ready = messages.Ready()
        self._rows: messages.ThreadDump | None = None

    def request(self, wants_leaks: bool = False) -> None:
        """Request the dump that the next ``take`` returns; ``wants_leaks``: with a search for
        leaks. Raises what the connection raises."""
        self._rows = None
        self._connection.send(requests.encode_take_thread_dump(wants_leaks))
        self._is_requested = True

    def take(self, wants_leaks: bool = False) -> Dump:
        """The dump that was requested; without a request, request one.

        Raises AttachError if none comes; WireError, and what the connection raises.
        """
        if not self._is_requested:
            self.request(wants_leaks)
        self._is_requested = False
        self._wait(lambda: self._rows is not None, self._patience_ns)
        if self._rows is None:
            raise self._explain(self._gil_wait_ns)
        return Dump(self._rows, self._definitions, self._ready)

    def listen(self, duration_ns: int, is_stopped: Callable[[], bool]) -> bool:
        """Receive messages for some time; False if it was stopped."""
        self._wait(is_stopped, duration_ns)
        return not is_stopped()

    def end(self) -> None:
        """Detach; other clients stay. Raises nothing, also if the engine has gone."""
        try:
            self._connection.send(requests.encode_detach())
        except StackglassError:
            return

    def _wait(self, is_done: Callable[[], bool], patience_ns: int) -> None:
        """Receive messages until ``is_done``, or the time is over."""
        now_ns = self._clock.mono_ns()
        until_ns = now_ns + patience_ns
        while not is_done() and now_ns < until_ns:
            frame = self._connection.receive(min((until_ns - now_ns) / 1e9, _POLL_S))
            now_ns = self._clock.mono_ns()
            message = reader.decode(frame, has_events=False) if frame is not None else None
            if message is not None:
                self._add(message)

    def _add(self, message: messages.Message) -> None:
        if isinstance(message, messages.Batch):
            self._definitions.add(message)
        elif isinstance(message, messages.ThreadDump):
            thread_dump.check(message, self._definitions)
            self._rows = message
        elif isinstance(message, messages.Status):
            self._gil_wait_ns = message.gil_wait_ns
        elif isinstance(message, messages.Ready):
            self._ready = message
        elif isinstance(message, messages.Bye):
            raise AttachError(message.reason or "the engine was detached")
