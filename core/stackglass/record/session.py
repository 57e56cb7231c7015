"""The loop of a recording: take what the engine says until it is time to stop."""

from __future__ import annotations

from typing import Callable, Protocol

from stackglass.clock import Clock
from stackglass.errors import AttachError, WireError
from stackglass.record.progress import Progress, describe
from stackglass.wire.messages import Message
from stackglass.wire.recording import Recording

_POLL_NS = 100_000_000
_LAST_WORD_NS = 500_000_000
"""How long the engine may take to hand over what it has when the recording ends."""


class Connection(Protocol):
    """The client's end of an engine's socket."""

    def receive(self, timeout_ns: int) -> list[Message]:
        """What has come in, after waiting for it at most so long; maybe nothing.

        Raises ConnectionEnded when nothing more will come, WireError for damage.
        """

    def close(self) -> None:
        """Leave; the engine withdraws by itself when nobody watches."""


class ConnectionEnded(AttachError):
    """The engine's end of the socket is closed."""


class Session:
    """One recording while it is made. For one thread.

    ``why_ended`` is empty for an end that was asked for, else a sentence without full stop.
    """

    __slots__ = ("_clock", "_connection", "_progress", "_title", "recording", "why_ended")

    def __init__(
        self,
        connection: Connection,
        recording: Recording,
        title: str,
        clock: Clock,
        progress: Progress,
    ) -> None:
        self._connection = connection
        self.recording = recording
        self._title = title
        self._clock = clock
        self._progress = progress
        self.why_ended = ""

    def run(self, duration_ns: int | None, is_stopped: Callable[[], bool]) -> None:
        """Record for ``duration_ns`` from the engine's Ready on (None = no limit), until
        ``is_stopped`` says so, or until the engine has gone. A KeyboardInterrupt ends it too.
        """
        try:
            while not is_stopped() and not self._is_over(duration_ns) and self._take(_POLL_NS):
                self._progress.show(f"{self._title}: {self._describe()}")
        except KeyboardInterrupt:
            pass  # the user's way to say "enough": what came in so far is the recording
        self._take_last_word()
        self._progress.clear()

    def _is_over(self, duration_ns: int | None) -> bool:
        ready = self.recording.ready
        if duration_ns is None or ready is None:
            return False
        return self._clock.mono_ns() >= self.recording.start_mono_ns + duration_ns

    def _take(self, timeout_ns: int) -> bool:
        """Take in what comes; False when nothing more will."""
        try:
            for message in self._connection.receive(timeout_ns):
                self.recording.add(message)
        except ConnectionEnded as ended:
            bye = self.recording.bye
            self.why_ended = bye.reason if bye else ended.message
            return False
        except WireError as error:
            self.why_ended = error.message
            return False
        return True

    def _take_last_word(self) -> None:
        """Samples travel about ten times a second: wait for those taken up to now."""
        end_mono_ns = self._clock.mono_ns()
        while (
            not self.why_ended
            and self.recording.bye is None
            and self.recording.ready is not None
            and self.recording.last_status_mono_ns < end_mono_ns
            and self._clock.mono_ns() < end_mono_ns + _LAST_WORD_NS
            and self._take(_POLL_NS)
        ):
            pass

    def _describe(self) -> str:
        if self.recording.ready is not None:
            return describe(self.recording)
        return "waiting for the interpreter (C code keeps it, or it has not started)"
