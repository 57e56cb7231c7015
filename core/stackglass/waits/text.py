"""Text form of a waits report: deadlocks, waiting threads and holders, other threads, stacks.

::

    process 4242, Python 3.13.0: python app.py
    2026-11-22 01:10:33 +0000: 34 threads, 3 waiting for locks, 2 in a deadlock

    Deadlock: these 2 threads wait for each other.
      worker 1 [4243] waits for app.RIGHT, held by worker 2, for 3.2 s, in app.cross (app.py:31)
      └ worker 3 [4245] waits for app.LEFT, held by worker 1, for 3.1 s, in app.take (app.py:12)
      worker 2 [4244] waits for app.LEFT, held by worker 1, for 3.2 s, in app.cross (app.py:31)
"""

from __future__ import annotations

import time

from stackglass.terminal_text import clean, format_duration
from stackglass.waits.report import ThreadReport, WaitsReport
from stackglass.wire.definitions import Line
from stackglass.wire.lock_waits import INSIDE, TAKEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_MAX_NAMED = 3  # threads that share a line
_MAX_NAMED_OF_STACK = 8
_STEP = "  "
_EARLIER = "since before the attach"
_UNKNOWN = "holder unknown"
_POSSIBLE = (
    "Possible deadlock: these threads wait for each other and do not move, but not every holder is "
    "proven."
)
_LOOP = "an event loop"
_BLOCKED_LOOP = "blocks its event loop"
_LIBRARIES = ("/lib/python3.", "/lib64/python3.")
_FIRST_MINOR_WITH_TREE = 14
_EVENT_LOOP = "asyncio.base_events.BaseEventLoop._run_once"
_CALLBACK = "asyncio.events.Handle._run"  # above it: a callback, or a step of a task


def format_report(report: WaitsReport, has_all: bool = False) -> str:
    """Lines, without a line end after the last. ``has_all``: also stacks of threads that neither
    wait for a lock nor block others."""
    cycles, others = _split(report)
    free = [thread for thread in report.threads if not _is_involved(thread)]
    asleep = [thread for thread in free if thread.is_waiting]
    rest = [thread for thread in free if not thread.is_waiting]
    shown = report.threads if has_all else [*filter(_is_involved, report.threads)]
    describe = _describe_blocked(report)
    sections = (
        _format_head(report),
        *(_format_section(_title_cycle(each), _group(each, describe)) for each in cycles),
        *(_format_section(_POSSIBLE, map(clean, lines)) for lines in report.possible_lines),
        _format_section("Waiting threads, each below its holder:", _group(others, describe)),
        _format_section("Waiting to be woken:", _group(asleep, _describe_asleep)),
        _format_section("Not waiting for a lock:", _group(rest, _describe_other)),
        _format_section("Stacks, innermost first:", _format_stacks(shown)),
        _format_section("Notes:", _list_notes(report)),
    )
    return "\n\n".join(filter(None, sections))


def _is_involved(thread: ThreadReport) -> bool:
    """Whether it waits for a lock, or other threads wait for it."""
    return thread.is_blocked or thread.n_blocked > 0


def _split(report: WaitsReport) -> tuple[list[list[ThreadReport]], list[ThreadReport]]:
    """The threads of each cycle with all their waiters; the other waiters and holders."""
    cycle_of = {tid: at for at, cycle in enumerate(report.cycles) for tid in cycle}
    cycles: list[list[ThreadReport]] = [[] for _ in report.cycles]
    others: list[ThreadReport] = []
    top = -1
    for thread in filter(_is_involved, report.threads):
        if thread.depth == 0:
            top = cycle_of.get(thread.tid, -1)
        (others if top < 0 else cycles[top]).append(thread)
    return cycles, others


def _format_head(report: WaitsReport) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(report.time_unix_ns / 1e9))
    n_waiting = sum(thread.is_blocked for thread in report.threads)
    counts = [_count(len(report.threads), "thread")]
    counts.append(f"{n_waiting or 'none'} waiting for {'a lock' if n_waiting == 1 else 'locks'}")
    n_stuck = sum(thread.is_in_cycle for thread in report.threads)
    if n_stuck:
        counts.append(f"{n_stuck} in a deadlock")
    command = f": {clean(report.command)}" if report.command else ""
    return (
        f"process {report.pid}, Python {clean(report.python)}{command}\n{when}: {', '.join(counts)}"
    )


