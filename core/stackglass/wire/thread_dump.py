"""Rows of a thread dump: each thread, and each task and greenlet that no thread runs, once."""

from __future__ import annotations

from stackglass.errors import EngineError
from stackglass.named_tuple import NamedTuple
from stackglass.wire.definitions import Definitions, check_references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Protocol

    from stackglass.wire import messages
    from stackglass.wire.definitions import Line
    from stackglass.wire.pprof import LabelSet

    class DumpNames(Protocol):
        """What a dump refers to: ``Definitions``, or ``DefinitionColumns`` of the viewer."""

        @property
        def strings(self) -> Sequence[str]:
            """The strings, by their numbers."""

        @property
        def n_nodes(self) -> int:
            """Number of stacks."""

        def list_lines(self, node: int) -> tuple[Line, ...]:
            """Return the frames of a stack, leaf first."""

        def list_labels(self, label_set: int) -> Iterable[tuple[str, str]]:
            """Return keys and values of a label set."""


_TASK_STATES = range(1, 4)
_MOST_THREAD_STATE = 4
_TASK_RUNNING = 1
_TASK = "task"
_GREENLET = "greenlet"


class DumpRow(NamedTuple):
    """A thread, a task or a suspended greenlet."""

    node: int
    tid: int  # a task has that of its event loop's thread; 0 = not known
    labels: int
    task: str = ""  # the task's name; "" = the row is no task
    greenlet: str = ""  # the greenlet's name, else its class; "" = the row is no greenlet


def list_gaps(n_slices: int, is_whole: bool) -> tuple[str, ...]:
    """Return sentences on what a dump is not: of one moment, and whole."""
    moments = (
        f"This is not one moment: there was too much to read at once, and the program went on "
        f"between {n_slices} reads."
    )
    missing = (
        "Threads, tasks or greenlets are missing: there are too many, or the process has no "
        "memory left."
    )
    return (*((moments,) if n_slices > 1 else ()), *(() if is_whole else (missing,)))


def check(dump: messages.ThreadDump, definitions: DumpNames) -> None:
    """Check a dump. Raises WireError if it refers to something undefined."""
    n_nodes = max(definitions.n_nodes, 1)
    for nodes in (dump.thread_node, dump.thread_creation, dump.task_node, dump.task_creation):
        check_references(nodes, n_nodes, "stack")
    n_strings = max(len(definitions.strings), 1)
    check_references(dump.thread_primitive, n_strings, "string")
    check_references(dump.thread_state, _MOST_THREAD_STATE + 1, "state")
    check_references(dump.task_state, _TASK_STATES.stop, "state")


def list_rows(dump: messages.ThreadDump, is_leaked: bool) -> Iterator[DumpRow]:
    """Yield all rows, or with ``is_leaked`` only those that nothing can ever wake. A task that a
    thread runs has no row, because the thread's row stands for both; nor has a greenlet without a
    stack.

    Raises EngineError if the search for leaks has no result.
    """
    if is_leaked and dump.leak_problem:
        raise EngineError(f"cannot search for leaks: {dump.leak_problem}")
    leaked = dump.thread_leaked if is_leaked else [1] * len(dump.thread_tid)
    threads = zip(dump.thread_node, dump.thread_tid, dump.thread_labels, leaked)
    yield from (DumpRow(node, tid, labels) for node, tid, labels, is_wanted in threads if is_wanted)
    leaked = dump.task_leaked if is_leaked else [1] * len(dump.task_id)
    tasks = zip(dump.task_node, dump.task_tid, dump.task_labels, dump.task_name)
    types = dump.task_greenlet_type or [""] * len(dump.task_id)
    for (node, tid, label_set, name), state, greenlet, is_wanted in zip(
        tasks, dump.task_state, types, leaked
    ):
        if not is_wanted or state == _TASK_RUNNING or (greenlet and not node):
            continue
        if greenlet:
            yield DumpRow(node, tid, label_set, greenlet=name or greenlet)
        else:
            yield DumpRow(node, tid, label_set, name)


def label(row: DumpRow, definitions: Definitions) -> LabelSet:
    """Return the labels of the row and its thread, and the name of a task or greenlet as ``task``
    or ``greenlet``, unless the row has a label of that key."""
    pairs = definitions.label(row.tid, row.labels)
    kind, name = (_GREENLET, row.greenlet) if row.greenlet else (_TASK, row.task)
    if not name or any(key == kind for key, _ in pairs):
        return pairs
    return (*pairs, (kind, name))
