"""JSON form of a waits report, for programs."""

from __future__ import annotations

import json

from stackglass.waits.report import ThreadReport, WaitsReport
from stackglass.wire.lock_names import LockFacts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def format_json(report: WaitsReport, indent: int | None = 2) -> str:
    """One object; ``indent`` None = on one line.

    ``null`` = not known, or not applicable. Threads refer to each other by ``tid``.
    """
    return json.dumps(
        {
            "pid": report.pid,
            "python": report.python,
            "command": report.command,
            "time_unix_ns": report.time_unix_ns,
            "has_earlier_waits": report.has_earlier,
            "is_deadlocked": bool(report.cycles),
            "deadlocks": [
                {"tids": list(cycle), "description": list(lines)}
                for cycle, lines in zip(report.cycles, report.cycle_lines)
            ],
            "possible_deadlocks": [
                {"tids": list(cycle), "description": list(lines)}
                for cycle, lines in zip(report.possible, report.possible_lines)
            ],
            "threads": [_describe_thread(thread) for thread in report.threads],
        },
        indent=indent,
    )


def _describe_thread(thread: ThreadReport) -> dict[str, Any]:
    return {
        "tid": thread.tid,
        "name": thread.name,
        "is_waiting": thread.is_waiting,
        "is_deadlocked": thread.is_in_cycle,
        "call": thread.call or None,
        "lock": _describe_lock(thread.lock, thread.lock_name),
        "holder": thread.holder or None,
        "is_holder_sure": thread.is_holder_sure if thread.holder else None,
        "holder_known_by": _name_source(thread) if thread.holder else None,
        "waited_ns": thread.waited_ns if thread.waited_ns >= 0 else None,
        "is_waited_at_least": thread.is_at_least if thread.waited_ns >= 0 else None,
        "n_blocked": thread.n_blocked,
        "is_running": thread.is_running,
        "asleep_ns": thread.asleep_ns if thread.asleep_ns >= 0 else None,
        "stack": [
            {"function": line.function, "file": line.file or None, "line": line.number or None}
            for line in thread.stack
        ],
    }


def _name_source(thread: ThreadReport) -> str:
    """How the holder is known."""
    if thread.is_holder_inside:
        return "with"
    return "acquire" if thread.is_holder_taken else "lock"


def _describe_lock(lock: LockFacts, name: str) -> dict[str, Any] | None:
    if lock == LockFacts():
        return None
    return {
        "name": name,
        "kind": lock.primitive or None,
        "address": lock.address or None,
        "made_at": lock.site or None,
        "first_waited_for_at": lock.wait or None,
    }
