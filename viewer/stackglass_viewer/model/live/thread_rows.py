"""Threads, tasks and greenlets of one moment, as rows of a tree that can be folded and searched.

::

    ▾ MainThread              idle        epoll_wait
        ▸ Task-3 and 11 more  suspended   sleep          equal stacks are one row
          poll                suspended   task worker
          mail                suspended   socket.recv    a greenlet
    ▸ no known thread
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from stackglass.threads.creators import find_creator
from stackglass.threads.report import GreenletEntry, Report, TaskEntry, ThreadEntry
from stackglass.wire.definitions import Line
from stackglass.wire.lock_names import PRIMITIVES

Key = tuple[object, ...]

NO_THREAD = "no known thread"
BEFORE_ATTACH = "before attach"
# Beginnings of the names of library functions that wait.
_WAITERS = (
    *PRIMITIVES,
    *("asyncio.", "selectors.", "select.", "socket.", "ssl.", "subprocess."),
    *("gevent.", "eventlet."),
)
_NOWHERE = Line("", "", 0)
_MOST_MEMBERS = 500  # rows of an open group; further members are only counted
_Member = TaskEntry | GreenletEntry
_Group = tuple[Key, list[_Member]]


@dataclass(frozen=True, slots=True)
class NowRow:
    """A thread, or one of the tasks, greenlets or groups below it."""

    key: Key  # identifies the row in the next dump
    depth: int
    name: str
    kind: str  # "thread", "task", "greenlet"; "" = none of these
    state: str = ""
    wait: str = ""  # the call in which the thread or task waits; "" = not known
    waited_ns: int = -1  # -1 = not known, or no wait
    is_at_least: bool = False  # ``waited_ns`` is a lower bound
    stack: tuple[Line, ...] = ()  # leaf first
    is_open: bool | None = None  # None = the row has no children
    creator: str = ""  # function, or BEFORE_ATTACH; "" = not known
    n_entries: int = 1  # tasks or greenlets of a group, also if they have rows of their own

    @property
    def place(self) -> Line:
        """The innermost line outside of library functions that wait; if there is none, the leaf."""
        own = (line for line in self.stack if not line.function.startswith(_WAITERS))
        leaf = self.stack[0] if self.stack else _NOWHERE
        return next(own, leaf)


def arrange_rows(report: Report, toggled: frozenset[Key], search: str = "") -> tuple[NowRow, ...]:
    """Return the visible rows. ``toggled``: threads that are folded, and groups that are open.

    ``search``: list only rows that contain this text, ignoring case, and the threads above them. No
    thread is folded then.
    """
    return tuple(_list_rows(report, toggled, search.casefold()))


def count_entries(rows: Iterable[NowRow]) -> Counter[str]:
    """Return the number of entries of each kind that a search has found, with the threads above
    them: no thread is folded."""
    counts: Counter[str] = Counter()
    for row in rows:
        if row.depth <= 1:  # deeper ones belong to a group, which has counted them
            counts[row.kind] += row.n_entries
    return counts


def _list_rows(report: Report, toggled: frozenset[Key], search: str) -> Iterator[NowRow]:
    below: dict[int, list[_Member]] = {}
    known = {thread.tid for thread in report.threads}
    members: Iterable[_Member] = chain(report.tasks, report.greenlets)
    for member in members:
        if not search or _is_found(member, search):
            below.setdefault(member.tid if member.tid in known else 0, []).append(member)
    for thread in sorted(report.threads, key=lambda each: _place_thread(each, report.pid)):
        own = below.get(thread.tid, [])
        if search and not own and not _is_found(thread, search):
            continue
        key: Key = ("thread", thread.tid)
        row = _make_thread(key, thread)
        yield from _list_family(row, own, toggled, bool(search))
    if 0 in below:
        row = NowRow(("thread", 0), 0, NO_THREAD, "")
        yield from _list_family(row, below[0], toggled, bool(search))


def _place_thread(thread: ThreadEntry, pid: int) -> tuple[bool, str, int]:
    """Return a sort key: the main thread first, the others by name, so that they keep their
    places."""
    return thread.tid != pid, thread.name.casefold(), thread.tid


def _is_found(entry: ThreadEntry | _Member, search: str) -> bool:
    functions = (line.function for line in entry.stack)
    texts = (entry.name, entry.state, entry.wait, _name_creator(entry), *functions)
    return any(search in text.casefold() for text in texts)


def _name_creator(entry: ThreadEntry | _Member) -> str:
    """Return the creator, as in ``NowRow``."""
    if isinstance(entry, GreenletEntry):
        return ""
    line = find_creator(entry.creation)
    if line is not None:
        return line.function
    return BEFORE_ATTACH if entry.is_older else ""


def _make_thread(key: Key, thread: ThreadEntry) -> NowRow:
    task = f", runs task {thread.task}" if thread.task else ""
    return NowRow(
        key,
        0,
        thread.name + task,
        "thread",
        thread.state,
        thread.wait,
        thread.waited_ns,
        thread.is_at_least,
        thread.stack,
        creator=_name_creator(thread),
    )


def _list_family(
    parent: NowRow, members: Sequence[_Member], toggled: frozenset[Key], is_search: bool
) -> Iterator[NowRow]:
    """Yield the row of a thread, and if it is open the rows below it."""
    is_open = is_search or parent.key not in toggled
    yield replace(parent, is_open=is_open if members else None)
    if not is_open:
        return
    for key, group in _group(parent.key, members):
        first = group[0]
        if len(group) == 1:
            yield _make_member(first, 1)
            continue
        is_group_open = key in toggled
        row = _make_member(first, 1)
        name = f"{row.name} and {len(group) - 1} more"
        waited_ns = max(map(_waited, group))
        group_row = replace(row, key=key, name=name, n_entries=len(group))
        yield replace(group_row, is_open=is_group_open, waited_ns=waited_ns)
        if is_group_open:
            yield from (_make_member(each, 2) for each in group[:_MOST_MEMBERS])
            if len(group) > _MOST_MEMBERS:
                yield NowRow((*key, "more"), 2, f"{len(group) - _MOST_MEMBERS} more", "")


def _group(parent: Key, members: Iterable[_Member]) -> list[_Group]:
    """Group the members with the same kind, state, wait, stack and creator. Tasks come first; the
    order depends on these values only, so it is the same in the next dump."""
    groups: dict[Key, list[_Member]] = {}
    creators: dict[tuple[int, bool], str] = {}  # by stack, which tasks of one creator share
    for member in members:
        creator = ""
        if isinstance(member, TaskEntry):
            place = id(member.creation), member.is_older
            if place not in creators:
                creators[place] = _name_creator(member)
            creator = creators[place]
        key = (*parent, _kind_of(member), member.state, member.wait, member.stack, creator)
        groups.setdefault(key, []).append(member)
    return sorted(groups.items(), key=lambda pair: _place_group(pair[1][0]))


def _place_group(first: _Member) -> tuple[bool, str, str, Sequence[Line], str]:
    is_greenlet = isinstance(first, GreenletEntry)
    return is_greenlet, first.state, first.wait, first.stack, _name_creator(first)


def _kind_of(member: _Member) -> str:
    return "task" if isinstance(member, TaskEntry) else "greenlet"


def _make_member(member: _Member, depth: int) -> NowRow:
    number = member.task_id if isinstance(member, TaskEntry) else member.greenlet_id
    kind = _kind_of(member)
    name = member.name or f"{number:#x}"
    return NowRow(
        (kind, number),
        depth,
        name,
        kind,
        member.state,
        member.wait,
        _waited(member),
        stack=member.stack,
        creator=_name_creator(member),
    )


def _waited(member: _Member) -> int:
    return member.waited_ns if isinstance(member, TaskEntry) else -1
