"""States of threads over time, out of wall samples and CPU samples."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory_trace.slices import STATE, TASKS, Slice
from stackglass_viewer.model.memory_trace.thread_states import list_states
from stackglass_viewer.model.proto import wire_pb2

MS = 1_000_000
GIL, LOCK, CALL, SUSPENDED = 2, 3, 4, 6
Run = tuple[int, int, int]  # thread, time in units, ms
Wait = tuple[int, int, int, int]  # thread, time in units, state, ms


def list_of(
    runs: list[Run], waits: list[Wait], counts: list[int] | None = None, tasks: tuple[int, ...] = ()
) -> list[tuple[object, ...]]:
    """Slices in ms. ``tasks``: label sets of the waits, of the tasks a (1) and b (2)."""
    batch = wire_pb2.Batch(
        strings=["", "task", "a", "b"],
        node_parent=[0],
        node_location=[0],
        label_set=[1, 2],
        label_key=[1, 1],
        label_value=[2, 3],
        sample_node=[0] * len(runs),
        sample_tid=[run[0] for run in runs],
        sample_labels=[0] * len(runs),
        sample_time=[run[1] for run in runs],
        sample_count=[1] * len(runs),
        sample_cpu_ns=[run[2] * MS for run in runs],
        wall_node=[0] * len(waits),
        wall_tid=[wait[0] for wait in waits],
        wall_labels=tasks or [0] * len(waits),
        wall_time=[wait[1] for wait in waits],
        wall_count=counts or [1] * len(waits),
        wall_ns=[wait[3] * MS for wait in waits],
        wall_state=[wait[2] for wait in waits],
        wall_call=[0] * len(waits),
    )
    live = LiveProfile(connected_mono_ns=0)
    live.apply(wire_pb2.FromEngine(batch=batch))
    return [_to_ms(each) for each in list_states(live)]


def _to_ms(each: Slice) -> tuple[object, ...]:
    assert each.begin_ns % MS == each.end_ns % MS == 0
    return (each.tid, each.begin_ns // MS, each.end_ns // MS, each.category, each.name)


def test_a_wait_stands_before_its_moment() -> None:
    assert UNIT_NS == 10 * MS
    assert list_of([], [(7, 29, GIL, 100)]) == [(7, 200, 300, STATE, "waiting for the GIL")]


def test_neighbours_that_are_alike_are_one() -> None:
    waits = [(7, 9, LOCK, 100), (7, 19, LOCK, 100), (7, 39, LOCK, 100)]
    assert [each[1:3] for each in list_of([], waits)] == [(0, 200), (300, 400)]


def test_states_of_one_moment_share_the_time() -> None:
    waits = [(7, 29, GIL, 50), (7, 29, CALL, 150), (7, 29, GIL, 100)]
    found = list_of([], waits)
    assert found == [
        (7, 0, 150, STATE, "in a system call"),
        (7, 150, 300, STATE, "waiting for the GIL"),
    ]


def test_what_ran_stays_where_it_was_and_waits_fill_the_gaps() -> None:
    runs = [(7, 14, 10), (7, 24, 10)]
    assert list_of(runs, [(7, 29, LOCK, 180)]) == [
        (7, 100, 140, STATE, "waiting for a lock"),
        (7, 140, 150, STATE, "running"),
        (7, 150, 240, STATE, "waiting for a lock"),
        (7, 240, 250, STATE, "running"),
        (7, 250, 300, STATE, "waiting for a lock"),
    ]


def test_a_run_long_before_a_wait_does_not_lengthen_it() -> None:
    found = list_of([(7, 4, 10)], [(7, 29, LOCK, 100)])
    assert [each[1:3] for each in found] == [(40, 50), (200, 300)]


def test_more_than_there_is_time_for_is_cut_and_never_overlaps() -> None:
    found = list_of([(7, 9, 60), (7, 10, 60)], [(7, 9, LOCK, 40), (7, 19, CALL, 900)])
    assert [each[1:3] for each in found] == [(0, 40), (40, 110), (110, 200)]


def test_threads_are_apart() -> None:
    found = list_of([(8, 9, 50)], [(7, 9, GIL, 50)])
    assert [each[0] for each in found] == [7, 8]


def test_suspended_tasks_are_lanes_beside_their_thread() -> None:
    waits = [(7, 29, CALL, 100), (7, 29, SUSPENDED, 250), (7, 29, SUSPENDED, 500)]
    assert list_of([], waits, counts=[1, 1, 2], tasks=(0, 1, 2)) == [
        (7, 200, 300, STATE, "in a system call"),
        (7, 50, 300, TASKS, "a"),
        (7, 50, 300, TASKS, "b"),  # two of one name, for as long
    ]


@pytest.mark.parametrize("task", [0, 1])
def test_a_task_that_waits_on_is_one_slice(task: int) -> None:
    waits = [(7, 24, SUSPENDED, 250), (7, 49, SUSPENDED, 250)]
    found = list_of([], waits, tasks=(task, task))
    assert found == [(7, 0, 500, TASKS, "a" if task else "task")]


def test_stacks_of_one_moment_are_one_run() -> None:
    assert list_of([(7, 9, 3), (7, 9, 4)], []) == [(7, 93, 100, STATE, "running")]


def test_what_is_older_than_90_s_has_its_second() -> None:
    runs = [(7, 110, 10), (7, 130, 10), (8, 20_000, 10)]
    waits = [(7, 124, LOCK, 250), (7, 149, LOCK, 250), (8, 20_000, GIL, 10)]
    assert [each for each in list_of(runs, waits) if each[0] == 7] == [
        (7, 1480, 1980, STATE, "waiting for a lock"),
        (7, 1980, 2000, STATE, "running"),
    ]


def test_tasks_older_than_90_s_wait_for_all_of_the_reported_time() -> None:
    waits = [*((7, time, SUSPENDED, 250) for time in (124, 149, 174, 199)), (8, 20_000, GIL, 10)]
    found = list_of([], waits, tasks=(1, 1, 1, 1, 0))
    assert found[-1] == (7, 1000, 2000, TASKS, "a")


def test_the_oldest_have_no_time_and_are_left_out() -> None:
    later = 20 * 60 * 100
    runs, waits = [(7, 110, 10), (8, later, 10)], [(7, 124, LOCK, 250), (8, later, GIL, 10)]
    assert {each[0] for each in list_of(runs, waits)} == {8}
