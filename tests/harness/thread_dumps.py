"""Dumps of threads and tasks of a real process, with names in place of numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

from stackglass.attach.entry import attach
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import AttachError
from stackglass.threads.session import Dump, DumpSession
from stackglass.wire.frame_source import FrameSource

PATIENCE_NS = 60 * 10**9


class Seen(NamedTuple):
    """A thread or a task in a dump."""

    state: int
    stack: list[str]  # functions, leaf first
    tid: int = 0
    task: str = ""  # name of the task that a thread runs
    awaited: str = ""  # type of the future that a task awaits


def make_session(connection: FrameSource) -> DumpSession:
    return DumpSession(connection, SYSTEM_CLOCK, PATIENCE_NS, lambda gil: AttachError("silent"))


@contextlib.contextmanager
def dump_session(pid: int) -> Iterator[DumpSession]:
    """Open a session that detaches at its end."""
    with attach(pid, new_hz=0) as connection:
        session = make_session(connection)
        yield session
        session.end()


def list_functions(dump: Dump, node: int) -> list[str]:
    """List the functions of a stack, without the names of enclosing functions."""
    lines = dump.definitions.list_lines(node)
    return [line.function.rpartition(".")[2] for line in lines]


def list_threads(dump: Dump) -> dict[str, Seen]:
    """By name."""
    rows = dump.rows
    tasks = dict(zip(rows.task_id, rows.task_name, strict=True))
    return {
        rows.thread_name[at]: Seen(
            rows.thread_state[at],
            list_functions(dump, rows.thread_node[at]),
            tid,
            tasks.get(rows.thread_task[at], ""),
        )
        for at, tid in enumerate(rows.thread_tid)
    }


def list_tasks(dump: Dump) -> dict[str, Seen]:
    """By name."""
    rows = dump.rows
    return {
        name: Seen(
            rows.task_state[at],
            list_functions(dump, rows.task_node[at]),
            rows.task_tid[at],
            awaited=rows.task_awaited_type[at],
        )
        for at, name in enumerate(rows.task_name)
    }


def list_edges(dump: Dump) -> set[tuple[str, str]]:
    """Return the pairs of tasks and the tasks that they await."""
    names = dict(zip(dump.rows.task_id, dump.rows.task_name, strict=True))
    return {
        (names.get(task, "?"), names.get(awaited, "?"))
        for task, awaited in zip(dump.rows.edge_task, dump.rows.edge_awaited, strict=True)
    }
