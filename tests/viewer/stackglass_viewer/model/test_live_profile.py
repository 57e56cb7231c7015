"""A growing profile: trees, spans, threads, loss, and that no time is ever forgotten."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from stackglass.errors import WireError
from stackglass_viewer.model.live_profile import SAMPLES, THREADS, LiveProfile, LiveView
from stackglass_viewer.model.proto.wire_pb2 import (
    Batch,
    FromEngine,
    Rates,
    Ready,
    Status,
    ThreadSnapshot,
)

S = 1_000_000_000
START_NS = 50 * S


def start(connected_mono_ns: int = 0) -> LiveProfile:
    """A session with the tree root → f (lines 1, 2) → g, and f → f."""
    live = LiveProfile(connected_mono_ns)
    ready = Ready(time_unix_ns=10**18, time_mono_ns=START_NS, executable="/usr/bin/python3")
    live.apply(FromEngine(ready=ready))
    live.apply(
        FromEngine(
            batch=Batch(
                strings=["", "m.f", "m.g", "m.py", "worker"],
                function_name=[1, 2],
                function_system_name=[1, 2],
                function_filename=[3, 3],
                function_start_line=[1, 9],
                location_function=[0, 0, 1],
                location_line=[1, 2, 9],
                #            0  1 f:1  2 f:2  3 f:1 g  4 f:2 g  5 f:1 f:2
                node_parent=[0, 0, 0, 1, 2, 1],
                node_location=[0, 0, 1, 2, 2, 1],
                thread_tid=[7],
                thread_name=[4],
            )
        )
    )
    return live


def sample(live: LiveProfile, *rows: tuple[int, int, float, int, int]) -> None:
    """Rows of (node, thread, seconds, samples, CPU ns)."""
    columns = list(zip(*rows, strict=True))
    live.apply(
        FromEngine(
            batch=Batch(
                sample_node=columns[0],
                sample_tid=columns[1],
                sample_labels=[0] * len(rows),
                sample_time=[round(seconds * 100) for seconds in columns[2]],
                sample_count=columns[3],
                sample_cpu_ns=columns[4],
            )
        )
    )


def send_status(live: LiveProfile, seconds: float, n_lost: int = 0, cpu_ns: int = 0) -> None:
    live.apply(
        FromEngine(
            status=Status(
                time_mono_ns=START_NS + round(seconds * S),
                n_lost=n_lost,
                process_cpu_ns=cpu_ns,
                cpu_hz=100,
            )
        )
    )


def list_totals(view: LiveView) -> dict[str, int]:
    """Total by path of function names."""
    paths = [""]
    for node in range(1, view.tree.n_nodes):
        name = view.tree.frame_name[view.tree.frame[node]]
        paths.append(f"{paths[view.tree.parent[node]]}/{name}")
    totals = zip(paths, view.values.total.tolist(), strict=True)
    return {path: total for path, total in totals if total}


def test_lines_of_one_function_are_one_node() -> None:
    live = start()
    sample(live, (3, 7, 0, 1, 10), (4, 7, 0, 1, 20), (1, 7, 0, 1, 5))
    view = live.snapshot()
    assert list_totals(view) == {"": 35, "/m.f": 35, "/m.f/m.g": 30}
    assert view.tree.frame_file[view.tree.frame[2]] == "m.py"


def test_recursion_is_marked() -> None:
    live = start()
    sample(live, (5, 7, 0, 1, 10))
    view = live.snapshot()
    assert list_totals(view) == {"": 10, "/m.f": 10, "/m.f/m.f": 10}
    recursive = np.flatnonzero(view.tree.is_recursive)
    assert [view.tree.frame_name[view.tree.frame[node]] for node in recursive] == ["m.f"]


def test_sample_types() -> None:
    live = start()
    sample(live, (1, 7, 0, 3, 10), (3, 8, 0, 4, 20))
    live.apply(FromEngine(threads=ThreadSnapshot(tid=[7, 9], node=[3, 3])))
    assert list_totals(live.snapshot(sample_type=SAMPLES)) == {"": 7, "/m.f": 7, "/m.f/m.g": 4}
    standing = live.snapshot(sample_type=THREADS)
    assert list_totals(standing) == {"": 2, "/m.f": 2, "/m.f/m.g": 2}
    assert standing.values.unit == "count"
    live.apply(FromEngine(threads=ThreadSnapshot(tid=[7], node=[1])))
    assert list_totals(live.snapshot(sample_type=THREADS)) == {"": 1, "/m.f": 1}


def test_threads_are_distinguished_and_can_be_chosen() -> None:
    live = start()
    sample(live, (1, 7, 0, 3, 10), (3, 8, 0, 4, 20))
    view = live.snapshot(tids=frozenset([8]))
    assert list_totals(view) == {"": 20, "/m.f": 20, "/m.f/m.g": 20}
    rows = [(each.tid, each.name, each.value, each.is_shown) for each in view.threads]
    assert rows == [(7, "worker", 10, False), (8, "", 20, True)]


def test_the_last_seconds() -> None:
    live = start()
    sample(live, (1, 7, 1.0, 1, 10), (1, 7, 95.5, 1, 20), (3, 7, 99.5, 1, 40))
    send_status(live, 100)
    assert live.snapshot(10 * S).values.total[0] == 60
    assert live.snapshot(2 * S).values.total[0] == 40
    assert live.snapshot().values.total[0] == 70
    view = live.snapshot(10 * S)
    assert (view.span_ns, view.time_unix_ns) == (10 * S, 10**18 + 100 * S)
    assert live.snapshot().span_ns == 100 * S


def test_an_hour_is_folded_and_nothing_is_lost() -> None:
    live = start()
    for second in range(0, 3600, 2):
        sample(live, *((node, 7, second + node / 10, 1, node) for node in (1, 3, 4)))
    whole = live.snapshot(sample_type=SAMPLES)
    assert whole.values.total[0] == 1800 * 3
    assert live.snapshot().values.total[0] == 1800 * 8
    assert live._samples.n_rows < 1600
    assert live.snapshot(60 * S).values.total[0] == 30 * 8
    assert live.snapshot(600 * S, sample_type=SAMPLES).values.total[0] == 300 * 3


def test_clear_forgets_what_was_and_keeps_the_numbers() -> None:
    live = start()
    sample(live, (3, 7, 1, 1, 10))
    send_status(live, 2, n_lost=5, cpu_ns=100)
    before = live.snapshot()
    live.clear()
    assert live.snapshot().values.total[0] == 0
    assert live.snapshot().n_lost == 0
    sample(live, (3, 7, 3, 1, 4))
    after = live.snapshot()
    assert after.values.total[0] == 4
    assert after.tree.parent.tolist() == before.tree.parent.tolist()
    assert after.span_ns == round(1.01 * S)


def test_lost_samples_are_a_frame() -> None:
    live = start()
    sample(live, (1, 7, 0, 3, 30_000_000))
    send_status(live, 1, n_lost=4, cpu_ns=100_000_000)
    assert list_totals(live.snapshot(sample_type=SAMPLES))["/<lost samples>"] == 4
    # 100 ms were used and 30 sampled, but four at 100 Hz stand for 40 at most.
    assert list_totals(live.snapshot())["/<lost samples>"] == 40_000_000
    assert "/<lost samples>" not in list_totals(live.snapshot(tids=frozenset([7])))
    tables = live.export()
    assert (tables.n_lost, tables.lost_cpu_ns) == (4, 40_000_000)


def test_lost_samples_that_the_engine_files_count_once() -> None:
    live = start()
    live.apply(
        FromEngine(
            batch=Batch(
                strings=["<lost samples>"],
                function_name=[5],
                function_system_name=[5],
                function_filename=[0],
                function_start_line=[0],
                location_function=[2],
                location_line=[0],
                node_parent=[0],
                node_location=[3],
            )
        )
    )
    sample(live, (6, 7, 0, 3, 30))
    send_status(live, 1, n_lost=4, cpu_ns=100)
    assert list_totals(live.snapshot(sample_type=SAMPLES)) == {"": 4, "/<lost samples>": 4}


def test_what_a_session_had_lost_before_us_is_not_ours() -> None:
    live = start(connected_mono_ns=START_NS + 9 * S)
    send_status(live, 10, n_lost=100, cpu_ns=100)
    assert live.snapshot().n_lost == 0
    send_status(live, 11, n_lost=103, cpu_ns=200)
    assert live.snapshot().n_lost == 3
    assert live.snapshot().span_ns == 2 * S


def test_a_view_stays_as_it_was() -> None:
    live = start()
    sample(live, (3, 7, 0, 1, 10))
    view = live.snapshot()
    n_nodes, names = view.tree.n_nodes, view.tree.frame_name
    nodes = 5000
    live.apply(FromEngine(batch=Batch(node_parent=range(5, 5 + nodes), node_location=[1] * nodes)))
    sample(live, (nodes, 7, 1, 1, 10))
    assert (view.tree.n_nodes, view.tree.frame_name) == (n_nodes, names)
    assert view.values.total[0] == 10
    later = live.snapshot()
    assert later.tree.parent[:n_nodes].tolist() == view.tree.parent.tolist()
    assert later.tree.depth.max() > 4000


def test_exports_hold_what_was_asked_for() -> None:
    live = start()
    sample(live, (1, 7, 1.0, 1, 10), (3, 8, 99.5, 1, 40))
    send_status(live, 100)
    live.apply(FromEngine(rates=Rates(cpu_hz=250)))
    tables = live.export(10 * S)
    assert tables.rows.cpu_ns.tolist() == [40]
    assert (tables.duration_ns, tables.begin_unix_ns) == (10 * S, 10**18 + 90 * S)
    assert (tables.cpu_hz, tables.executable) == (250, "/usr/bin/python3")
    assert live.export(tids=frozenset([7])).rows.cpu_ns.tolist() == [10]


BAD = {
    "a string": Batch(function_name=[99], function_system_name=[0], function_filename=[0]),
    "a function": Batch(location_function=[99], location_line=[0]),
    "a location": Batch(node_parent=[0], node_location=[99]),
    "a later stack": Batch(node_parent=[99], node_location=[0]),
    "a name": Batch(thread_tid=[1], thread_name=[99]),
    "columns": Batch(node_parent=[0, 0], node_location=[0]),
    "a sample's stack": Batch(
        sample_node=[99],
        sample_tid=[1],
        sample_labels=[0],
        sample_time=[0],
        sample_count=[1],
        sample_cpu_ns=[1],
    ),
    "sample columns": Batch(sample_node=[1]),
    "an absurd number": Batch(
        sample_node=[1],
        sample_tid=[1],
        sample_labels=[0],
        sample_time=[0],
        sample_count=[1],
        sample_cpu_ns=[(1 << 64) - 1],
    ),
}


@pytest.mark.parametrize("batch", BAD.values(), ids=BAD.keys())
def test_references_to_nothing_are_refused(batch: Batch) -> None:
    with pytest.raises(WireError):
        start().apply(FromEngine(batch=batch))


def test_a_first_string_is_refused() -> None:
    with pytest.raises(WireError, match="string 0"):
        LiveProfile(0).apply(FromEngine(batch=Batch(strings=["x"])))


def test_views_may_be_taken_while_it_grows() -> None:
    live = start()
    is_over = threading.Event()
    totals: list[int] = []

    def look() -> None:
        while not is_over.is_set():
            totals.append(int(live.snapshot(sample_type=SAMPLES).values.total[0]))

    thread = threading.Thread(target=look)
    thread.start()
    for step in range(300):
        live.apply(FromEngine(batch=Batch(node_parent=[5 + step], node_location=[step % 3])))
        sample(live, (6 + step, 7, step / 10, 1, 1))
    is_over.set()
    thread.join(10)
    assert totals == sorted(totals)
    assert live.snapshot(sample_type=SAMPLES).values.total[0] == 300


def test_between_two_moments() -> None:
    live = start()
    sample(live, (1, 7, 1.0, 1, 10), (3, 7, 1.5, 1, 20), (1, 7, 2.0, 1, 40))
    send_status(live, 3)
    view = live.snapshot(between=(150, 200))
    assert list_totals(view) == {"": 20, "/m.f": 20, "/m.f/m.g": 20}
    assert (view.between, view.span_ns) == ((150, 200), S // 2)
    assert live.snapshot(between=(200, 100)).values.total[0] == 30
    assert live.snapshot(between=(0, 10**6)).values.total[0] == 70


def test_between_old_moments_only_what_is_known() -> None:
    live = start()
    for second in range(2000):
        sample(live, (1, 7, second + 0.5, 1, 1))
    assert live.snapshot(between=(185_020, 185_030)).between == (185_000, 185_100)
    assert live.snapshot(between=(185_020, 185_030)).values.total[0] == 1
    assert live.snapshot(between=(199_920, 199_930)).values.total[0] == 0
    view = live.snapshot(between=(0, 150_000))
    begin, end = view.between
    assert 100_000 < begin <= 110_000  # before that, at no known time
    assert end == 150_000
    assert view.values.total[0] == (end - begin) // 100
    assert live.snapshot(between=(0, 50_000)).values.total[0] == 0
    assert live.snapshot().values.total[0] == 2000


def test_loss_between_two_moments() -> None:
    live = start()
    for second, n_lost in ((1, 2), (2, 2), (3, 7)):
        send_status(live, second, n_lost=n_lost, cpu_ns=second * 100_000_000)
    assert live.snapshot(between=(100, 200)).n_lost == 0
    assert live.snapshot(between=(200, 300)).n_lost == 5
    totals = list_totals(live.snapshot(between=(200, 300)))
    assert totals["/<lost samples>"] == 50_000_000
