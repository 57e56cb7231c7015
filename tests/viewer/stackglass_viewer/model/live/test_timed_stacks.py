"""Stretches of a live session: where in time its rows are put."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass.wire.thread_states import RUNNING, THREAD_STATES, WAITING_FOR_LOCK
from stackglass_viewer.model.chart.stretches import Lane, Precision, Stretches
from stackglass_viewer.model.live.placed_stretches import (
    MomentRows,
    PlacedStretches,
    join_moments,
    place_rows,
)
from stackglass_viewer.model.live.timed_stacks import TimeQuery, list_live_stretches
from stackglass_viewer.model.live_profile import CPU, WALL, LiveProfile
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.model.proto.wire_pb2 import Batch, FromEngine, Ready, Status

S, MS = 1_000_000_000, 1_000_000
SPIN, LOAD = 1, 2  # stacks: m.spin; m.main, m.load
Sample = tuple[int, int, int, int]  # thread, stack, time in units of 10 ms, ms
Row = tuple[str, str, float, float]


def start() -> LiveProfile:
    live = LiveProfile(0)
    live.apply(FromEngine(ready=Ready(time_unix_ns=10**18, time_mono_ns=0)))
    batch = Batch(
        strings=["", "m.spin", "m.main", "m.load", "worker", "route", "/a"],
        function_name=[1, 2, 3],
        function_system_name=[1, 2, 3],
        function_filename=[0] * 3,
        function_start_line=[1] * 3,
        location_function=range(3),
        location_line=[1] * 3,
        node_parent=[0, 0, 3, 0],
        node_location=[0, 0, 2, 1],
        thread_tid=[7],
        thread_name=[4],
        label_set=[1],
        label_key=[5],
        label_value=[6],
    )
    # A parent comes before its child: 1 = spin, 2 = main, 3 = main;load.
    batch.node_parent[:] = [0, 0, 0, 2]
    batch.node_location[:] = [0, 0, 1, 2]
    live.apply(FromEngine(batch=batch))
    return live


def run(live: LiveProfile, *samples: Sample, labels: int = 0) -> None:
    batch = Batch(
        sample_node=[{SPIN: 1, LOAD: 3}[each[1]] for each in samples],
        sample_tid=[each[0] for each in samples],
        sample_labels=[labels] * len(samples),
        sample_time=[each[2] for each in samples],
        sample_count=[1] * len(samples),
        sample_cpu_ns=[each[3] * MS for each in samples],
    )
    live.apply(FromEngine(batch=batch))


def wait(live: LiveProfile, tid: int, state: str, at: int, ms: int) -> None:
    batch = Batch(
        wall_node=[1],
        wall_tid=[tid],
        wall_labels=[0],
        wall_time=[at],
        wall_count=[1],
        wall_ns=[ms * MS],
        wall_state=[THREAD_STATES.index(state)],
        wall_call=[0],
    )
    live.apply(FromEngine(batch=batch))


def show(live: LiveProfile, query: TimeQuery | None = None) -> Stretches:
    return list_live_stretches(live.capture_times(), query or TimeQuery(CPU))


def list_rows(stretches: Stretches) -> list[Row]:
    """Thread, innermost function, begin and end in ms."""
    tree = stretches.tree
    return [
        (
            lane.name,
            tree.frame_name[tree.frame[stretches.node[at]]],
            stretches.begin_ns[at] / MS,
            stretches.end_ns[at] / MS,
        )
        for number, lane in enumerate(stretches.lanes)
        for at in range(*stretches.slice_lane(number).indices(len(stretches.node)))
    ]


def test_a_row_ends_with_its_moment() -> None:
    live = start()
    run(live, (7, SPIN, 100, 10), (7, LOAD, 101, 4), (8, LOAD, 100, 3))
    assert list_rows(show(live)) == [
        ("worker", "m.spin", 1000, 1010),
        ("worker", "m.load", 1016, 1020),
        ("thread 8", "m.load", 1007, 1010),
    ]


def test_a_session_up_to_a_moment() -> None:
    """As while it is paused: what came later is left out, of samples of both kinds."""
    live = start()
    run(live, (7, SPIN, 100, 10), (7, LOAD, 119, 10), (8, LOAD, 120, 3))
    until = list_live_stretches(live.capture_times((0, 120)), TimeQuery(CPU))
    assert list_rows(until) == [
        ("worker", "m.spin", 1000, 1010),
        ("worker", "m.load", 1190, 1200),
    ]
    assert until.last_ns == 1200 * MS < show(live).last_ns
    wait(live, 8, RUNNING, at=100, ms=10)
    wait(live, 8, WAITING_FOR_LOCK, at=130, ms=10)
    assert len(list_rows(show(live, TimeQuery(WALL)))) == 4
    of_wall = list_live_stretches(live.capture_times((0, 120)), TimeQuery(WALL))
    assert max(end_ms for _, _, _, end_ms in list_rows(of_wall)) <= 1200


def test_without_wall_samples_there_is_no_wall_time() -> None:
    live = start()
    run(live, (7, SPIN, 100, 10))
    assert list_rows(show(live, TimeQuery(WALL))) == []
    wait(live, 8, WAITING_FOR_LOCK, at=100, ms=10)
    assert len(list_rows(show(live, TimeQuery(WALL)))) == 2


def test_rows_of_one_moment_stand_one_after_another() -> None:
    live = start()
    run(live, (7, SPIN, 100, 6), (7, LOAD, 100, 4))
    assert [row[1:] for row in list_rows(show(live))] == [
        ("m.spin", 1000, 1006),
        ("m.load", 1006, 1010),
    ]


def test_what_is_longer_than_its_moment_reaches_back() -> None:
    """Samples at 10 Hz: each says what was used in the tenth of a second before."""
    live = start()
    run(live, (7, SPIN, 109, 100), (7, LOAD, 119, 100), (7, SPIN, 121, 100))
    assert [row[1:] for row in list_rows(show(live))] == [
        ("m.spin", 1000, 1100),
        ("m.load", 1100, 1200),
        ("m.spin", 1200, 1220),  # no further than the row before
    ]


def test_old_rows_are_known_to_the_second() -> None:
    live = start()
    run(live, (7, SPIN, 100, 10), (7, SPIN, 150, 10), (7, LOAD, 160, 20))
    run(live, (7, SPIN, 11_100, 10))  # two minutes later: what was before is folded
    assert [row[1:] for row in list_rows(show(live))] == [
        ("m.spin", 1480, 1500),  # as far apart as the second allows
        ("m.load", 1980, 2000),
        ("m.spin", 111_000, 111_010),
    ]
    assert show(live).precision == Precision(0, 21_000 * MS)
    run(live, (7, SPIN, 120_000, 10))  # 18 minutes later
    assert show(live).precision == Precision(300_000 * MS, 1_110_000 * MS)


def test_threads_and_labels_are_filtered() -> None:
    live = start()
    run(live, (7, SPIN, 100, 10), (8, SPIN, 100, 10))
    run(live, (7, LOAD, 101, 10), labels=1)
    only = list_rows(show(live, TimeQuery(CPU, frozenset({8}))))
    assert [row[0] for row in only] == ["thread 8"]
    labelled = TimeQuery(CPU, labels=frozenset({("route", "/a")}), kinds=(("route", "/a"),))
    assert [row[1] for row in list_rows(show(live, labelled))] == ["m.load"]
    assert show(live, labelled).kind.tolist() == [0]


def test_filters_of_frames_change_the_stacks() -> None:
    live = start()
    run(live, (7, SPIN, 100, 10), (7, LOAD, 101, 10))
    steps = (Transform(TransformKind.FOCUS, "m.load"), Transform(TransformKind.MERGE, "m.load"))
    assert [row[1] for row in list_rows(show(live, TimeQuery(CPU, transforms=steps)))] == ["m.main"]


def test_the_wall_clock_has_threads_that_wait_with_their_state() -> None:
    live = start()
    run(live, (7, SPIN, 100, 10))
    wait(live, 7, WAITING_FOR_LOCK, 101, 10)
    live.apply(FromEngine(status=Status(time_mono_ns=2 * S, cpu_hz=100)))
    kinds = (("state", RUNNING), ("state", WAITING_FOR_LOCK))
    stretches = show(live, TimeQuery(WALL, kinds=kinds))
    assert [row[1:] for row in list_rows(stretches)] == [
        ("m.spin", 1000, 1010),
        ("m.spin", 1010, 1020),
    ]
    assert stretches.kind.tolist() == [0, 1]
    assert len(list_rows(show(live, TimeQuery(CPU, kinds=kinds)))) == 1


def test_after_a_clear_time_begins_there() -> None:
    live = start()
    run(live, (7, SPIN, 100, 10))
    live.clear()
    assert list_rows(show(live)) == []
    run(live, (7, LOAD, 200, 10))
    stretches = show(live)
    assert [row[1] for row in list_rows(stretches)] == ["m.load"]
    assert stretches.first_ns == 1010 * MS


@pytest.mark.parametrize("seed", range(5))
def test_parts_of_a_session_join_as_if_they_were_one(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows come table by table, also late ones, which lie in the time of other tables."""
    chance, live = np.random.default_rng(seed), start()
    for time in range(0, 40_000, 50):
        late = time - int(chance.integers(0, 20_000)) * (chance.random() < 0.02)
        for at in {time, max(late, 0)}:
            tid, stack = int(chance.integers(7, 12)), int(chance.choice([SPIN, LOAD]))
            run(live, (tid, stack, at, int(chance.integers(1, 15))))
    found = show(live)
    parts: list[MomentRows] = []
    monkeypatch.setattr(PlacedStretches, "add", lambda _, part: parts.append(part))
    monkeypatch.setattr(PlacedStretches, "build", lambda *_: None)
    show(live)
    assert len(parts) > 1
    monkeypatch.undo()
    at_once = PlacedStretches()
    at_once.add(join_moments(parts))
    span = (found.first_ns, found.last_ns)
    expected = at_once.build(found.tree, lambda tid: Lane(str(tid), tid), span, found.gap_ns)
    assert [lane.tid for lane in found.lanes] == [lane.tid for lane in expected.lanes]
    for name in ("lane_start", "node", "begin_ns", "end_ns", "kind"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    columns = (found.node, found.begin_ns, found.length_ns, found.kind)
    assert sum(column.itemsize for column in columns) == 17, "a session of hours has a million"
    for lane in range(found.n_lanes):
        rows = found.slice_lane(lane)
        assert (found.begin_ns[rows][1:] >= found.end_ns[rows][:-1]).all()


def test_a_session_without_samples_has_no_lanes() -> None:
    assert show(start()).n_lanes == 0


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_put_somewhere_in_their_order(seed: int) -> None:
    chance = np.random.default_rng(seed)
    n = 60
    lane = chance.integers(0, 3, n).astype(np.int32)
    width = chance.choice([1, 100], n).astype(np.int64)
    end = (chance.integers(100, 900, n) // width * width).astype(np.int32)
    length = chance.integers(1, 30_000_000, n)
    before = np.array([0, 990 * MS, 0])  # what is placed is later
    none = np.zeros(n, dtype=np.int32)
    rows = MomentRows(none, none, none, end, width.astype(np.int32), length)
    begin, stop, order = place_rows(lane, rows, before)
    assert sorted(order.tolist()) == list(range(n))
    assert (begin <= stop).all()
    for each in range(3):
        own = lane[order] == each
        assert (np.diff(end[order][own]) >= 0).all()
        assert (begin[own][1:] >= stop[own][:-1]).all()
        assert (begin[own] >= before[each]).all()
    assert (stop <= end[order].astype(np.int64) * 10_000_000).all()
    assert (stop - begin <= length[order] + 1).all()
