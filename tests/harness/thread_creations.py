"""The profile ``threadcreate`` of a process, as a client of its engine receives it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from harness.saved_profile import SavedProfile
from stackglass.attach.entry import attach
from stackglass.clock import SYSTEM_CLOCK
from stackglass.wire import pprof, reader, requests
from stackglass.wire.messages import ThreadCreations
from stackglass.wire.recording import Recording

Counts = dict[str, tuple[int, ...]]
"""Threads ever started, and alive, by the function that started them, without its module."""

_PATIENCE_NS = 20 * 10**9
_PATIENCE_OF_SUMS_NS = 5 * 10**9
_STARTERS = ("threading.", "concurrent.")


def count_creations(profile: SavedProfile) -> Counts:
    """Return the counts in a file or a recording."""
    return {
        next(name for name in reversed(row.stack) if not name.startswith(_STARTERS)).rpartition(
            "."
        )[2]: tuple(row.values)
        for row in profile.rows
    }


class CreationSession:
    """A connection that has requested creations."""

    def __init__(self, receive: Callable[[float], bytes | None]) -> None:
        self._receive = receive
        self._recording = Recording(0)
        self._found: Counts = {}

    def wait_for(self, wanted: Counts) -> Counts:
        """Return the counts once they are as wanted, or when the time is up."""
        return self._wait(lambda found: found == wanted, _PATIENCE_NS)

    def wait_for_function(self, function: str) -> tuple[int, ...]:
        """Return a function's counts, once there are any."""
        return self._wait(lambda found: function in found, _PATIENCE_NS)[function]

    def wait_for_sum(self, wanted: tuple[int, int]) -> tuple[int, int]:
        """Return the sum of all counts once it is as wanted, or after a shorter time."""
        found = self._wait(lambda found: _add(found) == wanted, _PATIENCE_OF_SUMS_NS)
        return _add(found)

    def _wait(self, is_so: Callable[[Counts], bool], patience_ns: int) -> Counts:
        until_ns = SYSTEM_CLOCK.mono_ns() + patience_ns
        found = self._found
        while not is_so(found) and SYSTEM_CLOCK.mono_ns() < until_ns:
            frame = self._receive(0.1)
            message = reader.decode(frame) if frame is not None else None
            if message is not None:
                self._recording.add(message)
            if isinstance(message, ThreadCreations):  # after each message it would fall behind
                tables = self._recording.build_creations("threadcreate")
                found = count_creations(SavedProfile(pprof.pack(pprof.encode(tables))))
        self._found = found
        return found


def _add(counts: Counts) -> tuple[int, int]:
    return sum(row[0] for row in counts.values()), sum(row[1] for row in counts.values())


@contextlib.contextmanager
def creation_session(pid: int) -> Iterator[CreationSession]:
    """Open a session that detaches at its end."""
    with attach(pid, new_hz=0) as connection:
        connection.send(requests.encode_take_thread_creations())
        yield CreationSession(connection.receive)
        connection.send(requests.encode_detach())
