"""From an engine's dump to threads and tasks."""

from __future__ import annotations

from typing import Any

import pytest

from stackglass.threads import report
from stackglass.threads.report import DumpedProcess, build_report
from stackglass.threads.session import Dump
from stackglass.wire import messages, thread_states
from stackglass.wire.definitions import Definitions
from stackglass.wire.system_calls import name_call

S = 10**9
FUTEX, EPOLL_WAIT = 202, 232


def define(*stacks: str) -> tuple[Definitions, list[int]]:
    """Nodes of stacks, each functions root first, joined by ``;``."""
    strings, functions, parents, locations, nodes = [""], [], [0], [0], []
    for stack in stacks:
        node = 0
        for name in stack.split(";"):
            strings.append(name)
            functions.append(len(strings) - 1)
            parents.append(node)
            locations.append(len(functions) - 1)
            node = len(parents) - 1
        nodes.append(node)
    definitions = Definitions()
    n = len(functions)
    definitions.add(
        messages.Batch(
            strings=strings,
            function_name=functions,
            function_system_name=functions,
            function_filename=[0] * n,
            function_start_line=[1] * n,
            location_function=range(n),
            location_line=[1] * n,
            node_parent=parents,
            node_location=locations,
        )
    )
    return definitions, nodes


def make_dump(stack: str, state: int, call: int = -1, task_stack: str = "", **facts: Any) -> Dump:
    definitions, (node, task_node) = define(stack, task_stack or "none")
    rows = messages.ThreadDump(
        time_mono_ns=10 * S,
        n_slices=1,
        is_whole=1,
        thread_tid=[100],
        thread_node=[node],
        thread_state=[state],
        thread_call=[call + 1],
        thread_name=["MainThread"],
        thread_daemon=[1],
        thread_interpreter=[0],
        thread_task=[0],
        thread_primitive=[0],
        thread_lock=[0],
        thread_since_mono_ns=[0],
        thread_holder=[0],
        thread_creator=[0],
        thread_creation=[0],
    )
    if task_stack:
        rows = rows._replace(
            task_id=[1, 2],
            task_name=["first", "Task-2"],
            task_node=[task_node, 0],
            task_state=[3, 1],
            task_tid=[100, 100],
            task_awaited=[9, 0],
            task_awaited_type=["Future", ""],
        )
    rows = rows._replace(**facts)
    return Dump(rows, definitions, messages.Ready(python_version="3.13.0"))


def build(dump: Dump, asleep_s: int = -1) -> report.Report:
    asleep_ns = {100: asleep_s * S} if asleep_s >= 0 else {}
    return build_report(dump, DumpedProcess(100, "app", asleep_ns))


LOOP = "app.main;asyncio.base_events.BaseEventLoop._run_once"
WORKER = "threading.Thread.run;concurrent.futures.thread._worker"


@pytest.mark.parametrize(
    ("stack", "state", "call", "expected", "wait"),
    [
        ("app.main", 1, -1, thread_states.RUNNING, ""),
        ("app.main", 2, FUTEX, thread_states.WAITING_FOR_GIL, ""),
        ("app.main;queue.Queue.get;threading.Condition.wait", 3, FUTEX,
         thread_states.WAITING_FOR_LOCK, "queue.Queue.get"),
        ("app.main", 4, 0, thread_states.IN_CALL, "read"),
        ("app.main", 0, -1, thread_states.UNKNOWN, ""),
        (f"{LOOP};selectors.EpollSelector.select", 4, EPOLL_WAIT, thread_states.IDLE,
         "epoll_wait"),
        (f"{LOOP};asyncio.events.Handle._run;selectors.X.select", 4, EPOLL_WAIT,
         thread_states.IN_CALL, "epoll_wait"),
        (WORKER, 3, FUTEX, thread_states.IDLE, "concurrent.futures.thread._worker"),
        (WORKER, 1, -1, thread_states.RUNNING, ""),
    ],
)  # fmt: skip
def test_states_of_threads(stack: str, state: int, call: int, expected: str, wait: str) -> None:
    (thread,) = build(make_dump(stack, state, call)).threads
    if wait and "." not in wait and call >= 0:
        wait = name_call(call)  # as this machine numbers them
    assert thread.wait == wait
    assert thread.state == expected
    assert thread.is_daemon is False