def _title_cycle(threads: Sequence[ThreadReport]) -> str:
    n_stuck = sum(thread.is_in_cycle for thread in threads)
    if n_stuck == 1:
        return "Deadlock: this thread waits for a lock that it holds itself."
    return f"Deadlock: these {n_stuck} threads wait for each other."


def _format_section(title: str, lines: Iterable[str]) -> str:
    """The title and the lines; empty if there are no lines."""
    indented = [_STEP + line if line else "" for line in lines]
    return "\n".join((title, *indented)) if indented else ""


def _group(
    threads: Sequence[ThreadReport], describe: Callable[[ThreadReport], str]
) -> Iterator[str]:
    """A line for each thread, indented by depth; threads with equal lines share one."""
    groups: dict[tuple[object, ...], list[ThreadReport]] = {}
    for thread in threads:
        own = thread.tid if thread.is_in_cycle or thread.n_blocked else 0
        key = (own, thread.depth, thread.holder, describe(thread))
        groups.setdefault(key, []).append(thread)
    for group in groups.values():
        first = group[0]
        below = _STEP * (first.depth - 1) + "└ " if first.depth else ""
        text = describe(first).replace(_SPAN, _describe_spans(group))
        if len(group) > 1 and text.startswith("waits "):
            text = "wait " + text[len("waits ") :]
        yield f"{below}{_name(group)} {text}"


_SPAN = "\0"  # replaced by the time waited, which differs between threads that share a line


def _describe_spans(group: Sequence[ThreadReport]) -> str:
    """``, for 3.2 s``; the longest time of the group."""
    longest = max(group, key=lambda thread: (thread.waited_ns, thread.asleep_ns))
    if not longest.is_waiting:
        asleep = format_duration(longest.asleep_ns) if longest.asleep_ns >= 0 else ""
        return f", asleep for at least {asleep}" if asleep else ""
    if longest.waited_ns < 0:
        return f", {_EARLIER}"
    least = "at least " if longest.is_at_least else ""
    most = "up to " if len(group) > 1 and not least else ""
    return f", for {most}{least}{format_duration(longest.waited_ns)}"


def _name(group: Sequence[ThreadReport], n_most: int = _MAX_NAMED) -> str:
    """``worker 1 [4243]``; of a large group the first ones."""
    names = [f"{clean(thread.name)} [{thread.tid}]" for thread in group[:n_most]]
    n_more = len(group) - len(names)
    return ", ".join(names) + (f" and {n_more} more" if n_more else "")


def _describe_blocked(report: WaitsReport) -> Callable[[ThreadReport], str]:
    names = {thread.tid: clean(thread.name) for thread in report.threads}

    def describe(thread: ThreadReport) -> str:
        blocked = f"blocks {_count(thread.n_blocked, 'thread')}" if thread.n_blocked else ""
        if not thread.is_waiting:
            return f"{blocked}, {_describe_other(thread)}"
        if not thread.is_blocked:
            return f"{blocked}, {_describe_asleep(thread)}"
        lock = clean(thread.lock_name) or f"a lock ({thread.call})"
        holder = "itself" if thread.holder == thread.tid else names.get(thread.holder, "")
        if holder and thread.is_joining:
            what = f"waits for the end of {holder}"
        else:
            what = f"waits for {lock}, {_describe_holder(thread, holder)}"
        inside = f" ({INSIDE})" if thread.is_holder_inside else ""
        also = f"; {blocked}" if blocked and not thread.is_in_cycle else ""
        return f"{what}{inside}{_SPAN}, in {_describe_place(thread.place)}{_mark(thread)}{also}"

    return describe


def _describe_holder(thread: ThreadReport, holder: str) -> str:
    if not holder:
        return _UNKNOWN
    is_signal = thread.holder == thread.tid and not thread.is_holder_sure
    return f"last taken by {holder}" if is_signal else f"held by {holder}"


def _describe_asleep(thread: ThreadReport) -> str:
    what, place = clean(thread.primitive or thread.call), thread.place
    name = f" of {clean(thread.lock.name)}" if thread.lock.name else ""
    if place.function == what:
        return f"in {_describe_place(place)}{name}{_SPAN}"
    return f"in {what}{name}{_SPAN}, called in {_describe_place(place)}{_mark(thread)}"


