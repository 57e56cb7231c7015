"""Wall samples and CPU samples as one profile."""

from __future__ import annotations

import pytest

from stackglass.errors import WireError
from stackglass.wire import messages
from stackglass.wire.recording import Recording
from stackglass.wire.thread_states import THREAD_STATES

RUNNING, LOCK, IN_CALL, PROCESSOR = 1, 3, 4, 5
EPOLL_WAIT = 233  # its number, plus 1
_LOOP = "asyncio.base_events.BaseEventLoop._run_once"
STACKS = (("main",), ("main", "wait"), ("main", _LOOP, "selectors.EpollSelector.select"))
_Wall = tuple[int, int, int, int, int, int]


def make_batch(*wall: _Wall, running: tuple[tuple[int, int, int, int], ...] = ()) -> messages.Batch:
    """``wall``: stack, thread, state, call, samples, ns; ``running``: stack, thread, samples, ns.
    Stacks by their place in STACKS."""
    names = sorted({name for stack in STACKS for name in stack})
    nodes: dict[tuple[str, ...], int] = {(): 0}
    for stack in STACKS:
        for depth in range(1, len(stack) + 1):
            nodes.setdefault(stack[:depth], len(nodes))
    order = sorted(nodes, key=lambda stack: nodes[stack])
    numbers = [nodes[stack] for stack in STACKS]
    columns = list(zip(*wall, strict=True)) or [()] * 6
    ran = list(zip(*running, strict=True)) or [()] * 4
    return messages.Batch(
        strings=["", *names],
        function_name=range(1, len(names) + 1),
        function_system_name=range(1, len(names) + 1),
        function_filename=[0] * len(names),
        function_start_line=[0] * len(names),
        location_function=range(len(names)),
        location_line=[0] * len(names),
        node_parent=[nodes[stack[:-1]] for stack in order],
        node_location=[names.index(stack[-1]) if stack else 0 for stack in order],
        thread_tid=[],
        thread_name=[],
        sample_node=[numbers[at] for at in ran[0]],
        sample_tid=ran[1],
        sample_labels=[0] * len(running),
        sample_time=[0] * len(running),
        sample_count=ran[2],
        sample_cpu_ns=ran[3],
        wall_node=[numbers[at] for at in columns[0]],
        wall_tid=columns[1],
        wall_state=columns[2],
        wall_call=columns[3],
        wall_labels=[0] * len(wall),
        wall_time=[0] * len(wall),
        wall_count=columns[4],
        wall_ns=columns[5],
    )


def list_rows(recording: Recording) -> list[tuple[dict[str, object], int, int]]:
    tables = recording.build_wall()
    sets = memoryview(tables.sample_labels.tobytes()).cast("I")
    counts, ns = (memoryview(column.tobytes()).cast("Q") for column in tables.sample_values)
    rows = zip(sets, counts, ns, strict=True)
    return [(dict(tables.label_sets[labels]), count, each) for labels, count, each in rows]


def record(*batches: messages.Batch) -> Recording:
    recording = Recording(100)
    for batch in batches:
        recording.add(batch)
    return recording


def test_waiting_is_counted_in_looks_and_running_is_cpu_time() -> None:
    batch = make_batch(
        (1, 7, LOCK, 0, 2, 20), (1, 7, LOCK, 0, 1, 10), running=((0, 7, 3, 33), (1, 8, 1, 5))
    )
    assert list_rows(record(batch)) == [
        ({"state": "running", "thread_id": "7"}, 3, 33),
        ({"state": "running", "thread_id": "8"}, 1, 5),
        ({"state": "waiting for a lock", "thread_id": "7"}, 3, 30),
    ]


def test_what_a_thread_wanted_and_did_not_run_it_waited_for_a_processor() -> None:
    """Seen to want one for 100 ns, of which it ran 60: the other 40 lie where it was seen to wait,
    in proportion."""
    batch = make_batch(
        (0, 7, RUNNING, 0, 2, 20),
        (0, 7, PROCESSOR, 0, 6, 60),
        (1, 7, PROCESSOR, 0, 2, 20),
        running=((0, 7, 6, 60),),
    )
    rows = [row for row in list_rows(record(batch)) if row[0]["state"] != "running"]
    assert rows == [
        ({"state": "waiting for a processor", "thread_id": "7"}, 3, 30),
        ({"state": "waiting for a processor", "thread_id": "7"}, 1, 10),
    ]


def test_a_thread_that_ran_all_the_time_waited_for_no_processor() -> None:
    """A look takes a processor away: what ran there seems to wait."""
    batch = make_batch((0, 7, PROCESSOR, 0, 5, 50), running=((0, 7, 5, 55),))
    assert [row[0]["state"] for row in list_rows(record(batch))] == ["running"]


def test_why_waiting_threads_are_not_sampled() -> None:
    """Kept at the end, when all is off; with samples it is why they end."""
    recording = Recording(100)
    recording.add(messages.Status(cpu_hz=100, wall_problem="no thread can be started"))
    recording.add(messages.Status(cpu_hz=0))
    assert recording.wall.problem == "no thread can be started"
    recording.add(make_batch((1, 7, LOCK, 0, 5, 50)))
    assert recording.wall.problem == ""
    assert recording.wall.why_stopped == "no thread can be started"
    recording.add(messages.Status(cpu_hz=100))
    assert recording.wall.why_stopped == ""


def test_an_event_loop_without_events_is_idle() -> None:
    batch = make_batch((2, 7, IN_CALL, EPOLL_WAIT, 1, 10), (1, 7, IN_CALL, EPOLL_WAIT, 1, 10))
    assert [row[0] for row in list_rows(record(batch))] == [
        {"state": "idle", "thread_id": "7"},
        {"state": "in a system call", "call": "epoll_wait", "thread_id": "7"},
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((1, 7, len(THREAD_STATES), 0, 1, 1), f"refers to state {len(THREAD_STATES)}"),
        ((1, 7, LOCK, 0, 1, 2**63), "more than 63 bits"),
    ],
)
def test_rows_that_cannot_be(row: _Wall, message: str) -> None:
    with pytest.raises(WireError, match=message):
        record(make_batch(row))


def test_a_stack_that_was_never_defined() -> None:
    with pytest.raises(WireError, match="stack"):
        record(make_batch((1, 7, LOCK, 0, 1, 1))._replace(wall_node=[99]))