def test_how_long_a_thread_waits() -> None:
    """Since the moment that the hooks saw; else as long as the scheduler says, or longer."""
    dump = make_dump("app.main", 3, FUTEX)
    assert build(dump).threads[0].waited_ns == -1
    (thread,) = build(dump, asleep_s=3).threads
    assert (thread.waited_ns, thread.is_at_least) == (3 * S, True)
    known = dump._replace(rows=dump.rows._replace(thread_since_mono_ns=[8 * S]))
    (thread,) = build(known, asleep_s=3).threads
    assert (thread.waited_ns, thread.is_at_least) == (2 * S, False)
    assert build(make_dump("app.main", 1), asleep_s=3).threads[0].waited_ns == -1


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ("app.f;asyncio.tasks.sleep", "sleep"),
        ("app.f;asyncio.locks._ContextManagerMixin.__aenter__;asyncio.locks.Lock.acquire",
         "asyncio.Lock.acquire"),
        ("app.f;asyncio.queues.Queue.join;asyncio.locks.Event.wait", "asyncio.Queue.join"),
        ("app.f;asyncio.streams.StreamReader.read", "Future"),
    ],
)  # fmt: skip
def test_what_a_task_awaits(stack: str, expected: str) -> None:
    found = build(make_dump("app.main", 1, task_stack=stack))
    (task,) = found.tasks  # the other one is run by a thread
    assert (task.name, task.state, task.wait) == ("first", thread_states.SUSPENDED, expected)
    assert task.has_own_name


def test_what_created_a_task_and_how_long_it_waits() -> None:
    dump = make_dump("app.main", 1, task_stack="app.f")
    (node,) = set(dump.rows.thread_node)
    rows = dump.rows._replace(
        task_creator=[100, 0], task_creation=[node, 0], task_since_mono_ns=[8 * S, 0]
    )
    (task,) = build(dump._replace(rows=rows)).tasks
    assert (task.creator, task.waited_ns, task.is_older) == (100, 2 * S, False)
    assert [line.function for line in task.creation] == ["app.main"]
    (task,) = build(dump).tasks  # an engine of before
    assert (task.creator, task.creation, task.waited_ns) == (0, (), -1)


def test_a_task_from_before_the_attach_has_no_creator() -> None:
    dump = make_dump(report.BEFORE_ATTACH, 1, task_stack="app.f")
    rows = dump.rows._replace(task_creator=[0, 0], task_creation=[*dump.rows.thread_node, 0])
    (task,) = build(dump._replace(rows=rows)).tasks
    assert (task.is_older, task.creation) == (True, ())


def test_a_task_that_runs_is_its_threads() -> None:
    dump = make_dump("app.main", 1, task_stack="app.f", thread_task=[2])
    found = build(dump)
    assert (found.threads[0].task, found.threads[0].task_id) == ("Task-2", 2)
    assert [task.task_id for task in found.tasks] == [1]


def test_tasks_that_await_each_other() -> None:
    dump = make_dump("app.main", 1, task_stack="app.f", edge_task=[1, 1], edge_awaited=[2, 2])
    (task,) = build(dump).tasks
    assert (task.awaits, task.wait) == ((2,), "task Task-2")


def test_numbers_of_system_calls() -> None:
    assert name_call(232, "x86_64") == "epoll_wait"
    assert name_call(22, "aarch64") == "epoll_pwait"
    assert name_call(9999, "x86_64") == "system call 9999"
    assert name_call(1, "riscv64") == "system call 1"


@pytest.mark.parametrize(("state", "holder"), [(3, 101), (1, 0), (5, 0)])
def test_a_thread_that_has_been_woken_waits_for_no_lock(state: int, holder: int) -> None:
    """Its wait ends when it runs; until then it is still in the engine's list of waits."""
    dump = make_dump("app.main", state, thread_lock=[0x7F00], thread_holder=[101])
    (thread,) = build(dump).threads
    assert (thread.holder, thread.lock_address) == (holder, 0x7F00 if holder else 0)
