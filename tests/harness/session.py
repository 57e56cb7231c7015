"""Attached session with time limits on all waits for messages."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from operator import add

from harness.stacks import Stacks, is_in
from stackglass.attach.client import Connection
from stackglass.attach.entry import attach
from stackglass.attach.errors import ConnectionLostError
from stackglass.wire import messages, reader, requests
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.contention_recording import ContentionRecording
from stackglass.wire.definitions import Definitions
from stackglass.wire.heap_recording import HeapRecording, HeapView

PATIENCE_S = 120.0
_SNAPSHOT_EVERY_S = 0.1


class SessionError(AssertionError):
    """A message that a test waited for did not arrive."""


class Session:
    """Attaches on construction; a context manager that disconnects at its end.

    Disconnecting is not detaching: the engine notices by itself that its last client has gone.
    Raises what ``stackglass.attach`` raises.
    """

    def __init__(self, pid: int, hz: int = 100, clock: str = "auto") -> None:
        self._asked = time.monotonic()
        self._hello: messages.Hello | None = None
        self._ready: messages.Ready | None = None
        self.status = messages.Status()
        self.stacks = Stacks()
        self.heap = HeapRecording(Definitions())
        self.n_heap_events = 0
        self.contention = ContentionRecording(Definitions())
        self.contention_messages: list[messages.Contention] = []
        self.lock_waits: messages.LockWaits | None = None  # the last snapshot
        self.creations: messages.ThreadCreations | None = None  # as last sent
        self.census: messages.TypeCensus | None = None  # the last one
        self.trace: messages.MemoryInfo | None = None  # as last sent
        self.custom: messages.CustomProfiles | None = None  # the program's own, last sent
        self.collections: list[tuple[int, int, int]] = []  # generation, pause ns, collected
        self.rates: messages.Rates | None = None  # as last announced
        self.frames_after_bye = 0
        self.standing: dict[int, int] = {}  # tid → node, as of the last thread snapshot
        self.bye: messages.Bye | None = None
        self.is_at_end = False
        self._connection: Connection = attach(pid, hz=hz, clock=clock)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect."""
        self._connection.close()

    @property
    def ready(self) -> messages.Ready:
        """The engine's message about the process; waits for it."""
        self._wait(lambda: self._ready is not None, "Ready")
        assert self._ready is not None
        return self._ready

    @property
    def n_samples(self) -> int:
        """The number of samples received."""
        return self.stacks.sum_counts()

    def set_rate(self, hz: int) -> None:
        """Request another rate."""
        self._connection.send(requests.encode_set_cpu_rate(hz))

    def set_wall_rate(self, hz: int, function: str) -> None:
        """Request a rate of the wall profile, and wait for a stack with ``function``."""
        self._connection.send(requests.encode_set_wall_rate(hz))
        self._wait(lambda: self.stacks.has_wall(function), f"wall samples of {function}")

    def set_native(self, is_on: bool) -> None:
        """Request stacks with or without C frames, and wait until the engine has switched."""
        self._connection.send(requests.encode_set_native_stacks(is_on))
        self._wait(lambda: bool(self.status.is_native_ready) is is_on, "native stacks")

    def set_heap_rate(self, rate: int, has_native: bool = True) -> None:
        """Request a heap rate, and wait until the engine has installed its hooks."""
        self._connection.send(requests.encode_set_heap_rate(rate, has_native))

        def is_hooked(status: messages.HeapStatus) -> bool:
            is_decided = bool(status.is_native_seen or status.native_problem)
            return status.problem != "" or (status.rate == rate and is_decided)

        self.wait_for_heap(is_hooked)
        assert self.heap.problem == ""

    def set_contention_rates(
        self,
        block_ns: int | None = None,
        fraction: int | None = None,
        gil_hz: int | None = None,
        *,
        has_other: bool | None = None,
        stall_ns: int | None = None,
    ) -> None:
        """Request rates of contention, and wait until their hooks are installed."""
        rates = (block_ns, fraction, gil_hz, has_other, stall_ns)
        self._connection.send(requests.encode_set_contention_rates(*rates))
        names = ("block_rate_ns", "mutex_fraction", "gil_hz", "has_other", "stall_ns")
        asked = {name: rate for name, rate in zip(names, rates, strict=True) if rate is not None}
        self.wait_for_contention(
            lambda status: all(getattr(status, name) == rate for name, rate in asked.items())
        )

    def ask_for_stalls(self, stall_ns: int) -> None:
        """Request a threshold for stalls, and do not wait."""
        self._connection.send(requests.encode_set_contention_rates(stall_ns=stall_ns))

    def wait_for_contention(
        self, is_so: Callable[[messages.ContentionStatus], bool] = lambda status: True
    ) -> messages.ContentionStatus:
        """Wait for a new status for which ``is_so``, and until all buckets have names."""
        now_ns = time.monotonic_ns()

        def has_come() -> bool:
            status = self.contention.status
            assert status is None or not status.problem, status
            return (
                status is not None
                and status.time_mono_ns >= now_ns
                and status.n_unnamed == 0
                and is_so(status)
            )

        self._wait(has_come, "such contention")
        assert self.contention.status is not None
        return self.contention.status

    def list_contention(self, kind: ContentionKind) -> dict[str, tuple[int, int]]:
        """Return count and ns of a kind by stack: function names, leaf first, joined by `` < ``."""
        sums: dict[str, tuple[int, int]] = {}
        for row in self.contention.list_rows(kind):  # some differ only in lines
            stack = " < ".join(reversed(self.stacks.find_stack(row.node)))
            n, ns = sums.get(stack, (0, 0))
            sums[stack] = n + row.contentions, ns + row.delay_ns
        return sums

    def take_lock_waits(self) -> messages.LockWaits:
        """Request a snapshot of the threads that wait for locks, and return it."""
        self.lock_waits = None
        self._connection.send(requests.encode_take_lock_waits())
        self._wait(lambda: self.lock_waits is not None, "lock waits")
        assert self.lock_waits is not None
        return self.lock_waits

    def collect(self) -> None:
        """Request a full collection in the process, and wait for its result."""
        n_before = self.heap.status.n_collects if self.heap.status else 0
        self._connection.send(requests.encode_collect())
        self.wait_for_heap(lambda status: status.n_collects > n_before)

    def take_census(self) -> messages.TypeCensus:
        """Request a count of the process's objects by type, and return it."""
        self.ask_for_census()
        return self.wait_for_census()

    def ask_for_census(self) -> None:
        """Request a census, and do not wait."""
        self.census = None
        self._connection.send(requests.encode_take_census())

    def wait_for_census(self) -> messages.TypeCensus:
        """Wait for the requested census, and return it."""
        self._wait(lambda: self.census is not None, "census")
        assert self.census is not None
        assert self.census.problem == ""
        return self.census

    def count_type(self, census: messages.TypeCensus, name: str) -> tuple[int, int]:
        """Return the number of objects of a type, and their bytes."""
        for row, of in enumerate(census.type_name):
            if self.stacks.find_string(of) == name:
                return census.type_count[row], census.type_bytes[row]
        return 0, 0

    def ask_for_collection(self) -> None:
        """Request a full collection, and do not wait."""
        self._connection.send(requests.encode_collect())

    def sum_sites(self, census: messages.TypeCensus, function: str) -> dict[str, tuple[int, int]]:
        """Sum sampled blocks and bytes (unscaled) by type, over the stacks with a function."""
        sums: dict[str, tuple[int, int]] = {}
        for bucket, of, n, size in zip(
            census.site_bucket, census.site_type, census.site_count, census.site_bytes, strict=True
        ):
            if is_in(function, self.stacks.find_stack(self.heap.find_node(bucket))):
                name = self.stacks.find_string(of)
                n_before, size_before = sums.get(name, (0, 0))
                sums[name] = (n_before + n, size_before + size)
        return sums

    def wait_for_heap(
        self, is_so: Callable[[messages.HeapStatus], bool] = lambda status: True
    ) -> messages.HeapStatus:
        """Wait for a new heap status for which ``is_so``, and until all buckets have names."""
        now_ns = time.monotonic_ns()

        def has_come() -> bool:
            status = self.heap.status
            return (
                status is not None
                and (status.time_mono_ns >= now_ns or status.problem != "")
                and status.n_unnamed == 0
                and is_so(status)
            )

        self._wait(has_come, "such a heap")
        assert self.heap.status is not None
        return self.heap.status

    def sum_heap(self, function: str, view: HeapView = HeapView.LIVE) -> tuple[int, int, int, int]:
        """Sum objects and bytes allocated, and in use, over the stacks with a function."""
        sums = [0, 0, 0, 0]
        for row in self.heap.list_rows(view):
            if is_in(function, self.stacks.find_stack(row.node)):
                values = row.alloc_objects, row.alloc_bytes, row.inuse_objects, row.inuse_bytes
                sums = [*map(add, sums, values)]
        return sums[0], sums[1], sums[2], sums[3]

    def wait_for_rate(self, hz: int) -> None:
        """Wait until the engine has announced the rate."""
        self._wait(lambda: self.rates is not None and self.rates.cpu_hz == hz, f"rate {hz}")

    def watch_gil_wait(self) -> int:
        """Wait for Ready. Returns the longest wait for the GIL reported before, in ns."""
        longest_ns = 0
        deadline = time.monotonic() + PATIENCE_S
        while self._ready is None and time.monotonic() < deadline and not self.is_at_end:
            self._receive(0.1)
            longest_ns = max(longest_ns, self.status.gil_wait_ns)
        self._wait(lambda: self._ready is not None, "Ready")
        return longest_ns

    def wait_for_gil_wait(self, at_least_ns: int) -> float:
        """Wait until the engine has waited for the GIL for so long. Returns seconds from attach."""
        reported = f"a wait of {at_least_ns} ns for the GIL"
        self._wait(lambda: self.status.gil_wait_ns >= at_least_ns, reported)
        return time.monotonic() - self._asked

    def wait_for_status(self) -> None:
        """Wait until the engine has sent everything recorded up to now."""
        now_ns = time.monotonic_ns()
        self._wait(lambda: self.status.time_mono_ns > now_ns, "status")

    def wait_for_samples(self, n: int) -> None:
        """Wait for ``n`` more samples."""
        wanted = self.n_samples + n
        self._wait(lambda: self.n_samples >= wanted, f"{n} samples")

    def wait_for_silence(self, seconds: float) -> None:
        """Wait until no sample has arrived for so long; on a busy machine some are late."""
        deadline = time.monotonic() + PATIENCE_S
        n_before = -1
        while self.n_samples != n_before:
            if time.monotonic() > deadline:
                raise SessionError(f"samples still arrive; {self._describe()}")
            n_before = self.n_samples
            self.read_for(seconds)

    def wait_for_function(self, function: str) -> float:
        """Wait until ``function`` is on a sampled stack, or on one of a thread snapshot. Returns
        seconds from the attach call to its arrival."""
        asked = 0.0
        deadline = time.monotonic() + PATIENCE_S
        while not self._has_seen(function):
            now = time.monotonic()
            if now > deadline:
                raise SessionError(f"no stack with {function}; {self._describe()}")
            if self._ready is not None and now - asked > _SNAPSHOT_EVERY_S:
                asked = now
                self._connection.send(requests.encode_snapshot_threads())
            self._receive(_SNAPSHOT_EVERY_S)
            if self.is_at_end:
                raise SessionError(f"it ended; {self._describe()}")
        return time.monotonic() - self._asked

    def wait_for_end(self, patience_s: float = PATIENCE_S) -> None:
        """Wait until the engine has closed the connection."""
        deadline = time.monotonic() + patience_s
        while not self.is_at_end:
            if time.monotonic() > deadline:
                raise SessionError(f"it did not end; {self._describe()}")
            self._receive(0.1)

    def detach(self) -> None:
        """Detach, and wait until the engine has confirmed it and closed the connection."""
        self._connection.send(requests.encode_detach())
        self.wait_for_end()
        if self.bye is None or self.bye.reason:
            raise SessionError(f"a detach ended with {self.bye}; {self._describe()}")

    def read_for(self, seconds: float) -> None:
        """Receive messages for some time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self.is_at_end:
            self._receive(left)

    @contextlib.contextmanager
    def reading_in_background(self) -> Iterator[None]:
        """Receive messages on another thread while the block runs."""
        stop = threading.Event()

        def read() -> None:
            while not stop.is_set() and not self.is_at_end:
                self._receive(0.05)

        reader = threading.Thread(target=read)
        reader.start()
        try:
            yield
        finally:
            stop.set()
            reader.join()

    def _has_seen(self, function: str) -> bool:
        nodes = {node for _, node in self.stacks.counts} | set(self.standing.values())
        return any(is_in(function, self.stacks.find_stack(node)) for node in nodes if node)

    def _wait(self, is_done: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not is_done():
            if time.monotonic() > deadline or self.is_at_end:
                raise SessionError(f"no {what}; {self._describe()}")
            self._receive(0.1)

    def _receive(self, timeout_s: float) -> None:
        """Receive one message, if one arrives in time."""
        try:
            frame = self._connection.receive(timeout_s)
        except ConnectionLostError:
            self.is_at_end = True
            return
        message = None if frame is None else reader.decode(frame)
        self.frames_after_bye += message is not None and self.bye is not None
        if isinstance(message, messages.Hello):
            self._hello = message
        elif isinstance(message, messages.Ready):
            self._ready = message
        elif isinstance(message, messages.Rates):
            self.rates = message
        elif isinstance(message, messages.Batch):
            self.stacks.add(message)
        elif isinstance(message, messages.Heap):
            self.heap.add(message, self.stacks.n_nodes)
            self.n_heap_events += len(message.event_bucket)
            self.collections += zip(
                message.collection_generation,
                message.collection_pause_ns,
                message.collection_collected,
                strict=True,
            )
        elif isinstance(message, messages.Contention):
            self.contention.add(message, self.stacks.n_strings, self.stacks.n_nodes)
            self.contention_messages.append(message)
        elif isinstance(message, messages.ContentionStatus):
            self.contention.status = message
        elif isinstance(message, messages.LockWaits):
            self.lock_waits = message
        elif isinstance(message, messages.ThreadCreations):
            self.creations = message
        elif isinstance(message, messages.CustomProfiles):
            self.custom = message
        elif isinstance(message, messages.MemoryInfo):
            self.trace = message
        elif isinstance(message, messages.TypeCensus):
            self.census = message
        elif isinstance(message, messages.HeapStatus):
            self.heap.status = message
        elif isinstance(message, messages.Status):
            self.status = message
        elif isinstance(message, messages.Bye):
            self.bye = message
        elif isinstance(message, messages.ThreadSnapshot):
            self.standing = dict(zip(message.tid, message.node, strict=True))

    def _describe(self) -> str:
        return (
            f"hello {self._hello}, ready {self._ready}, {self.n_samples} samples, "
            f"{self.status}, bye {self.bye}"
        )
