"""A session with a message of every kind that a live profile keeps."""

from __future__ import annotations

from harness.synthetic_engine import MAIN_TID, WORKER_TID, SyntheticEngine
from stackglass_viewer.model.proto.wire_pb2 import Batch, CustomProfiles, FromEngine, Metrics, Rates

_STACK = ("__main__.main", "shop.store")
_LOCK = (0, "shop.LOCK", ("__main__.main", "Lock.acquire"), (), MAIN_TID, 3, 4_000_000)


def make_messages() -> list[bytes]:
    """Make the messages, encoded for the socket. The third message has the first samples."""
    engine = SyntheticEngine(4711)
    engine.send_hello()
    engine.send_ready()
    engine.send_samples(unit=5)
    engine.heap_rate = engine.wall_hz = 1
    for unit, route in ((10, "/a"), (1200, "/b"), (2400, "")):
        engine.send_samples(unit=unit, route=route)
    engine.n_lost = 2
    engine.send_status(time_ns=engine.started_ns + 25_000_000_000)
    engine.send_threads()
    engine.send_heap((_STACK, 10, 100, 2), at_s=4.0)
    engine.send_heap((_STACK[:1], 4, 50, 0), at_s=9.0)
    engine.send_sums((0, 20, 100, 5), at_s=12.0)
    engine.send_contention(_LOCK)
    engine.make_census(("dict", 4, 900), sampled="dict", bucket=0)
    engine.make_waits((MAIN_TID, "shop.LOCK", ("main", "Lock.acquire"), WORKER_TID))
    wall = Batch(
        wall_node=[1, 2],
        wall_tid=[MAIN_TID, WORKER_TID],
        wall_labels=[0, 0],
        wall_time=[1300, 1301],
        wall_count=[1, 2],
        wall_ns=[10_000_000, 20_000_000],
        wall_state=[1, 2],
        wall_call=[0, 0],
    )
    metrics = Metrics(
        time_mono_ns=engine.started_ns + 3 * 10**9,
        thread_ns=[0, 10**9, 0, 0, 0],
        task_ns=[0, 0, 5],
        n_collections=[5, 0, 1],
        paused_ns=[5000, 0, 1000],
    )
    own = CustomProfiles(
        profile_name=["app.open"], row=[0], row_profile=[0], row_node=[1], row_count=[3]
    )
    rest = (
        FromEngine(census=engine.census),
        FromEngine(lock_waits=engine.lock_waits),
        FromEngine(batch=wall),
        FromEngine(metrics=metrics),
        FromEngine(custom_profiles=own),
        FromEngine(rates=Rates(cpu_hz=100, heap_rate=1, wall_hz=1)),
    )
    return [*engine.pack_what_is_queued(), *(each.SerializeToString() for each in rest)]
