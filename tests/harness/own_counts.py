"""Profiles that a process fills itself, as a client of its engine receives them."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator

from harness.saved_profile import SavedProfile
from stackglass.attach.entry import attach
from stackglass.attach.errors import ConnectionLostError
from stackglass.clock import SYSTEM_CLOCK
from stackglass.wire import pprof, reader, requests
from stackglass.wire.messages import CustomProfiles
from stackglass.wire.recording import Recording

Counts = dict[str, int]
"""Values by the innermost function, without its module."""
_PATIENCE_NS = 120 * 10**9


class CountSession:
    """A connection that has requested the profiles."""

    def __init__(self, receive: Callable[[float], bytes | None]) -> None:
        self._receive = receive
        self.recording = Recording(0)

    def read(self, name: str) -> SavedProfile:
        """Return a profile with the counts received so far."""
        return SavedProfile(pprof.pack(pprof.encode(self.recording.build_custom(name))))

    def count(self, name: str) -> Counts:
        """Return its counts by function."""
        counts: Counter[str] = Counter()
        for row in self.read(name).rows:
            counts[row.stack[-1].rpartition(".")[2]] += row.values[0]
        return dict(counts)

    def take(self) -> bool:
        """Receive a message, if one arrives soon. Returns whether it had counts."""
        frame = self._receive(0.1)
        message = reader.decode(frame) if frame is not None else None
        if message is not None:
            self.recording.add(message)
        return isinstance(message, CustomProfiles)

    def wait_for(self, name: str, wanted: Counts) -> Counts:
        """Return the counts once they are as wanted, or when the time is up.

        They are built only when a message has changed them: on a busy machine that takes longer
        than the next of the other messages takes to arrive.
        """
        until_ns = SYSTEM_CLOCK.mono_ns() + _PATIENCE_NS
        counts = self.count(name)
        while counts != wanted or name not in self.recording.custom.names:
            if SYSTEM_CLOCK.mono_ns() > until_ns:
                break
            if self.take():
                counts = self.count(name)
        return counts


@contextlib.contextmanager
def count_session(pid: int) -> Iterator[CountSession]:
    """Open a session that detaches at its end, and waits until the engine has noticed."""
    with attach(pid, new_hz=0) as connection:
        connection.send(requests.encode_take_custom_profiles())
        yield CountSession(connection.receive)
        connection.send(requests.encode_detach())
        until_ns = SYSTEM_CLOCK.mono_ns() + _PATIENCE_NS
        with contextlib.suppress(ConnectionLostError):
            while SYSTEM_CLOCK.mono_ns() < until_ns:
                connection.receive(0.1)
