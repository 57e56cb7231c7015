"""Threads, tasks and greenlets of one moment as values: state, and what each waits for.

A task that a thread runs is no entry of its own: the thread's entry has its name and its stack.
"""

from __future__ import annotations

from stackglass.errors import AttachError
from stackglass.named_tuple import NamedTuple
from stackglass.threads.session import Dump
from stackglass.wire import messages
from stackglass.wire.definitions import Line
from stackglass.wire.system_calls import name_call
from stackglass.wire.thread_states import (
    IDLE,
    IN_CALL,
    NOT_BEGUN,
    READY,
    RUNNING,
    SUSPENDED,
    THREAD_STATES,
    UNKNOWN,
    WAITING_FOR_GIL,
    WAITING_FOR_LOCK,
    WAITING_FOR_PROCESSOR,
    is_idle,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

STATES = (
    RUNNING,
    WAITING_FOR_GIL,
    WAITING_FOR_PROCESSOR,
    READY,
    WAITING_FOR_LOCK,
    IN_CALL,
    SUSPENDED,
    NOT_BEGUN,
    UNKNOWN,
    IDLE,
)
"""All states, those that want the processor first."""

_TASK_STATES = ("", RUNNING, READY, SUSPENDED)
_TASK_RUNNING = 1
_GREENLET_NOT_BEGUN = 2
BEFORE_ATTACH = "<before attach>"
_DAEMON = (None, False, True)
_SLEEP = "asyncio.tasks.sleep"
_PRIMITIVES = ("_thread.", "threading.", "_queue.", "queue.", "concurrent.futures.")
_BEGINNINGS = ("threading.Thread.run", "threading.Thread._bootstrap_inner")
_PRIMITIVES_OF_ASYNCIO = ("asyncio.locks.", "asyncio.queues.")
_NUMBERED = "Task-"  # then a number: asyncio's name for a task that the program has not named

Labels = tuple[tuple[str, str], ...]  # key and value, sorted


def name_nameless(tid: int) -> str:
    """What to call a thread that has no name."""
    return f"thread {tid}"


class ThreadEntry(NamedTuple):
    """A thread."""

    tid: int
    name: str
    stack: tuple[Line, ...]  # leaf first
    state: str  # of STATES
    node: int = 0  # the stack's, in the definitions
    wait: str = ""  # what it waits in: "threading.Event.wait", "epoll_wait"; "" = not known
    waited_ns: int = -1  # -1 = it does not wait, or it is not known for how long
    is_at_least: bool = False  # it may have waited longer
    is_daemon: bool | None = None
    interpreter: int = 0
    task: str = ""  # name of the task that it runs
    task_id: int = 0
    lock_kind: str = ""  # "Lock"; "" = not known
    lock_address: int = 0
    holder: int = 0  # tid
    creator: int = 0  # tid; 0 = not known
    creation: tuple[Line, ...] = ()  # stack that started it; () = C code did
    is_older: bool = False  # than the attach: its creation is not known
    labels: Labels = ()
    is_leaked: bool = False  # nothing can ever wake it; False = it may wake, or was not searched


class TaskEntry(NamedTuple):
    """A task that no thread runs at this moment."""

    task_id: int
    name: str
    stack: tuple[Line, ...]
    state: str
    node: int = 0
    wait: str = ""  # "sleep", "asyncio.Lock.acquire", "Task worker", "Future"
    tid: int = 0  # thread of its event loop; 0 = not known
    awaits: tuple[int, ...] = ()  # tasks
    awaited_by: tuple[int, ...] = ()
    labels: Labels = ()
    is_leaked: bool = False
    waited_ns: int = -1  # -1 = it does not wait, or it is not known for how long
    creator: int = 0  # tid; 0 = not known
    creation: tuple[Line, ...] = ()  # stack that created it; () = not known
    is_older: bool = False  # than the attach: its creation is not known

    @property
    def has_own_name(self) -> bool:
        """Whether the program has named it."""
        is_numbered = self.name.startswith(_NUMBERED) and self.name[len(_NUMBERED) :].isdecimal()
        return bool(self.name) and not is_numbered


class GreenletEntry(NamedTuple):
    """A greenlet that is suspended or has not begun. One that runs is its thread's stack."""

    greenlet_id: int
    type_name: str  # "Greenlet", "Hub"
    own_name: str  # that the program gave it; "" = none
    stack: tuple[Line, ...]
    node: int = 0
    tid: int = 0  # thread that it belongs to; 0 = not known
    labels: Labels = ()
    state: str = SUSPENDED  # or NOT_BEGUN
    wait: str = ""  # what it waits in: "socket.recv", "greenlet worker"; "" = not known

    @property
    def name(self) -> str:
        """The greenlet's own name, or else its class's."""
        return self.own_name or self.type_name


class DumpedProcess(NamedTuple):
    """What is known of a process from outside."""

    pid: int
    command: str = ""
    asleep_ns: Mapping[int, int] = {}  # by thread: it has not run for at least this long


class LeakSearch(NamedTuple):
    """What a search for leaks has cost."""

    n_objects: int  # that were searched
    hold_ns: int  # how long the program stood still


class Report(NamedTuple):
    """A process at one moment."""

    pid: int
    python: str
    command: str
    time_unix_ns: int
    threads: tuple[ThreadEntry, ...]
    tasks: tuple[TaskEntry, ...]
    greenlets: tuple[GreenletEntry, ...]
    task_names: Mapping[int, str]  # of all tasks, by id
    n_slices: int = 1  # reads that the dump took; the program ran between them
    longest_hold_ns: int = 0  # longest time that a slice stopped the program
    longest_cpu_ns: int = 0  # longest CPU time of a slice
    is_whole: bool = True  # no thread, task or greenlet is missing
    search: LeakSearch | None = None  # None = leaks were not searched

    @property
    def is_one_moment(self) -> bool:
        """Whether the dump took one slice, during which the program did not run."""
        return self.n_slices == 1


def build_report(dump: Dump, process: DumpedProcess) -> Report:
    """The report of a dump."""
    rows, ready = dump.rows, dump.ready
    names = {
        task: name
        for at, (task, name) in enumerate(zip(rows.task_id, rows.task_name))
        if not _is_greenlet(rows, at)
    }
    return Report(
        process.pid,
        ready.python_version,
        process.command,
        ready.time_unix_ns + rows.time_mono_ns - ready.time_mono_ns,
        tuple(_make_thread(dump, at, names, process) for at in range(len(rows.thread_tid))),
        tuple(_list_tasks(dump, names)),
        tuple(_list_greenlets(dump)),
        names,
        rows.n_slices,
        rows.longest_hold_ns,
        rows.longest_cpu_ns,
        bool(rows.is_whole),
    )


def build_leak_report(dump: Dump, process: DumpedProcess) -> Report:
    """The report of those threads and tasks that nothing can ever wake, from a dump that was taken
    with a search. Raises AttachError if the search has no result."""
    rows, report = dump.rows, build_report(dump, process)
    if rows.leak_problem:
        raise AttachError(f"cannot search for leaks: {rows.leak_problem}")
    return report._replace(
        threads=tuple(thread for thread in report.threads if thread.is_leaked),
        tasks=tuple(task for task in report.tasks if task.is_leaked),
        greenlets=(),  # leaked greenlets are not searched
        search=LeakSearch(rows.n_leak_objects, rows.leak_hold_ns),
    )


def _make_thread(
    dump: Dump, at: int, names: Mapping[int, str], process: DumpedProcess
) -> ThreadEntry:
    rows = dump.rows
    tid, node = rows.thread_tid[at], rows.thread_node[at]
    stack = dump.definitions.list_lines(node)
    state = THREAD_STATES[rows.thread_state[at]]
    call = dump.definitions.strings[rows.thread_primitive[at]] if rows.thread_primitive[at] else ""
    is_blocked = state == WAITING_FOR_LOCK
    creation = dump.definitions.list_lines(rows.thread_creation[at])
    is_older = _is_before_attach(creation)
    thread = ThreadEntry(
        tid,
        rows.thread_name[at] or name_nameless(tid),
        stack,
        IDLE if is_idle(stack, state) else state,
        node,
        is_daemon=_DAEMON[min(rows.thread_daemon[at], 2)],
        interpreter=rows.thread_interpreter[at],
        task=names.get(rows.thread_task[at], ""),
        task_id=rows.thread_task[at],
        # A thread that was just woken still has a lock; its state shows that it no longer waits.
        lock_kind=call.partition(".")[0] if is_blocked else "",
        lock_address=rows.thread_lock[at] if is_blocked else 0,
        holder=rows.thread_holder[at] if is_blocked else 0,
        creator=rows.thread_creator[at],
        creation=() if is_older else creation,
        is_older=is_older,
        labels=_list_labels(dump, rows.thread_labels, at),
        is_leaked=bool(rows.thread_leaked and rows.thread_leaked[at]),
    )
    if state not in (WAITING_FOR_LOCK, IN_CALL):
        return thread
    since_ns = rows.thread_since_mono_ns[at]
    asleep_ns = process.asleep_ns.get(tid, -1)
    return thread._replace(
        wait=_name_wait(stack, state, call, rows.thread_call[at]),
        waited_ns=max(rows.time_mono_ns - since_ns, 0) if since_ns else asleep_ns,
        is_at_least=not since_ns and asleep_ns >= 0,
    )


def _is_before_attach(creation: tuple[Line, ...]) -> bool:
    return any(line.function == BEFORE_ATTACH for line in creation[:1])


def _list_labels(dump: Dump, label_sets: Sequence[int], at: int) -> Labels:
    label_set = label_sets[at] if label_sets else 0
    return tuple(sorted(dump.definitions.list_labels(label_set))) if label_set else ()


def _name_wait(stack: tuple[Line, ...], state: str, call: str, number: int) -> str:
    """The outermost primitive of a wait for a lock, or the system call."""
    if state == IN_CALL:
        return name_call(number - 1) if number else ""
    found = call
    for line in stack:
        if not line.function.startswith(_PRIMITIVES) or line.function in _BEGINNINGS:
            break
        found = line.function
    return found


def _list_tasks(dump: Dump, names: Mapping[int, str]) -> list[TaskEntry]:
    rows = dump.rows
    awaits, awaited_by = _list_edges(rows)
    nodes = {*rows.task_node, *rows.task_creation}
    stacks = {node: dump.definitions.list_lines(node) for node in nodes}
    tasks = []
    for at, task in enumerate(rows.task_id):
        state = _TASK_STATES[rows.task_state[at]]
        if rows.task_state[at] == _TASK_RUNNING or _is_greenlet(rows, at):
            continue
        stack = stacks[rows.task_node[at]]
        awaited = tuple(awaits.get(task, ()))
        wait = ""
        if state == SUSPENDED:
            wait = _name_await(stack, rows.task_awaited_type[at], awaited, names)
        since_ns = rows.task_since_mono_ns[at] if rows.task_since_mono_ns else 0
        creation = stacks[rows.task_creation[at]] if rows.task_creation else ()
        is_older = _is_before_attach(creation)
        tasks.append(
            TaskEntry(
                task,
                rows.task_name[at],
                stack,
                state,
                rows.task_node[at],
                wait,
                rows.task_tid[at],
                awaited,
                tuple(awaited_by.get(task, ())),
                _list_labels(dump, rows.task_labels, at),
                bool(rows.task_leaked and rows.task_leaked[at]),
                max(rows.time_mono_ns - since_ns, 0) if since_ns else -1,
                rows.task_creator[at] if rows.task_creator else 0,
                () if is_older else creation,
                is_older,
            )
        )
    return tasks


def _is_greenlet(rows: messages.ThreadDump, at: int) -> bool:
    """Whether this row of the tasks is a greenlet; an older engine sends no such column."""
    return bool(rows.task_greenlet_type and rows.task_greenlet_type[at])


def _list_greenlets(dump: Dump) -> Iterator[GreenletEntry]:
    rows = dump.rows
    if not any(rows.task_greenlet_type):
        return
    from stackglass.threads.greenlet_waits import name_link, name_wait  # here for start-up time

    names = {
        task: name or type_name
        for task, name, type_name in zip(rows.task_id, rows.task_name, rows.task_greenlet_type)
    }
    for at, type_name in enumerate(rows.task_greenlet_type):
        if type_name:
            stack = dump.definitions.list_lines(rows.task_node[at])
            yield GreenletEntry(
                rows.task_id[at],
                type_name,
                rows.task_name[at],
                stack,
                rows.task_node[at],
                rows.task_tid[at],
                _list_labels(dump, rows.task_labels, at),
                NOT_BEGUN if rows.task_state[at] == _GREENLET_NOT_BEGUN else SUSPENDED,
                name_wait(stack)
                or name_link(rows.task_awaited_type[at], names.get(rows.task_awaited[at], "")),
            )


def _list_edges(rows: messages.ThreadDump) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Two tables by task: the tasks that it awaits, and the tasks that await it."""
    awaits: dict[int, list[int]] = {}
    awaited_by: dict[int, list[int]] = {}
    for task, awaited in sorted(set(zip(rows.edge_task, rows.edge_awaited))):
        awaits.setdefault(task, []).append(awaited)
        awaited_by.setdefault(awaited, []).append(task)
    return awaits, awaited_by


def _name_await(
    stack: tuple[Line, ...], awaited_type: str, awaited: tuple[int, ...], names: Mapping[int, str]
) -> str:
    """What a suspended task waits for, in a few words."""
    if len(awaited) == 1:
        return f"task {names.get(awaited[0], '') or 'without a name'}"
    if awaited:
        return f"{len(awaited)} tasks"
    if stack and stack[0].function == _SLEEP:
        return "sleep"
    found = ""
    for line in stack:
        primitive = _name_primitive(line.function)
        if primitive:
            found = f"asyncio.{primitive}"
        elif found or not line.function.startswith("asyncio."):
            break
    return found or awaited_type


def _name_primitive(function: str) -> str:
    """``Lock.acquire`` of ``asyncio.locks.Lock.acquire``; "" = no method of a primitive."""
    if not function.startswith(_PRIMITIVES_OF_ASYNCIO):
        return ""
    _, _, kind, *method = function.split(".")
    return "" if kind.startswith("_") or len(method) != 1 else f"{kind}.{method[0]}"
