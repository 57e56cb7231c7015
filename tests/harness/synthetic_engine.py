"""Synthetic engine: sends the messages of a real engine, for tests of the live view."""

from __future__ import annotations

import time
from collections import deque

from harness.session_names import (
    DEMO_STACKS,
    MAIN_TID,
    WORKER_TID,
    SessionNames,
    Stack,
    make_stacks,
)
from stackglass.attach.errors import ConnectionLostError
from stackglass.wire import tags
from stackglass_viewer.model.proto.wire_pb2 import (
    Batch,
    Contention,
    ContentionStatus,
    FromEngine,
    Heap,
    HeapStatus,
    LockWaits,
    SetContentionRates,
    ThreadDump,
    ToEngine,
    TypeCensus,
)

__all__ = [
    "DEMO_STACKS",
    "MAIN_TID",
    "WORKER_TID",
    "HeldBlocks",
    "Stack",
    "SyntheticEngine",
    "Wait",
    "make_stacks",
]

_UNIT_NS = 10_000_000

HeldBlocks = tuple[Stack, int, int, int]  # allocations, bytes of each, frees

BucketSums = tuple[int, int, int, int]  # bucket, allocations, bytes of each, frees

Wait = tuple[int, str, Stack, Stack, int, int, int]
"""Kind, lock's name, stack, other stack, thread, count, total ns."""


