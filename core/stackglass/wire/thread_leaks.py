"""Threads and tasks of a dump that nothing can ever wake."""

from __future__ import annotations

from collections.abc import Iterator

from stackglass.errors import EngineError
from stackglass.wire import messages
from stackglass.wire.definitions import check_references


def check(dump: messages.ThreadDump, n_nodes: int) -> None:
    """Raises WireError if it refers to stacks that are not there."""
    for nodes in (dump.thread_node, dump.task_node):
        check_references(nodes, max(n_nodes, 1), "stack")


def list_rows(dump: messages.ThreadDump) -> Iterator[tuple[int, int, int]]:
    """Node, tid and label set of each; a task's tid is that of its event loop's thread, or 0.

    Raises EngineError if the search has no result.
    """
    if dump.leak_problem:
        raise EngineError(f"cannot search for leaks: {dump.leak_problem}")
    threads = zip(dump.thread_node, dump.thread_tid, dump.thread_labels, dump.thread_leaked)
    tasks = zip(dump.task_node, dump.task_tid, dump.task_labels, dump.task_leaked)
    for rows in (threads, tasks):
        yield from ((node, tid, labels) for node, tid, labels, is_leaked in rows if is_leaked)
