"""Profile text: ``threads`` and ``threadleak`` in Go's text forms; other profiles unchanged."""

from __future__ import annotations

from stackglass.threads.go_text import format_counts, format_dump
from stackglass.threads.report import (
    DumpedProcess,
    ThreadEntry,
    build_leak_report,
    build_report,
)
from stackglass.threads.session import Dump
from stackglass.wire import messages, recorded_profiles
from stackglass.wire.recorded_profiles import THREADLEAK, THREADS
from stackglass.wire.recording import Recording
from stackglass.wire.thread_states import RUNNING


def encode(name: str, recording: Recording, debug: int, own_tid: int = 0) -> bytes:
    """A profile out of a snapshot, as a file. ``own_tid``: the thread that waits for the snapshot,
    which counts as running.

    Raises StackglassError.
    """
    if not debug or name not in (THREADS, THREADLEAK):
        return recorded_profiles.encode(name, recording, debug)
    hello = recording.hello or messages.Hello()
    dump = Dump(
        recording.dump or messages.ThreadDump(),
        recording.definitions,
        recording.ready or messages.Ready(),
    )
    build = build_leak_report if name == THREADLEAK else build_report
    report = build(dump, DumpedProcess(hello.pid))
    report = report._replace(threads=tuple(_wake(each, own_tid) for each in report.threads))
    text = format_counts(report, name) if debug == 1 else format_dump(report, is_first=False) + "\n"
    return text.encode("utf-8", "replace")


def _wake(thread: ThreadEntry, tid: int) -> ThreadEntry:
    is_own = thread.tid == tid
    return thread._replace(state=RUNNING, wait="", waited_ns=-1) if is_own else thread
