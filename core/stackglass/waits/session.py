"""A conversation about waits: have the locks watched, look, learn the names, leave.

::

    Hello ─▶ Ready ─▶ Rates ─▶ ask: locks watched, who waits, where all stand
                                 └▶ a look ─▶ names of its locks and threads ─▶ the look that counts

An engine looks for a lock's name once a thread has waited for the lock: so the first look starts
the search, and the second one, which is reported, has the names. It also confirms a circle: a
thread that gives up after a second is in no deadlock.
"""

from __future__ import annotations

import contextlib
from typing import Callable, NamedTuple, Protocol

from stackglass.attach.errors import ConnectionLostError
from stackglass.clock import Clock
from stackglass.errors import AttachError
from stackglass.wire import messages, reader, requests
from stackglass.wire.definitions import Definitions, check_references
from stackglass.wire.lock_names import LockTable, is_join

_POLL_S = 0.1
_NAMES_NS = 10_000_000_000
"""How long an engine may take to say that the names of locks are settled: more than the 8 s after
which it does so on a busy machine."""
_THREAD_NAMES_NS = 500_000_000
"""Likewise those of threads: one that has ended by then has none."""
_NEW_NAMES_NS = 300_000_000
"""The same for locks that no thread waited for in the earlier look: the engine pauses between two
searches."""
_LONG_NS = 300_000_000
_LEAST_FRACTION = 1_000_000_000
"""Releases charged while we watch: one in so many, which is none. A rate is what has locks
watched."""


Explain = Callable[[int], AttachError]
"""Why there was no answer, of an engine that has waited so many ns for the GIL."""


class FrameSource(Protocol):
    """What a session needs of ``stackglass.attach.client.Connection``."""

    def receive(self, timeout_s: float | None = None) -> bytes | None:
        """The next message, or None. Raises ConnectionLostError, WireError."""

    def send(self, framed: bytes) -> None:
        """Send one of ``stackglass.wire.requests``. Raises ConnectionLostError."""


class Look(NamedTuple):
    """What was told of one moment."""

    waits: messages.LockWaits
    threads: messages.ThreadSnapshot


