"""A report in the two text forms of Go's goroutine profile.

::

    threads profile: total 44                   thread 4242 "MainThread" [running]:
    40 @ 0x100010                               app.work(...)
    # labels: {"task":"poll"}                   	/srv/app.py:12
    #	0x100010	app.poll+0x0	/srv/app.py:31
                                                task 0x7f31 "poll" [suspended]:
    4 @ 0x100030                                …
    …                                           created before attach

Debug 1 (left) counts equal stacks, and ``go tool pprof`` reads it; debug 2 (right) lists all. What
the dump lacks, such as one moment in time, is said in lines that begin with ``# `` at the end.
"""

from __future__ import annotations

import json

from stackglass.terminal_text import clean
from stackglass.threads.creators import find_creator
from stackglass.threads.label_text import quote_labels
from stackglass.threads.report import GreenletEntry, Report, TaskEntry, ThreadEntry
from stackglass.wire.definitions import Line
from stackglass.wire.legacy_cpu import ADDRESS_STEP, FIRST_ADDRESS
from stackglass.wire.text_stacks import elide
from stackglass.wire.thread_dump import list_gaps
from stackglass.wire.thread_states import NOT_BEGUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Union

    _Entry = Union[ThreadEntry, TaskEntry, GreenletEntry]

_BEFORE = "created before attach"
_UNKNOWN = "creator not recorded"
_MINUTE_NS = 60 * 10**9
_NOWHERE = Line("<no Python frames>", "", 0)


def format_counts(report: Report, profile: str = "threads") -> str:
    """Debug 1: the counts by stack and labels, largest first; equal counts by their text."""
    addresses: dict[Line, int] = {}
    counts: dict[tuple[tuple[Line, ...], str], int] = {}
    begun = [each for each in report.greenlets if each.state != NOT_BEGUN]  # others have no stack
    entries: Sequence[_Entry] = (*report.threads, *report.tasks, *begun)
    for entry in entries:
        key = (entry.stack or (_NOWHERE,), _format_labels(entry))
        counts[key] = counts.get(key, 0) + 1
    rows = []
    for (stack, labels), n in counts.items():
        for line in stack:
            addresses.setdefault(line, FIRST_ADDRESS + len(addresses) * ADDRESS_STEP)
        rows.append((n, _format_row(n, stack, labels, addresses)))
    rows.sort(key=lambda row: (-row[0], row[1]))
    texts = [text for _, text in rows] or [""]
    notes = "".join(f"{note}\n" for note in _list_notes(report))
    return "\n".join([f"{profile} profile: total {len(entries)}", *texts]) + notes


def _list_notes(report: Report) -> list[str]:
    return [f"# {gap}" for gap in list_gaps(report.n_slices, report.is_whole)]


def _format_labels(entry: _Entry) -> str:
    """The program's labels; one of them is the name that the program gave a task or a greenlet. A
    thread that runs a task has the task's labels, but not its name."""
    names = {}
    if isinstance(entry, TaskEntry) and entry.has_own_name:
        names["task"] = entry.name
    elif isinstance(entry, GreenletEntry) and entry.own_name:
        names["greenlet"] = entry.own_name
    labels = {**names, **dict(entry.labels)}
    return json.dumps(labels, sort_keys=True, separators=(", ", ":")) if labels else ""


def _format_row(n: int, stack: tuple[Line, ...], labels: str, addresses: dict[Line, int]) -> str:
    lines = [f"{n} @ " + " ".join(f"{addresses[line]:#x}" for line in stack)]
    if labels:
        lines.append(f"# labels: {labels}")
    lines += [
        f"#\t{addresses[line]:#x}\t{clean(line.function)}+0x0\t{clean(line.file)}:{line.number}"
        for line in stack
    ]
    return "\n".join([*lines, ""])


def format_dump(report: Report, is_first: bool = True, has_labels: bool = True) -> str:
    """Debug 2: each thread, and each task and greenlet that no thread runs, with labels in its head
    unless they are unwanted.

    ``is_first``: the dump was taken at the attach, so all greenlets are older. Creators of
    greenlets are not recorded.
    """
    creator = _BEFORE if is_first else _UNKNOWN
    entries: Sequence[_Entry] = (*report.threads, *report.tasks, *report.greenlets)
    texts = [_list_lines(entry, report, creator, has_labels) for entry in entries]
    notes = _list_notes(report)
    return "\n\n".join(map("\n".join, [*texts, notes] if notes else texts))


def _list_lines(entry: _Entry, report: Report, creator: str, has_labels: bool) -> Iterator[str]:
    name = json.dumps(entry.name)
    labels = f" {quote_labels(entry.labels)}" if has_labels and entry.labels else ""
    if isinstance(entry, ThreadEntry):
        task = f" running task {json.dumps(entry.task)}" if entry.task_id else ""
        yield f"thread {entry.tid} {name}{task} [{_describe_state(entry)}]{labels}:"
    elif isinstance(entry, GreenletEntry):
        place = f" in thread {entry.tid}" if entry.tid else ""
        head = f"greenlet {entry.greenlet_id:#x} {name}{place}"
        yield f"{head} [{_describe_state(entry)}]{labels}:"
    else:
        yield f"task {entry.task_id:#x} {name} [{_describe_state(entry)}]{labels}:"
    yield from _list_frames(entry.stack)
    if isinstance(entry, GreenletEntry):
        yield creator
    elif isinstance(entry, TaskEntry) or entry.tid != report.pid:
        yield from _list_creator(entry)


def _list_creator(entry: ThreadEntry | TaskEntry) -> Iterator[str]:
    line = find_creator(entry.creation)
    if line is not None:
        yield f"created by {clean(line.function)} in thread {entry.creator}"
        yield f"\t{clean(line.file)}:{line.number}"
    elif entry.is_older:
        yield _BEFORE
    else:
        yield "created by C code" if isinstance(entry, ThreadEntry) else _UNKNOWN


def _describe_state(entry: _Entry) -> str:
    """The state as Go prints it: with whole minutes of a wait, and whether nothing can end it."""
    state = entry.state + (f": {clean(entry.wait)}" if entry.wait else "")
    if isinstance(entry, GreenletEntry):
        return state
    state += " (leaked)" if entry.is_leaked else ""
    minutes = entry.waited_ns // _MINUTE_NS
    return f"{state}, {minutes} minutes" if minutes >= 1 else state


def _list_frames(stack: Sequence[Line]) -> Iterator[str]:
    return elide([(clean(line.function), f"{clean(line.file)}:{line.number}") for line in stack])
