"""Wall samples of a session: states, the part that runs, idle threads, filters, bad messages."""

from __future__ import annotations

import pytest

from harness.counted_work import count_allocated_bytes
from stackglass.errors import WireError
from stackglass.wire.thread_states import (
    IN_CALL,
    SUSPENDED,
    THREAD_STATES,
    WAITING_FOR_LOCK,
    WAITING_FOR_PROCESSOR,
)
from stackglass_viewer.model.live.samples import make_rows
from stackglass_viewer.model.live.wall import drop_wall_filters, scale_waiting
from stackglass_viewer.model.live_profile import CPU, WALL, LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import Batch, FromEngine, Ready, Status

S = 1_000_000_000
MS = 1_000_000
NODES = {"spin": 1, "doze": 2, "worker": 3, "loop": 5}
LOOP = "asyncio.base_events.BaseEventLoop._run_once"
READ = 0  # the system call's number


def start() -> LiveProfile:
    live = LiveProfile(0)
    live.apply(FromEngine(ready=Ready(time_unix_ns=10**18, time_mono_ns=50 * S)))
    names = ["m.spin", "m.doze", "concurrent.futures.thread._worker", LOOP, "selectors.Poll.select"]
    n = len(names)
    batch = Batch(
        strings=["", *names, "route", "/a"],
        function_name=range(1, n + 1),
        function_system_name=range(1, n + 1),
        function_filename=[0] * n,
        function_start_line=[1] * n,
        location_function=range(n),
        location_line=[1] * n,
        node_parent=[0, 0, 0, 0, 0, 4],
        node_location=[0, 0, 1, 2, 3, 4],
        label_set=[1],
        label_key=[n + 1],
        label_value=[n + 2],
    )
    live.apply(FromEngine(batch=batch))
    live.apply(FromEngine(status=Status(time_mono_ns=60 * S, cpu_hz=100)))
    return live


