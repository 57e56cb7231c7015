"""Messages of an engine about a heap, sent one by one, with times in seconds."""

from __future__ import annotations

from collections.abc import Iterable

from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import Batch, FromEngine, Heap, HeapStatus, Ready

S = 1_000_000_000
START_NS = 50 * S


class HeapTalk:
    """A session with the tree root → f (lines 1, 2) → g, applied to a live profile.

    The engine's nodes: 1 is f at line 1, 2 is f at line 2, 3 is g (line 9) called at line 1.
    """

    def __init__(self, connected_mono_ns: int = 0) -> None:
        self.live = LiveProfile(connected_mono_ns)
        ready = Ready(time_unix_ns=10**18, time_mono_ns=START_NS)
        self.live.apply(FromEngine(ready=ready))
        batch = Batch(
            strings=["", "m.f", "m.g", "m.py"],
            function_name=[1, 2],
            function_system_name=[1, 2],
            function_filename=[3, 3],
            function_start_line=[1, 9],
            location_function=[0, 0, 1],
            location_line=[1, 2, 9],
            node_parent=[0, 0, 0, 1],
            node_location=[0, 0, 1, 2],
        )
        self.live.apply(FromEngine(batch=batch))

    def define(self, *buckets: tuple[int, int], labels: tuple[int, ...] = ()) -> None:
        """Define buckets of (the engine's node, rate). ``labels``: label sets; () = without."""
        nodes, rates = zip(*buckets, strict=True)
        zeros = [0] * len(nodes)
        heap = Heap(
            bucket_node=nodes,
            bucket_kind=zeros,
            bucket_size=zeros,
            bucket_rate=rates,
            bucket_labels=labels,
        )
        self.live.apply(FromEngine(heap=heap))

    def sums(self, seconds: float, *rows: tuple[int, int, int, int, int], rss: int = 0) -> None:
        """Send rows of (bucket, allocs, bytes, frees, bytes), and a status."""
        heap = Heap(value_bucket=[row[0] for row in rows])
        for view in ("", "full_"):
            for i, name in enumerate(("allocs", "alloc_bytes", "frees", "free_bytes")):
                getattr(heap, f"value_{view}{name}").extend(row[1 + i] for row in rows)
        self.live.apply(FromEngine(heap=heap))
        self.status(seconds, rss=rss)

    def status(self, seconds: float, rss: int = 0, accounted: int = 0, n_lost: int = 0) -> None:
        status = HeapStatus(
            time_mono_ns=START_NS + round(seconds * S),
            rate=1,
            rss_bytes=rss,
            accounted_bytes=accounted,
            n_lost_events=n_lost,
        )
        self.live.apply(FromEngine(heap_status=status))

    def events(self, *rows: tuple[int, int, float, int, int], is_free: bool = False) -> None:
        """Send events of (bucket, thread, seconds, count, bytes)."""
        bucket, tid, seconds, count, n_bytes = zip(*rows, strict=True)
        heap = Heap(
            event_bucket=bucket,
            event_tid=tid,
            event_time=[round(each * 100) for each in seconds],
            event_count=count,
            event_bytes=n_bytes,
            event_is_free=[int(is_free)] * len(rows),
        )
        self.live.apply(FromEngine(heap=heap))

    def collections(self, rows: Iterable[tuple[float, int, int, int]]) -> None:
        """Send collections of (seconds, generation, pause ns, objects freed)."""
        seconds, generation, pause, freed = zip(*rows, strict=True)
        heap = Heap(
            collection_start_mono_ns=[START_NS + round(each * S) for each in seconds],
            collection_generation=generation,
            collection_pause_ns=pause,
            collection_tid=[7] * len(seconds),
            collection_collected=freed,
            collection_uncollectable=[0] * len(seconds),
        )
        self.live.apply(FromEngine(heap=heap))


def add_sample(live: LiveProfile, cpu_ns: int) -> None:
    """Apply one CPU sample of g to the profile of a ``HeapTalk``."""
    batch = Batch(
        sample_node=[3],
        sample_tid=[7],
        sample_labels=[0],
        sample_time=[100],
        sample_count=[1],
        sample_cpu_ns=[cpu_ns],
    )
    live.apply(FromEngine(batch=batch))