class SyntheticEngine(SessionNames):
    """A ``Link``. Queued messages are received in order; ``sent`` has the viewer's requests.

    ``send_…`` may be called from any one thread while another receives.
    """

    def __init__(self, pid: int = 4711) -> None:
        super().__init__()
        self.pid = pid
        self.process_name = ""  # as the program named itself
        self.sent: list[ToEngine] = []
        self.is_closed = False
        self._out: deque[FromEngine | bytes | Exception] = deque()
        self.started_ns = time.monotonic_ns()
        self.n_samples = 0
        self.n_lost = 0
        self.share_error = (0, "")
        self.cpu_ns = 0
        self.cpu_hz = 100
        self.heap_rate = 0
        self.wall_hz = 0
        self.heap = HeapStatus(rss_bytes=50 << 20, attach_rss_bytes=20 << 20, is_listening_to_gc=1)
        self._n_buckets = 0
        self.census = TypeCensus(problem="not known")  # what is answered
        self.contention_rates = SetContentionRates()
        self.contention = ContentionStatus(lock_source="state word")
        self.lock_waits = LockWaits()  # what is answered
        self.thread_dump = ThreadDump(n_slices=1, is_whole=1)  # the answer to a request for a dump
        self._locks: dict[str, int] = {}
        self._waits: dict[tuple[int, str, Stack, Stack], list[int]] = {}  # bucket and its sums

    # -- the viewer's side

    def receive(self, timeout_s: float) -> bytes | None:
        deadline_s = time.monotonic() + timeout_s
        while not self._out:
            if time.monotonic() >= deadline_s:
                return None
            time.sleep(0.001)
        item = self._out.popleft()
        if isinstance(item, Exception):
            raise item
        return item if isinstance(item, bytes) else item.SerializeToString()

    def send(self, message: bytes) -> None:
        size, start = 0, 0
        for start, byte in enumerate(message):
            size |= (byte & 0x7F) << 7 * start
            if byte < 0x80:
                break
        said = ToEngine.FromString(message[start + 1 : start + 1 + size])
        self.sent.append(said)
        match said.WhichOneof("message"):
            case "set_rates":
                self.cpu_hz = said.set_rates.cpu_hz
                self._send_rates()
            case "set_heap_rate":
                self.heap_rate = said.set_heap_rate.rate
                self._send_rates()
            case "set_wall_rate":
                self.wall_hz = said.set_wall_rate.wall_hz
                self._send_rates()
            case "collect":
                self.heap.n_collects += 1
                self.send_heap()
            case "take_census":
                self._out.append(FromEngine(census=self.census))
            case "set_contention_rates":
                self.contention_rates = said.set_contention_rates
                self._send_rates()
            case "take_lock_waits":
                self._out.append(FromEngine(lock_waits=self.lock_waits))
            case "take_thread_dump":
                self._out.append(FromEngine(thread_dump=self.thread_dump))
            case "detach":
                self.send_bye()

    def close(self) -> None:
        self.is_closed = True

    def _send_rates(self) -> None:
        answer = FromEngine()
        answer.rates.cpu_hz, answer.rates.heap_rate = self.cpu_hz, self.heap_rate
        answer.rates.wall_hz = self.wall_hz
        for field in ("block_rate_ns", "mutex_fraction", "gil_hz", "has_other", "stall_ns"):
            setattr(answer.rates, field, getattr(self.contention_rates, field))
        self._out.append(answer)

    # -- the engine's side

    def send_hello(self) -> None:
        message = FromEngine()
        message.hello.protocol = tags.PROTOCOL_VERSION
        message.hello.pid = self.pid
        self._out.append(message)

    def send_ready(self, ago_s: float = 0.0) -> None:
        """Begin the session, now or earlier. For one that begins now, no client is late."""
        self.started_ns = time.monotonic_ns() - round(ago_s * 1e9)
        message = FromEngine()
        ready = message.ready
        ready.python_version = "3.13.0"
        ready.executable = "/usr/bin/python3"
        ready.argv.extend(["python3", "shop.py", "--busy"])
        ready.time_unix_ns = 1_700_000_000_000_000_000
        ready.time_mono_ns = self.started_ns
        ready.clock = "perf"
        self._out.append(message)

    def send_status(self, gil_wait_ns: int = 0, time_ns: int | None = None) -> None:
        message = FromEngine()
        status = message.status
        status.time_mono_ns = time.monotonic_ns() if time_ns is None else time_ns
        status.cpu_hz = self.cpu_hz
        status.n_samples = self.n_samples
        status.n_lost = self.n_lost
        status.process_cpu_ns = self.cpu_ns
        status.n_threads = 2
        status.gil_wait_ns = gil_wait_ns
        status.clock = "perf"
        status.process_name = self.process_name
        status.share_error_points, status.share_error_cause = self.share_error
        self._out.append(message)

    def pack_what_is_queued(self) -> list[bytes]:
        """Take back messages that were not received yet, encoded for the socket."""
        queued = list(self._out)
        self._out.clear()
        return [each.SerializeToString() for each in queued if isinstance(each, FromEngine)]

    def send_again(self, packed: bytes) -> None:
        """Send messages that were packed before."""
        self._out.append(packed)

    def send_samples(
        self,
        stacks: tuple[tuple[int, Stack], ...] = DEMO_STACKS,
        unit: int | None = None,
        route: str = "",
    ) -> None:
        """Send a sample of 10 ms for each stack, now or at a time in units of 10 ms."""
        message = FromEngine()
        batch = message.batch
        if unit is None:
            unit = (time.monotonic_ns() - self.started_ns) // _UNIT_NS
        label_set = self._label_set(batch, route) if route else 0
        for tid, stack in stacks:
            batch.sample_node.append(self._node(batch, stack))
            batch.sample_tid.append(tid)
            batch.sample_labels.append(label_set)
            batch.sample_time.append(unit)
            batch.sample_count.append(1)
            batch.sample_cpu_ns.append(_UNIT_NS)
            self._name_thread(batch, tid)
        self.n_samples += len(stacks)
        self.cpu_ns += len(stacks) * _UNIT_NS
        self._out.append(message)

    def send_threads(self) -> None:
        """Send the threads' present stacks, those of ``DEMO_STACKS``."""
        definitions, message = FromEngine(), FromEngine()
        for tid, stack in DEMO_STACKS[::3]:
            message.threads.tid.append(tid)
            message.threads.node.append(self._node(definitions.batch, stack))
            message.threads.labels.append(0)
            self._name_thread(definitions.batch, tid)
        message.threads.time_mono_ns = time.monotonic_ns()
        self._out.append(definitions)
        self._out.append(message)

    def send_heap(
        self,
        *blocks: HeldBlocks,
        full_ago_s: float | None = None,
        at_s: float | None = None,
    ) -> None:
        """Send a bucket for each of these blocks, and the status of the heap.

        ``at_s``: since the session's start; None = now. The blocks are allocated 0.1 s before.
        """
        definitions, message = FromEngine(), FromEngine()
        heap = message.heap
        for stack, allocs, size_bytes, frees in blocks:
            heap.bucket_node.append(self._node(definitions.batch, stack))
            heap.bucket_kind.append(0)
            heap.bucket_size.append(size_bytes)
            heap.bucket_rate.append(1)
            heap.bucket_labels.append(0)
            heap.value_bucket.append(self._n_buckets)
            self._n_buckets += 1
            for view in ("value_", "value_full_"):
                # At the last full collection half of them existed, and none had been freed.
                part, freed = (
                    (2, 0) if view == "value_full_" and full_ago_s is not None else (1, frees)
                )
                getattr(heap, f"{view}allocs").append(allocs // part)
                getattr(heap, f"{view}alloc_bytes").append(allocs // part * size_bytes)
                getattr(heap, f"{view}frees").append(freed)
                getattr(heap, f"{view}free_bytes").append(freed * size_bytes)
            if at_s is not None:
                self._add_event(heap, self._n_buckets - 1, at_s - 0.1, allocs, allocs * size_bytes)
            self.heap.n_samples += allocs
            self.heap.accounted_bytes += (allocs - frees) * size_bytes
        self._out.extend((definitions, message))
        self._send_heap_status(full_ago_s, at_s)

    def send_sums(self, *sums: BucketSums, at_s: float, has_events: bool = False) -> None:
        """Send sums of some buckets at a time. ``has_events``: each has allocated an object 0.1 s
        before."""
        message = FromEngine()
        heap = message.heap
        for bucket, allocs, size_bytes, frees in sums:
            heap.value_bucket.append(bucket)
            for view in ("value_", "value_full_"):
                getattr(heap, f"{view}allocs").append(allocs)
                getattr(heap, f"{view}alloc_bytes").append(allocs * size_bytes)
                getattr(heap, f"{view}frees").append(frees)
                getattr(heap, f"{view}free_bytes").append(frees * size_bytes)
            if has_events:
                self._add_event(heap, bucket, at_s - 0.1, 1, size_bytes)
        self._out.append(message)
        self._send_heap_status(None, at_s)

    @staticmethod
    def _add_event(heap: Heap, bucket: int, at_s: float, count: int, n_bytes: int) -> None:
        heap.event_bucket.append(bucket)
        heap.event_tid.append(MAIN_TID)
        heap.event_time.append(round(at_s * 100))
        heap.event_count.append(count)
        heap.event_bytes.append(n_bytes)
        heap.event_is_free.append(0)

    def _send_heap_status(self, full_ago_s: float | None, at_s: float | None) -> None:
        status = FromEngine()
        self.heap.time_mono_ns = (
            time.monotonic_ns() if at_s is None else self.started_ns + round(at_s * 1e9)
        )
        self.heap.rate = self.heap_rate
        if full_ago_s is not None:
            self.heap.full_mono_ns = self.heap.time_mono_ns - round(full_ago_s * 1e9)
        status.heap_status.CopyFrom(self.heap)
        self._out.append(status)

    def send_contention(self, *waits: Wait, at_s: float | None = None) -> None:
        """Send waits that have just happened, one after the other, and the grown sums. ``at_s``:
        since the session's start; None = now."""
        since_ns = time.monotonic_ns() - self.started_ns if at_s is None else round(at_s * 1e9)
        definitions, message = FromEngine(), FromEngine()
        reported = message.contention
        for kind, lock, stack, other, tid, count, total_ns in waits:
            sums = self._wait_sums(definitions.batch, reported, (kind, lock, stack, other))
            mean_ns = total_ns // count
            size = mean_ns.bit_length() - 1
            sums[1] += count
            sums[2] += total_ns
            sums[3] = max(sums[3], mean_ns)
            sums[4 + size] += count
            reported.value_bucket.append(sums[0])
            reported.value_count.append(sums[1])
            reported.value_total_ns.append(sums[2])
            reported.value_max_ns.append(sums[3])
            reported.delay_bucket.append(sums[0])
            reported.delay_log2.append(size)
            reported.delay_count.append(sums[4 + size])
            reported.event_bucket.append(sums[0])
            reported.event_tid.append(tid)
            reported.event_time.append(since_ns // _UNIT_NS)
            reported.event_count.append(count)
            reported.event_ns.append(total_ns)
            self._name_thread(definitions.batch, tid)
            self.contention.n_events += count
        self.contention.n_locks = len(self._locks)
        self.contention.time_mono_ns = self.started_ns + since_ns + _UNIT_NS
        self._out.extend((definitions, message))
        self._out.append(FromEngine(contention_status=self.contention))

    def _wait_sums(
        self, batch: Batch, reported: Contention, key: tuple[int, str, Stack, Stack]
    ) -> list[int]:
        """Return bucket, count, total, longest, and counts by size."""
        kind, lock, stack, other = key
        for name in ("", lock):
            if name not in self._locks:
                self._locks[name] = len(self._locks)
                reported.lock_primitive.append(self._string(batch, "Lock"))
                reported.lock_address.append(0x7F00 + 64 * len(self._locks))
                reported.named_lock.append(self._locks[name])
                reported.named_name.append(self._string(batch, name))
                reported.named_site.append(self._string(batch, f"{name.split('.')[0]}.py:1"))
        if key not in self._waits:
            self._waits[key] = [len(self._waits)] + [0] * 67
            reported.bucket_kind.append(kind)
            reported.bucket_primitive.append(self._string(batch, stack[-1]))
            reported.bucket_lock.append(self._locks[lock])
            reported.bucket_node.append(self._node(batch, stack))
            reported.bucket_other_node.append(self._node(batch, other) if other else 0)
            reported.bucket_labels.append(0)
            reported.bucket_other_labels.append(0)
        return self._waits[key]

    def make_waits(self, *waits: tuple[int, str, Stack, int]) -> None:
        """Set the answer to waits: threads that have waited a second for locks, with their holders
        (0 = unknown). Waiting threads that are also holders are in a deadlock."""
        definitions = FromEngine()
        now_ns = time.monotonic_ns()
        self.lock_waits = LockWaits(time_mono_ns=now_ns)
        answer = self.lock_waits
        for tid, lock, stack, holder in waits:
            answer.tid.append(tid)
            answer.lock.append(self._locks[lock])
            answer.primitive.append(self._string(definitions.batch, stack[-1]))
            answer.since_mono_ns.append(now_ns - 1_000_000_000)
            answer.holder_tid.append(holder)
            answer.node.append(self._node(definitions.batch, stack))
            answer.holder_node.append(0)
            answer.stuck.append(2 if tid in {each[3] for each in waits} else 0)
            self._name_thread(definitions.batch, tid)
        self._out.append(definitions)

    def make_census(self, *types: tuple[str, int, int], sampled: str, bucket: int) -> None:
        """Set the census: types of (name, objects, bytes), and 3 sampled blocks of one type."""
        definitions = FromEngine()
        self.census = TypeCensus(
            is_whole=1,
            duration_ns=1_200_000_000,
            longest_hold_ns=3_000_000,
            n_objects=sum(count for _, count, _ in types),
            type_name=[self._string(definitions.batch, name) for name, _, _ in types],
            type_count=[count for _, count, _ in types],
            type_bytes=[size for _, _, size in types],
            site_bucket=[bucket],
            site_type=[self._string(definitions.batch, sampled)],
            site_count=[3],
            site_bytes=[300],
        )
        self._out.append(definitions)

    def send_bye(self, reason: str = "") -> None:
        message = FromEngine()
        message.bye.reason = reason
        self._out.append(message)

    def send_end(self) -> None:
        """End the stream."""
        self._out.append(ConnectionLostError("the engine has left", "attach again"))
