"""Waits session: makes the engine watch locks, takes snapshots, waits for names, detaches.

::

    Hello ─▶ Ready ─▶ Rates ─▶ request: watch locks, snapshot
                                 └▶ snapshot ─▶ names of its locks and threads ─▶ second snapshot

The engine searches for the name of a lock once a thread has waited for it. So the first snapshot
starts the search, and the second one, which is reported, has the names. The second one also
confirms a cycle: a thread that gives up after a second is in no deadlock.
"""

from __future__ import annotations

from stackglass.attach.client import WAITS_FOR_GIL
from stackglass.attach.errors import ConnectionLostError
from stackglass.errors import AttachError
from stackglass.named_tuple import NamedTuple
from stackglass.wire import messages, reader, requests
from stackglass.wire.definitions import Definitions, check_references
from stackglass.wire.lock_names import LockTable, is_join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from stackglass.clock import Clock
    from stackglass.wire.frame_source import FrameSource

    Explain = Callable[[int], AttachError]
    """Makes the error for a missing answer; given for how many ns the engine has waited for the
    GIL."""

_POLL_S = 0.1
_NAMES_NS = 10_000_000_000
"""Limit for lock names to be settled. The engine settles them within 8 s on a busy machine."""
_THREAD_NAMES_NS = 500_000_000
"""Limit for thread names: a thread that has ended by then has none."""
_NEW_NAMES_NS = 300_000_000
"""Limit for locks that no thread waited for in the earlier snapshot: the engine pauses between two
searches."""
_LONG_NS = 300_000_000  # a longer wait for the first answer is shown to the user
_LEAST_FRACTION = 1_000_000_000
"""A mutex fraction at which locks are watched, but practically no release is sampled."""


class WaitsSnapshot(NamedTuple):
    """The engine's messages about one moment."""

    waits: messages.LockWaits
    threads: messages.ThreadSnapshot


class WaitsSession:
    """One connection. For one thread."""

    __slots__ = (
        "_clock",
        "_connection",
        "_explain",
        "_gil_wait_ns",
        "_is_requested",
        "_patience_ns",
        "_rates",
        "_show",
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
        show: Callable[[str], None],
    ) -> None:
        """``patience_ns``: the limit for each answer; ``explain`` makes the error after it.
        ``show`` is called with a sentence when an answer takes long."""
        self._connection = connection
        self._clock = clock
        self._patience_ns = patience_ns
        self._explain = explain
        self._show = show
        self._gil_wait_ns = 0
        self._is_requested = False
        self._rates: messages.Rates | None = None
        self._waits: messages.LockWaits | None = None
        self._threads: messages.ThreadSnapshot | None = None
        self.ready = messages.Ready()
        self.definitions = Definitions()
        self.locks = LockTable()

    def request(self) -> None:
        """Request what ``begin`` waits for. Raises ConnectionLostError."""
        # A snapshot of all stacks: the engine then takes the GIL once for it and the first names.
        self._connection.send(requests.encode_snapshot_threads())
        self._is_requested = True

    def begin(self) -> None:
        """Make the engine watch locks, at the rate that another client has chosen, if any.

        Raises AttachError if there is no answer or locks cannot be watched, ConnectionLostError,
        WireError. So do the other methods, except ``end``.
        """
        if not self._is_requested:
            self.request()
        self._wait(lambda: self._rates is not None, self._patience_ns)
        rates = self._rates
        if rates is None:
            raise self._explain(self._gil_wait_ns)
        # A rate that this client requests, too, stays in force when the other client leaves.
        fraction = rates.mutex_fraction or _LEAST_FRACTION
        self._connection.send(requests.encode_set_contention_rates(mutex_fraction=fraction))

    def take_settled(self, before: WaitsSnapshot | None) -> tuple[WaitsSnapshot, WaitsSnapshot]:
        """Two snapshots: an earlier one (``before``, if given), and one with names."""
        if before is None:
            before = self.take()
            self._wait_for_names(before, None, _NAMES_NS)
        snapshot = self.take()
        self._wait_for_names(snapshot, before, _NEW_NAMES_NS)
        return before, snapshot

    def listen(self, duration_ns: int, is_stopped: Callable[[], bool]) -> bool:
        """Receive messages for some time; False if it was stopped."""
        self._wait(is_stopped, duration_ns)
        return not is_stopped()

    def take(self) -> WaitsSnapshot:
        """The waits-for graph and all stacks; names may still be missing."""
        self._waits = self._threads = None
        self._connection.send(requests.encode_snapshot_threads())
        self._connection.send(requests.encode_take_lock_waits())
        self._wait(lambda: self._waits is not None and self._threads is not None, self._patience_ns)
        if self._waits is None or self._threads is None:
            raise self._explain(self._gil_wait_ns)
        return WaitsSnapshot(self._waits, self._threads)

    def end(self) -> None:
        """Detach. The rates of this client end with it. Raises nothing if the engine has gone."""
        try:
            self._connection.send(requests.encode_detach())
        except ConnectionLostError:
            return

    def _wait_for_names(
        self, snapshot: WaitsSnapshot, before: WaitsSnapshot | None, patience_ns: int
    ) -> None:
        """Wait for names of threads and locks that are not in ``before``."""
        tids, locks = self._list_named(snapshot)
        if before is not None:
            old_tids, old_locks = self._list_named(before)
            tids, locks = tids - old_tids, locks - old_locks

        self._wait(
            lambda: all(map(self.definitions.name_thread, tids)),
            min(patience_ns, _THREAD_NAMES_NS),
        )
        self._wait(lambda: all(self.locks.get(lock).is_settled for lock in locks), patience_ns)

    def _list_named(self, snapshot: WaitsSnapshot) -> tuple[set[int], set[int]]:
        """The snapshot's threads, and those of its locks that are reported by name."""
        waits = snapshot.waits
        locks = {
            lock
            for lock, node in zip(waits.lock, waits.node)
            if self.locks.get(lock).has_holder and not is_join(self.definitions.list_lines(node))
        }
        return {*waits.tid, *waits.holder_tid, *snapshot.threads.tid} - {0}, locks

    def _wait(self, is_done: Callable[[], bool], patience_ns: int) -> None:
        """Receive messages until ``is_done``, or the time is over."""
        now_ns = self._clock.mono_ns()
        long_ns, until_ns = now_ns + _LONG_NS, now_ns + patience_ns
        while not is_done() and now_ns < until_ns:
            frame = self._connection.receive(min((until_ns - now_ns) / 1e9, _POLL_S))
            now_ns = self._clock.mono_ns()
            if self._rates is None and now_ns > long_ns:
                self._show(WAITS_FOR_GIL)
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
            raise AttachError(message.reason or "the engine was detached")
