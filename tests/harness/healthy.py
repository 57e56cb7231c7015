"""Comparison of lock waits in healthy programs (``targets/healthy``) with the programs' records.

::

    look: T waits for L of H, at a moment ──▶ program: who had L then? not H: false
          a deadlock, or a possible one   ──▶ there is none: false
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.pythons import Python
from harness.targets import Target
from stackglass.attach.entry import attach
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import AttachError
from stackglass.waits.report import ThreadReport, WaitingProcess, WaitsReport, build_report
from stackglass.waits.session import WaitsSession, WaitsSnapshot
from stackglass.wire.messages import Ready

PROGRAMS = (
    *("unfair", "hot", "fair", "recursive", "in_order", "by_key", "stacked", "called_by_c"),
    *("generators", "decorated", "with_timeouts", "with_long_timeouts", "tried"),
    *("released_by_another", "ping_pong", "slow_signal", "crossed_signals", "handed_over"),
    *("short_lived", "left_held", "conditions", "recursive_conditions", "queues", "semaphores"),
    *("barriers", "pools", "loggers", "loops", "readers_and_writers"),
    *("released_within", "released_in_turn", "constructed"),
)
MAY_LOOK_STUCK = frozenset({"crossed_signals"})
"""Programs whose threads wait for each other's signals longer than two snapshots take: a *possible*
deadlock may be reported."""
MAY_BE_OUTSIDE = frozenset({"released_within", "released_in_turn"})
"""Programs in which a function that has returned releases a lock inside its ``with`` block: a
thread that is reported as *inside its with* need not hold the lock."""
LOOKS_AN_ATTACH = 50
_PATIENCE_NS = 60 * 10**9
_N_HOLDS = 2048  # as in ground.py
_HEAD, _HOLD = struct.Struct("qq"), struct.Struct("qqq")
_SPAN = _HEAD.size + _HOLD.size * _N_HOLDS


class _Hold(NamedTuple):
    tid: int
    begin_ns: int
    end_ns: int  # 0 = it has not ended


class Ground:
    """The record that a program keeps of its locks."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)

    def close(self) -> None:
        self._file.close()

    def may_hold(self, address: int, tid: int, mono_ns: int) -> bool | None:
        """Whether a thread may have held that lock at that moment; None = unknown."""
        before: _Hold | None = None
        for hold in self._read_holds(address):
            if hold.begin_ns > mono_ns:
                # The moment lies before it, and behind the end of the one before.
                return None if before is None else tid in (before.tid, hold.tid)
            if not hold.end_ns or hold.end_ns > mono_ns:
                return hold.tid == tid
            before = hold
        return None

    def _read_holds(self, address: int) -> Iterator[_Hold]:
        """Yield the holds of one lock in order, without those that may be overwritten meanwhile."""
        self._file.seek(0)
        content = self._file.read()
        for at in range(0, len(content), _SPAN):
            own, n = _HEAD.unpack_from(content, at)
            if own == address:
                for number in range(max(n - _N_HOLDS // 2, 0), n):
                    place = at + _HEAD.size + number % _N_HOLDS * _HOLD.size
                    yield _Hold(*_HOLD.unpack_from(content, place))
                return


class Findings(NamedTuple):
    """Results of all snapshots of a program."""

    n_looks: int = 0
    n_waiting: int = 0  # waiting threads
    n_holders: int = 0  # reported holders of their locks
    n_checked: int = 0  # holders that the program's record could check
    wrong: tuple[str, ...] = ()  # false cycles, false holders


def look_at(python: Python, program: str, n_looks: int) -> Findings:
    """Take ``n_looks`` snapshots, and attach anew now and then. Raises AttachError, TargetError."""
    findings = Findings()
    with Target(python, "healthy/run.py", HEALTHY_PROGRAM=program) as target:
        ground = Ground(target.folder / "ground")
        try:
            while findings.n_looks < n_looks:
                n = min(LOOKS_AN_ATTACH, n_looks - findings.n_looks)
                findings = _look_attached(target.pid, program, ground, n, findings)
        finally:
            ground.close()
        target.finish()
    return findings


def _look_attached(
    pid: int, program: str, ground: Ground, n_looks: int, findings: Findings
) -> Findings:
    process = WaitingProcess(pid, program, Ready())

    def explain(gil_wait_ns: int) -> AttachError:
        return AttachError(f"{program} has not answered, {gil_wait_ns} ns for the GIL")

    with attach(pid, new_hz=0) as connection:
        session = WaitsSession(connection, SYSTEM_CLOCK, _PATIENCE_NS, explain, lambda _: None)
        session.begin()
        before: WaitsSnapshot | None = None
        for _ in range(n_looks):
            look = session.take()
            before = before or look
            process = process._replace(ready=session.ready)
            report = build_report(look, before, session.definitions, session.locks, process)
            findings = _judge(report, look.waits.time_mono_ns, program, ground, findings)
            before = look
        session.end()
    return findings


def _judge(
    report: WaitsReport, mono_ns: int, program: str, ground: Ground, findings: Findings
) -> Findings:
    waiting = [thread for thread in report.threads if thread.is_waiting]
    holders = [
        thread
        for thread in waiting
        if thread.holder
        and thread.lock.address
        and not (thread.is_holder_inside and program in MAY_BE_OUTSIDE)
    ]
    verdicts = [ground.may_hold(each.lock.address, each.holder, mono_ns) for each in holders]
    wrong = [
        f"{program}: {_describe(thread)}"
        for thread, verdict in zip(holders, verdicts, strict=True)
        if verdict is False
    ]
    wrong += [f"{program}: deadlock: {reported}" for reported in report.cycle_lines]
    if program not in MAY_LOOK_STUCK:
        wrong += [f"{program}: possible deadlock: {reported}" for reported in report.possible_lines]
    return Findings(
        findings.n_looks + 1,
        findings.n_waiting + len(waiting),
        findings.n_holders + len(holders),
        findings.n_checked + sum(verdict is not None for verdict in verdicts),
        (*findings.wrong, *wrong),
    )


def _describe(thread: ThreadReport) -> str:
    how = "inside its with" if thread.is_holder_inside else "seen"
    return (
        f"{thread.name} waits for {thread.lock_name} of {thread.holder} ({how}), which has it not"
    )