def _describe_other(thread: ThreadReport) -> str:
    if not thread.stack:
        return "runs no Python"
    runs = "runs " if thread.is_running else ""
    place = f"in {_describe_place(thread.stack[0])}{_describe_caller(thread)}"
    return f"{runs}{place}{_mark(thread)}{_SPAN}"


def _mark(thread: ThreadReport) -> str:
    """A remark for a thread that runs an idle asyncio loop, or one that a callback blocks."""
    if not _runs_loop(thread):
        return ""
    return f" ({_BLOCKED_LOOP if _is_blocking_loop(thread) else _LOOP})"


def _describe_caller(thread: ThreadReport) -> str:
    """The innermost line outside the standard library, if the innermost of all is inside."""
    if not _is_library(thread.stack[0]):
        return ""
    own = next((line for line in thread.stack if not _is_library(line)), None)
    return f", called in {_describe_place(own)}" if own is not None else ""


def _is_library(line: Line) -> bool:
    """Whether the file of a line is in the standard library."""
    is_frozen = line.file.startswith("<frozen ")
    return is_frozen or (_is_in_library(line.file) and "-packages/" not in line.file)


def _describe_place(line: Line) -> str:
    if not line.function:
        return "no Python function"
    file = clean(line.file.rpartition("/")[2])
    number = f":{line.number}" if line.number else ""
    return f"{clean(line.function)} ({file}{number})" if file else clean(line.function)


def _is_in_library(file: str) -> bool:
    """Whether the file is in a folder such as ``/usr/lib/python3.13``."""
    rests = [file.partition(library)[2].partition("/") for library in _LIBRARIES]
    return any(minor.isdigit() and slash for minor, slash, _ in rests)


def _format_stacks(threads: Sequence[ThreadReport]) -> Iterator[str]:
    """Stacks; equal ones once."""
    groups: dict[tuple[Line, ...], list[ThreadReport]] = {}
    for thread in threads:
        if thread.stack:
            groups.setdefault(thread.stack, []).append(thread)
    for stack, group in groups.items():
        yield _name(group, _MAX_NAMED_OF_STACK)
        for line in stack:
            number = f":{line.number}" if line.number else ""
            yield f"{_STEP}{clean(line.function)} ({clean(line.file)}{number})"


def _list_notes(report: WaitsReport) -> Iterator[str]:
    """Explanations of the terms that the report uses."""
    if not report.has_earlier:
        yield (
            "waits that began before the attach are not shown: this kernel does not expose what a "
            "thread sleeps on"
        )
    blocked = [thread for thread in report.threads if thread.is_blocked]
    if any(thread.is_holder_inside for thread in blocked):
        yield (
            f"{INSIDE}: the acquire was not observed, but the lock is held, and this is the only "
            "thread inside a with block of it"
        )
    if any(thread.holder == thread.tid and not thread.is_holder_sure for thread in blocked):
        yield (
            "last taken by itself: no release was observed since; the thread may be waiting for "
            "another one to release the lock as a signal"
        )
    if report.possible:
        yield (
            f"{TAKEN}: by acquire(), and no release was observed since; any thread may release a "
            "plain lock"
        )
    if any(not thread.holder for thread in blocked):
        yield (
            f"{_UNKNOWN}: the acquire was not observed, and no thread is known to be inside a with "
            "block of it; in a forked child the holder may be a thread of the parent"
        )
    if any(_runs_loop(thread) and not _is_blocking_loop(thread) for thread in report.threads):
        major, minor = (*report.python.split("."), "0")[:2]
        has_tree = major == "3" and minor.isdigit() and int(minor) >= _FIRST_MINOR_WITH_TREE
        tree = f"; see `python3.{minor} -m asyncio pstree {report.pid}`" if has_tree else ""
        yield f"{_LOOP}: what its asyncio tasks wait for is not shown here{tree}"


def _runs_loop(thread: ThreadReport) -> bool:
    return any(line.function == _EVENT_LOOP for line in thread.stack)


def _is_blocking_loop(thread: ThreadReport) -> bool:
    """Whether its event loop is in a callback."""
    return any(line.function == _CALLBACK for line in thread.stack)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
