"""Common parts of the probes of the lock hooks: a session, rows with names, waiting threads."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any, NamedTuple

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

__all__ = [
    "KINDS",
    "Locks",
    "Row",
    "await_waiters",
    "core",
    "find_types",
    "look",
    "report",
    "start",
]

core = load_core()
KINDS = ("block", "mutex", "pair", "gil", "other", "task", "stall", "idle")
_PATIENCE_S = 30


class Row(NamedTuple):
    """A bucket with names in place of numbers."""

    kind: str
    lock: int
    names: tuple  # leaf first
    other: tuple
    count: float
    total_ns: float
    max_ns: int


def _name(code: int) -> str:
    pseudo = core.pseudo_name(code)
    if pseudo is not None:
        return pseudo
    alive = core.code_alive(code)
    return alive.co_name if alive else "<dead>"


class Locks:
    """A session; a context manager."""

    def __init__(self, block_ns: int = 1, fraction: int = 1, is_try_first: bool = False) -> None:
        self._rates = block_ns, fraction
        self._is_try_first = is_try_first

    def __enter__(self) -> Locks:
        refusal = (
            core.cpu_prepare()
            or core.contention_prepare(time.monotonic_ns())
            or core.lock_install()
        )
        assert refusal is None, refusal
        if self._is_try_first:
            core.lock_forget_words()
        self.set_rates(*self._rates)
        return self

    def __exit__(self, *error: object) -> None:
        core.lock_remove()
        core.contention_unprepare()
        core.cpu_unprepare()

    def set_rates(self, block_ns: int, fraction: int) -> None:
        core.contention_set_rates(block_ns, fraction, 0)

    def read(self, kind: str, leaf: str = "") -> list:
        """Return the rows whose stack contains the function ``leaf``."""
        rows = []
        for _, number, _, lock, stack, other, count, total_ns, max_ns, *_ in core.contention_read():
            names = tuple(_name(code) for code, _ in stack)
            if KINDS[number] == kind and (not leaf or leaf in names):
                others = tuple(_name(code) for code, _ in other)
                rows.append(Row(kind, lock, names, others, count, total_ns, max_ns))
        return rows

    def total(self, kind: str, leaf: str) -> tuple:
        """Return (count, nanoseconds) of these rows."""
        rows = self.read(kind, leaf)
        return sum(row.count for row in rows), sum(row.total_ns for row in rows)


def start(function: Any, *arguments: Any) -> threading.Thread:
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


def await_waiters(n: int, primitive: str = "") -> list:
    """Wait until ``n`` threads wait, for primitives whose name begins with ``primitive``."""
    patience = time.monotonic() + _PATIENCE_S
    while time.monotonic() < patience:
        waits = [wait for wait in core.lock_waits() if wait[1].startswith(primitive)]
        if len(waits) >= n:
            return waits
        time.sleep(0.001)
    raise AssertionError(f"{core.lock_waits()} instead of {n} waiters")


def find_types() -> dict:
    """Return the numbered types by name: "Lock", "Queue" …"""
    primitives = core.contention_primitives()
    return {lock: primitives[kind][1] for lock, kind, _, _ in core.contention_locks()}


def look(budget_ns: int) -> list:
    """Take a snapshot of waiters and holders in slices; budget 0 = a slice for each thread."""
    core.lock_look_begin()
    reported = None
    while reported is None:
        reported = core.lock_look_go_on(budget_ns)
    return reported