class Session:
    """One conversation. For one thread."""

    __slots__ = (
        "_clock",
        "_connection",
        "_explain",
        "_gil_wait_ns",
        "_patience_ns",
        "_rates",
        "_tell",
        "_threads",
        "_waits",
        "definitions",
        "locks",
        "ready",
    )

    def __init__(
        self,
        connection: FrameSource,
        clock: Clock,
        patience_ns: int,
        explain: Explain,
        tell: Callable[[str], None],
    ) -> None:
        """``patience_ns``: how long the interpreter may take for each answer; ``explain`` makes
        the error if it takes longer, and ``tell`` is called with a sentence when it takes long."""
        self._connection = connection
        self._clock = clock
        self._patience_ns = patience_ns
        self._explain = explain
        self._tell = tell
        self._gil_wait_ns = 0
        self._rates: messages.Rates | None = None
        self._waits: messages.LockWaits | None = None
        self._threads: messages.ThreadSnapshot | None = None
        self.ready = messages.Ready()
        self.definitions = Definitions()
        self.locks = LockTable()

    def begin(self) -> None:
        """Have the locks watched, at the rate that another client has chosen, if any.

        Raises AttachError where there is no answer, and where locks cannot be watched;
        ConnectionLostError, WireError. So do the others.
        """
        # Asked before it is known that it may be: then the interpreter is asked once for all.
        self._connection.send(requests.encode_snapshot_threads())
        self._wait(lambda: self._rates is not None, self._patience_ns)
        rates = self._rates
        if rates is None:
            raise self._explain(self._gil_wait_ns)
        # Asked for by us too, it stays when that client leaves.
        fraction = rates.mutex_fraction or _LEAST_FRACTION
        self._connection.send(requests.encode_set_contention_rates(mutex_fraction=fraction))

    def look_well(self, before: Look | None) -> tuple[Look, Look]:
        """Twice: an earlier look, ``before`` if there was one, and one with names."""
        if before is None:
            before = self.look()
            self._wait_for_names(before, None, _NAMES_NS)
        look = self.look()
        self._wait_for_names(look, before, _NEW_NAMES_NS)
        return before, look

    def listen(self, duration_ns: int, is_stopped: Callable[[], bool]) -> bool:
        """Take in what comes for some time; False if it was stopped."""
        self._wait(is_stopped, duration_ns)
        return not is_stopped()

    def look(self) -> Look:
        """Which thread waits for which, and where all stand; names may still be on their way."""
        self._waits = self._threads = None
        self._connection.send(requests.encode_snapshot_threads())
        self._connection.send(requests.encode_take_lock_waits())
        self._wait(lambda: self._waits is not None and self._threads is not None, self._patience_ns)
        if self._waits is None or self._threads is None:
            raise self._explain(self._gil_wait_ns)
        return Look(self._waits, self._threads)

    def end(self) -> None:
        """Leave. What we asked for ends with it; other clients keep theirs. Raises nothing: an
        engine that has gone cannot be left."""
        with contextlib.suppress(ConnectionLostError):
            self._connection.send(requests.encode_detach())

    def _wait_for_names(self, look: Look, before: Look | None, patience_ns: int) -> None:
        """Of what is new; of the rest they have been waited for."""
        tids, locks = self._list_named(look)
        if before is not None:
            old_tids, old_locks = self._list_named(before)
            tids, locks = tids - old_tids, locks - old_locks

        self._wait(
            lambda: all(map(self.definitions.name_thread, tids)),
            min(patience_ns, _THREAD_NAMES_NS),
        )
        self._wait(lambda: all(self.locks.get(lock).is_settled for lock in locks), patience_ns)

    def _list_named(self, look: Look) -> tuple[set[int], set[int]]:
        """Its threads, and those of its locks whose names are reported."""
        waits = look.waits
        locks = {
            lock
            for lock, node in zip(waits.lock, waits.node)
            if self.locks.get(lock).has_holder and not is_join(self.definitions.list_lines(node))
        }
        return {*waits.tid, *waits.holder_tid, *look.threads.tid} - {0}, locks

    def _wait(self, is_done: Callable[[], bool], patience_ns: int) -> None:
        """Take in what comes until it is done, or the time is over."""
        now_ns = self._clock.mono_ns()
        long_ns, until_ns = now_ns + _LONG_NS, now_ns + patience_ns
        while not is_done() and now_ns < until_ns:
            frame = self._connection.receive(min((until_ns - now_ns) / 1e9, _POLL_S))
            now_ns = self._clock.mono_ns()
            if self._rates is None and now_ns > long_ns:
                self._tell("waiting for the interpreter: C code holds the GIL")
            message = reader.decode(frame, has_events=False) if frame is not None else None
            if message is not None:
                self._add(message)

    def _add(self, message: messages.Message) -> None:
        definitions = self.definitions
        if isinstance(message, messages.Batch):
            definitions.add(message)
        elif isinstance(message, messages.Contention):
            self.locks.add(message, definitions.strings)
        elif isinstance(message, messages.ContentionStatus):
            if message.problem:
                raise AttachError(f"waits for locks cannot be observed: {message.problem}")
        elif isinstance(message, messages.LockWaits):
            check_references(message.primitive, max(len(definitions.strings), 1), "string")
            for column in (message.node, message.holder_node):
                check_references(column, max(definitions.n_nodes, 1), "stack")
            for lock in message.lock:
                self.locks.get(lock)
            self._waits = message
        elif isinstance(message, messages.ThreadSnapshot):
            check_references(message.node, max(definitions.n_nodes, 1), "stack")
            self._threads = message
        elif isinstance(message, messages.Status):
            self._gil_wait_ns = message.gil_wait_ns
        elif isinstance(message, messages.Ready):
            self.ready = message
        elif isinstance(message, messages.Rates):
            self._rates = message
        elif isinstance(message, messages.Bye):
            raise AttachError(message.reason or "the engine was asked to leave")
