"""Messages of an engine about contention, sent one by one, with times in seconds."""

from __future__ import annotations

from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import (
    Batch,
    Contention,
    ContentionStatus,
    FromEngine,
    LockWaits,
    Ready,
)

S = 1_000_000_000
START_NS = 50 * S
MAIN, WORKER, OTHER = 100, 101, 102

_STRINGS = (
    "",
    "_thread.lock.acquire",
    "_thread.lock.release",
    "m.take",
    "m.give",
    "m.py",
    "MainThread",
    "worker",
    "Lock",
    "m.LOCK",
    "m.py:3",
    "Lock.acquire",
    "Lock.release",
    "m.other",
)
N_STRINGS = len(_STRINGS)
_NUMBER = {text: number for number, text in enumerate(_STRINGS)}

TAKER, GIVER, OTHER_TAKER, HOLDER = 2, 4, 6, 3
"""The engine's nodes: m.take:31 ← acquire, m.give:7 ← release, m.other:50 ← acquire, m.give:7."""


class ContentionTalk:
    """A session with three stacks, two locks (``m.LOCK`` and one without a name), two threads."""

    def __init__(self, connected_mono_ns: int = 0) -> None:
        self.live = LiveProfile(connected_mono_ns)
        ready = Ready(time_unix_ns=10**18, time_mono_ns=START_NS)
        self.live.apply(FromEngine(ready=ready))
        functions = ("_thread.lock.acquire", "_thread.lock.release", "m.take", "m.give", "m.other")
        batch = Batch(
            strings=_STRINGS,
            function_name=[_NUMBER[name] for name in functions],
            function_system_name=[_NUMBER[name] for name in functions],
            function_filename=[0, 0, 5, 5, 5],
            function_start_line=[0, 0, 30, 6, 49],
            location_function=[0, 1, 2, 3, 4],
            location_line=[0, 0, 31, 7, 50],
            node_parent=[0, 0, 1, 0, 3, 0, 5],
            node_location=[0, 2, 0, 3, 1, 4, 0],
            thread_tid=[MAIN, WORKER],
            thread_name=[6, 7],
        )
        self.live.apply(FromEngine(batch=batch))
        locks = Contention(
            lock_primitive=[0, 8, 8],
            lock_address=[0, 0x1000, 0x2000],
            named_lock=[1],
            named_name=[9],
            named_site=[10],
        )
        self.live.apply(FromEngine(contention=locks))

    def define(
        self,
        *buckets: tuple[int, int, int, int],
        labels: tuple[int, ...] = (),
        other_labels: tuple[int, ...] = (),
    ) -> None:
        """Define buckets of (kind, lock, the engine's node, the other node). ``labels`` and
        ``other_labels``: their label sets; () = as an older engine, without."""
        kind, lock, node, other = zip(*buckets, strict=True)
        primitive = [_NUMBER["Lock.release" if each in (1, 2) else "Lock.acquire"] for each in kind]
        contention = Contention(
            bucket_kind=kind,
            bucket_primitive=primitive,
            bucket_lock=lock,
            bucket_node=node,
            bucket_other_node=other,
            bucket_labels=labels,
            bucket_other_labels=other_labels,
        )
        self.live.apply(FromEngine(contention=contention))

    def sums(self, seconds: float, *rows: tuple[int, int, int, int]) -> None:
        """Send rows of (bucket, count, ns, longest), and a status."""
        bucket, count, total, longest = zip(*rows, strict=True)
        contention = Contention(
            value_bucket=bucket, value_count=count, value_total_ns=total, value_max_ns=longest
        )
        self.live.apply(FromEngine(contention=contention))
        self.status(seconds)

    def delays(self, *rows: tuple[int, int, int]) -> None:
        """Send rows of (bucket, binary order of magnitude, count); a status must follow."""
        bucket, size, count = zip(*rows, strict=True)
        contention = Contention(delay_bucket=bucket, delay_log2=size, delay_count=count)
        self.live.apply(FromEngine(contention=contention))

    def events(self, *rows: tuple[int, int, float, int, int]) -> None:
        """Send events of (bucket, thread, seconds, count, ns)."""
        bucket, tid, seconds, count, total = zip(*rows, strict=True)
        contention = Contention(
            event_bucket=bucket,
            event_tid=tid,
            event_time=[round(each * 100) for each in seconds],
            event_count=count,
            event_ns=total,
        )
        self.live.apply(FromEngine(contention=contention))

    def status(self, seconds: float) -> None:
        status = ContentionStatus(
            time_mono_ns=START_NS + round(seconds * S), block_rate_ns=1, mutex_fraction=1
        )
        self.live.apply(FromEngine(contention_status=status))

    def waits(
        self,
        seconds: float,
        *rows: tuple[int, int, float | None, int],
        inside: tuple[int, ...] = (),
        taken: tuple[int, ...] = (),
        stuck: tuple[int, ...] = (),
    ) -> None:
        """Send waits of (thread, lock, since or None, holder or 0); all of them are in m.take.

        ``inside`` has a 1 for each row whose holder is known only by its ``with`` block, ``taken``
        a 1 for each whose holder took the lock last, ``stuck`` a 1 or 2 for each in such a cycle.
        """
        tid, lock, since, holder = zip(*rows, strict=True)
        waits = LockWaits(
            time_mono_ns=START_NS + round(seconds * S),
            tid=tid,
            lock=lock,
            primitive=[_NUMBER["Lock.acquire"]] * len(rows),
            since_mono_ns=[0 if each is None else START_NS + round(each * S) for each in since],
            holder_tid=holder,
            node=[TAKER] * len(rows),
            holder_node=[HOLDER if each else 0 for each in holder],
            holder_inside=inside,
            holder_taken=taken,
            stuck=stuck,
        )
        self.live.apply(FromEngine(lock_waits=waits))
