"""Rows of a dump: each thread, and each task that no thread runs, once."""

from __future__ import annotations

from stackglass.errors import EngineError
from stackglass.named_tuple import NamedTuple
from stackglass.wire.definitions import Definitions, check_references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from stackglass.wire import messages
    from stackglass.wire.pprof import LabelSet

_TASK_STATES = range(1, 4)
_MOST_THREAD_STATE = 4
_TASK_RUNNING = 1
_TASK = "task"


class DumpRow(NamedTuple):
    """A thread or a task."""

    node: int
    tid: int  # a task's is that of its event loop's thread; 0 = not known
    labels: int
    task: str = ""  # its name; "" = it is a thread


def check(dump: messages.ThreadDump, definitions: Definitions) -> None:
    """Raises WireError if it refers to what is not there."""
    n_nodes = max(definitions.n_nodes, 1)
    for nodes in (dump.thread_node, dump.thread_creation, dump.task_node):
        check_references(nodes, n_nodes, "stack")
    n_strings = max(len(definitions.strings), 1)
    check_references(dump.thread_primitive, n_strings, "string")
    check_references(dump.thread_state, _MOST_THREAD_STATE + 1, "state")
    check_references(dump.task_state, _TASK_STATES.stop, "state")


def list_rows(dump: messages.ThreadDump, is_leaked: bool) -> Iterator[DumpRow]:
    """All, or those that nothing can ever wake.

    Raises EngineError if the search for these has no result.
    """
    if is_leaked and dump.leak_problem:
        raise EngineError(f"cannot search for leaks: {dump.leak_problem}")
    leaked = dump.thread_leaked if is_leaked else [1] * len(dump.thread_tid)
    threads = zip(dump.thread_node, dump.thread_tid, dump.thread_labels, leaked)
    yield from (DumpRow(node, tid, labels) for node, tid, labels, is_wanted in threads if is_wanted)
    leaked = dump.task_leaked if is_leaked else [1] * len(dump.task_id)
    tasks = zip(dump.task_node, dump.task_tid, dump.task_labels, dump.task_name)
    for row, state, is_wanted in zip(tasks, dump.task_state, leaked):
        if is_wanted and state != _TASK_RUNNING:
            yield DumpRow(*row)


def label(row: DumpRow, definitions: Definitions) -> LabelSet:
    """Labels of the row, those of its thread, and a task's name, unless it has a label ``task``."""
    pairs = definitions.label(row.tid, row.labels)
    has_name = not row.task or any(key == _TASK for key, _ in pairs)
    return pairs if has_name else (*pairs, (_TASK, row.task))