def wait(
    live: LiveProfile,
    where: str,
    state: str,
    ms: int,
    *,
    tid: int = 7,
    call: int = -1,
    **asked: int,
) -> None:
    """One wall sample that stands for so long; ``at`` = second, ``labels`` = set."""
    batch = Batch(
        wall_node=[NODES.get(where, 0)],
        wall_tid=[tid],
        wall_labels=[asked.get("labels", 0)],
        wall_time=[asked.get("at", 1) * 100],
        wall_count=[ms // 10],
        wall_ns=[ms * MS],
        wall_state=[THREAD_STATES.index(state)],
        wall_call=[call + 1],
    )
    live.apply(FromEngine(batch=batch))


def run(live: LiveProfile, ms: int, tid: int = 7) -> None:
    """CPU samples of a thread."""
    batch = Batch(
        sample_node=[NODES["spin"]],
        sample_tid=[tid],
        sample_labels=[0],
        sample_time=[100],
        sample_count=[ms // 10],
        sample_cpu_ns=[ms * MS],
    )
    live.apply(FromEngine(batch=batch))


def sum_states(live: LiveProfile, key: str = "state", **asked: object) -> dict[str, int]:
    """Milliseconds by the value of a label."""
    view = live.snapshot(sample_type=WALL, **asked)  # type: ignore[arg-type] # by name
    sums: dict[str, int] = {}
    for bearer, labels in view.labelled.index.list_sets().items():
        for name, value in labels:
            ms = int(view.labelled.weights[bearer]) // MS
            if name == key and ms:
                sums[value] = sums.get(value, 0) + ms
    return sums


def test_threads_that_run_and_threads_that_wait_are_one_profile() -> None:
    live = start()
    run(live, 300)
    wait(live, "doze", IN_CALL, 500, tid=8, call=READ)
    wait(live, "doze", WAITING_FOR_LOCK, 200, tid=9)
    view = live.snapshot(sample_type=WALL)
    assert int(view.values.total[0]) == 1000 * MS
    assert view.values.unit == "nanoseconds"
    assert sum_states(live) == {"running": 300, "in a system call": 500, "waiting for a lock": 200}
    assert sum_states(live, "call") == {"read": 500}
    assert [(each.tid, each.value // MS) for each in view.threads] == [(7, 300), (8, 500), (9, 200)]
    assert int(live.snapshot(sample_type=CPU).values.total[0]) == 300 * MS


def test_cpu_samples_alone_are_no_wall_time() -> None:
    """With the wall rate off, the CPU time was shown as the wall time."""
    live = start()
    run(live, 300)
    assert int(live.snapshot(sample_type=WALL).values.total[0]) == 0
    assert sum_states(live) == {}
    assert live.export(is_wall=True).parts == ()
    wait(live, "doze", WAITING_FOR_LOCK, 200, tid=9, at=3)
    assert sum_states(live) == {"running": 300, "waiting for a lock": 200}
    assert sum_states(live, between=(0, 200)) == {}  # the wall sample came after this span
    assert sum_states(live, between=(0, 400)) == {"running": 300, "waiting for a lock": 200}
    assert len(live.export(is_wall=True).parts) == 2


def test_what_a_running_thread_did_not_get_is_waiting_for_a_processor() -> None:
    live = start()
    wait(live, "", "running", 600)
    wait(live, "spin", WAITING_FOR_PROCESSOR, 400)
    wait(live, "spin", WAITING_FOR_PROCESSOR, 50, tid=8)
    run(live, 900)
    assert sum_states(live) == {"running": 900, "waiting for a processor": 100 + 50}
    run(live, 900, tid=8)  # more than it was seen to want
    assert sum_states(live) == {"running": 1800, "waiting for a processor": 100}


def test_the_time_of_a_thread_does_not_go_through_the_rows_of_all() -> None:
    n = 1000
    tid, state = [each // 5 for each in range(5 * n)], [0, 0, 1, 1, 2] * n
    states = ("running", WAITING_FOR_PROCESSOR, WAITING_FOR_LOCK)
    rows = make_rows([0] * 5 * n, tid, state, [0] * 5 * n, [2] * 5 * n, [100] * 5 * n)
    kinds = [(0, each, 0) for each in states]
    cpu_ns = dict.fromkeys(range(n), 250)
    scaled = scale_waiting(rows, kinds, cpu_ns, 1)
    assert scaled.cpu_ns.tolist() == [75, 75, 100] * n
    assert scaled.count.tolist() == [2, 2, 2] * n
    assert count_allocated_bytes(lambda: scale_waiting(rows, kinds, cpu_ns, 1)) < 5 * n * 500


def test_workers_without_work_and_loops_without_events_are_idle() -> None:
    live = start()
    wait(live, "worker", WAITING_FOR_LOCK, 100)
    wait(live, "loop", IN_CALL, 200, call=READ)
    wait(live, "doze", WAITING_FOR_LOCK, 400)
    assert sum_states(live) == {"idle": 300, "waiting for a lock": 400}
    assert sum_states(live, "call") == {}


def test_suspended_tasks_are_no_part_of_what_a_thread_did() -> None:
    """They have the thread of their event loop, which went on meanwhile."""
    live = start()
    wait(live, "spin", WAITING_FOR_PROCESSOR, 1000)
    wait(live, "doze", SUSPENDED, 5000)
    run(live, 600)
    expected = {"running": 600, "waiting for a processor": 400, "suspended": 5000}
    assert sum_states(live) == expected


def test_states_are_filtered_as_labels_are() -> None:
    live = start()
    run(live, 300)
    wait(live, "doze", IN_CALL, 500, labels=1)
    wait(live, "doze", IN_CALL, 200)

    def total(*labels: tuple[str, str]) -> int:
        view = live.snapshot(sample_type=WALL, labels=frozenset(labels))
        return int(view.values.total[0]) // MS

    assert total(("state", "running")) == 300
    assert total(("state", "running"), ("state", IN_CALL)) == 1000
    assert total(("route", "/a")) == total(("route", "/a"), ("state", IN_CALL)) == 500
    state, route = ("state", "running"), ("route", "/a")
    assert drop_wall_filters(frozenset([state, route]), is_wall=False) == {route}
    assert drop_wall_filters(frozenset([state, route]), is_wall=True) == {state, route}


def test_spans_and_clearing_hold_for_waiting_threads() -> None:
    live = start()
    wait(live, "doze", IN_CALL, 500, at=1)
    wait(live, "doze", IN_CALL, 200, at=9)
    assert sum_states(live, span_ns=5 * S) == {IN_CALL: 200}
    assert sum_states(live) == {IN_CALL: 700}
    live.clear()
    assert sum_states(live) == {}


@pytest.mark.parametrize(
    "wrong",
    [{"wall_state": [len(THREAD_STATES)]}, {"wall_node": [99]}, {"wall_ns": [1, 2]}],
    ids=["state", "stack", "length"],
)
def test_what_is_not_defined_is_refused(wrong: dict[str, list[int]]) -> None:
    row = {
        "wall_node": [1],
        "wall_tid": [7],
        "wall_labels": [0],
        "wall_time": [1],
        "wall_count": [1],
        "wall_ns": [1],
        "wall_state": [3],
        "wall_call": [0],
    }
    with pytest.raises(WireError):
        start().apply(FromEngine(batch=Batch(**{**row, **wrong})))  # type: ignore[arg-type] # by name
