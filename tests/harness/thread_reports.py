"""Made-up reports of threads and tasks."""

from __future__ import annotations

from stackglass.threads.report import GreenletEntry, Report, TaskEntry, ThreadEntry
from stackglass.wire.definitions import Line
from stackglass.wire.thread_states import RUNNING, SUSPENDED

MAIN = 100


def make_stack(*functions: str) -> tuple[Line, ...]:
    """Make a stack, leaf first; each function has a file and a line of its own."""
    return tuple(Line(name, f"/srv/{name}.py", at + 1) for at, name in enumerate(functions))


def make_thread(name: str = "MainThread", tid: int = MAIN, **facts: object) -> ThreadEntry:
    thread = ThreadEntry(tid, name, make_stack("app.work", "app.main"), RUNNING)
    return thread._replace(**facts)  # type: ignore[arg-type]


def make_task(name: str = "Task-1", task_id: int = 0x1000, **facts: object) -> TaskEntry:
    task = TaskEntry(task_id, name, make_stack("app.poll"), SUSPENDED, wait="sleep")
    return task._replace(**facts)  # type: ignore[arg-type]


def make_greenlet(own_name: str = "", greenlet_id: int = 0x2000, **facts: object) -> GreenletEntry:
    greenlet = GreenletEntry(greenlet_id, "Greenlet", own_name, make_stack("app.serve"), tid=MAIN)
    return greenlet._replace(**facts)  # type: ignore[arg-type]


def make_report(*entries: ThreadEntry | TaskEntry | GreenletEntry, n_slices: int = 1) -> Report:
    tasks = tuple(entry for entry in entries if isinstance(entry, TaskEntry))
    return Report(
        MAIN,
        "3.13.0",
        "python app.py",
        1_700_000_000 * 10**9,
        tuple(entry for entry in entries if isinstance(entry, ThreadEntry)),
        tasks,
        tuple(entry for entry in entries if isinstance(entry, GreenletEntry)),
        {task.task_id: task.name for task in tasks},
        n_slices,
        longest_hold_ns=4_000_000,
        longest_cpu_ns=3_000_000,
    )
