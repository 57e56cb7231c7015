"""A report of threads, tasks and greenlets for people: equal stacks with equal states together.

::

    process 4242, Python 3.13.0: python app.py
    2026-11-22 01:10:33 +0000: 34 threads, 120 tasks

    Thread MainThread [4242], idle for at least 2.1 s, in epoll_wait:
      selectors.EpollSelector.select (/usr/lib/python3.13/selectors.py:468)
      …

    40 tasks, suspended, awaiting sleep: Task-3, Task-4, Task-5 and 37 more
      app.poll (/srv/app.py:31)
"""

from __future__ import annotations

import time

from stackglass.terminal_text import clean, format_duration
from stackglass.threads.label_text import quote_labels
from stackglass.threads.report import (
    STATES,
    GreenletEntry,
    Report,
    TaskEntry,
    ThreadEntry,
    name_nameless,
)
from stackglass.wire.definitions import Line
from stackglass.wire.thread_dump import list_gaps
from stackglass.wire.thread_states import NOT_BEGUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Union

    _Entry = Union[ThreadEntry, TaskEntry, GreenletEntry]

_MAX_NAMED = 3
_KINDS = {ThreadEntry: "thread", TaskEntry: "task", GreenletEntry: "greenlet"}


def format_report(report: Report) -> str:
    """Lines, without a line end after the last."""
    sections = [
        _format_head(report),
        *_format_groups(report.threads, report),
        *_format_groups(report.tasks, report),
        *_format_groups(report.greenlets, report),
    ]
    notes = list(_list_notes(report))
    return "\n\n".join([*sections, *(["\n".join(notes)] if notes else [])])


def format_line(line: Line) -> str:
    """``app.main (/srv/app.py:12)``."""
    number = f":{line.number}" if line.number else ""
    return f"{clean(line.function)} ({clean(line.file)}{number})"


def _format_head(report: Report) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(report.time_unix_ns / 1e9))
    command = f": {clean(report.command)}" if report.command else ""
    tasks = f", {_count(len(report.task_names), 'task')}" if report.task_names else ""
    n_new = sum(greenlet.state == NOT_BEGUN for greenlet in report.greenlets)
    if report.greenlets:
        tasks += f", {_count(len(report.greenlets) - n_new, 'suspended greenlet')}"
    if n_new:
        tasks += f", {n_new} not begun"
    if report.search:
        counts = f"{_count(len(report.threads), 'thread')}, {_count(len(report.tasks), 'task')}"
        return (
            f"process {report.pid}, Python {clean(report.python)}{command}\n"
            f"{when}: {counts} that nothing can ever wake"
        )
    return (
        f"process {report.pid}, Python {clean(report.python)}{command}\n"
        f"{when}: {_count(len(report.threads), 'thread')}{tasks}"
    )


def _format_groups(entries: Sequence[_Entry], report: Report) -> Iterator[str]:
    groups: dict[tuple[object, ...], list[_Entry]] = {}
    for entry in entries:
        relations = _describe_relations(entry, report)
        key = (entry.node, entry.state, entry.wait, relations, entry.labels)
        groups.setdefault(key, []).append(entry)
    ordered = sorted(groups.values(), key=lambda group: (STATES.index(group[0].state), -len(group)))
    for group in ordered:
        lines = [f"  {format_line(line)}" for line in group[0].stack]
        if not lines:
            lines = ["  (no Python frames)"]
        yield "\n".join([_title(group, report), *lines])


def _title(group: Sequence[_Entry], report: Report) -> str:
    first = group[0]
    state = _describe_state(group) + _describe_relations(first, report)
    state += f", {quote_labels(first.labels)}" if first.labels else ""
    kind = _KINDS[type(first)]
    if len(group) == 1:
        return f"{kind.capitalize()} {_name(first)}, {state}:"
    # Greenlets without a name of their own have their class's: print each name once.
    all_names = list(map(_name, group))
    if isinstance(first, GreenletEntry):
        all_names = list(dict.fromkeys(all_names))
    names = ", ".join(all_names[:_MAX_NAMED])
    n_more = len(all_names) - _MAX_NAMED
    return f"{len(group)} {kind}s, {state}: {names}{f' and {n_more} more' if n_more > 0 else ''}"


def _name(entry: _Entry) -> str:
    if isinstance(entry, ThreadEntry):
        has_name = entry.name != name_nameless(entry.tid)
        return f"{clean(entry.name)} [{entry.tid}]" if has_name else f"{entry.tid}"
    if isinstance(entry, GreenletEntry):
        return clean(entry.name)
    return clean(entry.name) or f"{entry.task_id:#x}"


def _describe_state(group: Sequence[_Entry]) -> str:
    first = group[0]
    text = first.state
    if isinstance(first, GreenletEntry):
        return f"{text}, waiting in {clean(first.wait)}" if first.wait else text
    known = (each for each in group if isinstance(each, (ThreadEntry, TaskEntry)))
    longest = max(known, key=_waited)
    if longest.waited_ns >= 0:
        least = "at least " if isinstance(longest, ThreadEntry) and longest.is_at_least else ""
        most = "up to " if len(group) > 1 and not least else ""
        text += f" for {most}{least}{format_duration(longest.waited_ns)}"
    waits = "awaiting" if isinstance(first, TaskEntry) else "in"
    return f"{text}, {waits} {clean(first.wait)}" if first.wait else text


def _waited(entry: ThreadEntry | TaskEntry) -> int:
    return entry.waited_ns


def _describe_relations(entry: _Entry, report: Report) -> str:
    """The entry's relations: a thread's task, its lock and that lock's holder; a task's awaiters; a
    greenlet's thread."""
    if isinstance(entry, GreenletEntry):
        name = next((each.name for each in report.threads if each.tid == entry.tid), "")
        return f", in thread {clean(name)} [{entry.tid}]" if name else ""
    if isinstance(entry, TaskEntry):
        names = [
            clean(report.task_names.get(task, "")) or f"{task:#x}" for task in entry.awaited_by
        ]
        return f", awaited by {_join(names)}" if names else ""
    text = f", runs task {clean(entry.task) or f'{entry.task_id:#x}'}" if entry.task_id else ""
    if entry.lock_kind:
        text += f", for the {clean(entry.lock_kind)} at {entry.lock_address:#x}"
    if entry.holder:
        holder = next((each.name for each in report.threads if each.tid == entry.holder), "")
        text += f", held by {clean(holder)} [{entry.holder}]"
    return text


def _join(names: Sequence[str]) -> str:
    n_more = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f" and {n_more} more" if n_more > 0 else "")


def _list_notes(report: Report) -> Iterator[str]:
    if report.search:
        yield (
            f"{_count(report.search.n_objects, 'object')} searched; the program stood still for "
            f"{format_duration(report.search.hold_ns)}. What is not listed may be a leak, too."
        )
    yield from list_gaps(report.n_slices, report.is_whole)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
