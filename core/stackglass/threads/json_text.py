"""A report of threads and tasks for programs, as JSON."""

from __future__ import annotations

import json

from stackglass.threads.report import GreenletEntry, Report, TaskEntry, ThreadEntry
from stackglass.wire.definitions import Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def format_json(report: Report, indent: int | None = 2) -> str:
    """One object; ``indent`` None = on one line.

    A value is ``null`` if it is not known, or does not apply. A task that a thread runs is
    the thread's ``task``, and not among the tasks. Tasks refer to each other by ``id``.
    """
    return json.dumps(
        {
            "pid": report.pid,
            "python": report.python,
            "command": report.command,
            "time_unix_ns": report.time_unix_ns,
            "is_one_moment": report.is_one_moment,
            "is_whole": report.is_whole,
            "longest_gil_hold_ns": report.longest_hold_ns,
            "longest_gil_hold_cpu_ns": report.longest_cpu_ns,
            "leak_search": report.search._asdict() if report.search else None,
            "threads": [_describe_thread(thread) for thread in report.threads],
            "tasks": [_describe_task(task) for task in report.tasks],
            "greenlets": [_describe_greenlet(greenlet) for greenlet in report.greenlets],
        },
        indent=indent,
    )


def _describe_thread(thread: ThreadEntry) -> dict[str, Any]:
    lock = {
        "kind": thread.lock_kind,
        "address": thread.lock_address,
        "holder": thread.holder or None,
    }
    return {
        "tid": thread.tid,
        "name": thread.name,
        "is_daemon": thread.is_daemon,
        "interpreter": thread.interpreter,
        "state": thread.state,
        "waits_in": thread.wait or None,
        "waited_ns": thread.waited_ns if thread.waited_ns >= 0 else None,
        "is_waited_at_least": thread.is_at_least if thread.waited_ns >= 0 else None,
        "lock": lock if thread.lock_kind else None,
        "is_older_than_attach": thread.is_older,
        "creator": thread.creator or None,
        "creation": _describe_stack(thread.creation) if thread.creation else None,
        "task": {"id": thread.task_id, "name": thread.task} if thread.task_id else None,
        "labels": dict(thread.labels),
        "is_leaked": thread.is_leaked,
        "stack": _describe_stack(thread.stack),
    }


def _describe_task(task: TaskEntry) -> dict[str, Any]:
    return {
        "id": task.task_id,
        "name": task.name,
        "state": task.state,
        "tid": task.tid or None,
        "awaits": task.wait or None,
        "awaits_tasks": list(task.awaits),
        "awaited_by": list(task.awaited_by),
        "waited_ns": task.waited_ns if task.waited_ns >= 0 else None,
        "is_older_than_attach": task.is_older,
        "creator": task.creator or None,
        "creation": _describe_stack(task.creation) if task.creation else None,
        "labels": dict(task.labels),
        "is_leaked": task.is_leaked,
        "stack": _describe_stack(task.stack),
    }


def _describe_greenlet(greenlet: GreenletEntry) -> dict[str, Any]:
    return {
        "id": greenlet.greenlet_id,
        "name": greenlet.own_name or None,
        "type": greenlet.type_name,
        "state": greenlet.state,
        "waits_in": greenlet.wait or None,
        "tid": greenlet.tid or None,
        "labels": dict(greenlet.labels),
        "stack": _describe_stack(greenlet.stack),
    }


def _describe_stack(stack: tuple[Line, ...]) -> list[dict[str, Any]]:
    return [
        {"function": line.function, "file": line.file or None, "line": line.number or None}
        for line in stack
    ]
