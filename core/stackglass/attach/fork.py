"""Fork: when a process that was forked is past it, and may be entered.

::

    parent  ──── fork ────────────────────────────────────────────▶
                  └ child ─ new locks, thread states deleted ─ handlers ─ program ──▶
                           └────── must not be entered ──────┘

After a fork, Python's child makes the interpreter's locks anew, as a thread that it does not have
may hold them, and deletes every thread state but its own. Until then a thread of the engine must
not begin there: it would wait for a lock that has been replaced, hold one that is no longer locked,
or lose its thread state. A fork leaves no mark in memory that says so in every version, so the
child's age and what the kernel counts of it are taken. With one thread in the parent this took 0.4
to 0.7 ms of CPU time, with 1000 threads up to 9 ms, with 5000 up to 37 ms (3.9 to 3.13; 1000 also
on 3.14 and 3.15).
"""

from __future__ import annotations

import time

from stackglass.attach.errors import BusyTargetError, NoSuchProcessError, ReplacedError
from stackglass.attach.proc import PROC, TICK_NS, Proc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_AGE_NS = 250_000_000
LEAST_CPU_NS = 100_000_000
"""CPU time after which a child is past its fork, even if it has never waited."""

_POLL_S = 0.01


def is_over(age_ns: int, cpu_ns: int, n_waits: int) -> bool:
    """Whether a forked process is past its fork.

    Its age alone does not say so: on a busy machine a child may wait long for a processor. A child
    that waited for something of its own accord is past it, as it has no other thread to wait for.
    It may also have waited for memory, in the fork, hence the age.
    """
    return age_ns >= LEAST_AGE_NS and (n_waits > 0 or cpu_ns >= LEAST_CPU_NS)


def await_end(
    pid: int,
    start_time: int,
    deadline_ns: int,
    proc: Proc = PROC,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Wait until process ``pid``, which was forked, is past its fork, until ``deadline_ns``
    (``time.monotonic_ns``) at most.

    Raises ReplacedError if it executes a program meanwhile, NoSuchProcessError if it ends,
    BusyTargetError at the deadline.
    """
    began_ns = time.monotonic_ns()
    while True:
        stat = proc.read_stat(pid)
        if stat.has_ended:
            raise NoSuchProcessError(f"process {pid} has ended")
        if stat.start_time != start_time or not stat.is_forked:
            raise ReplacedError(f"process {pid} began another program")
        now_ns = time.monotonic_ns()
        # The clock of the system's start may be another one in a container: then our own counts.
        born_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - stat.start_time * TICK_NS
        age_ns = max(born_ns, now_ns - began_ns)
        if is_over(age_ns, stat.cpu_ns, proc.read_status(pid).n_waits):
            return
        if now_ns >= deadline_ns:
            raise BusyTargetError(
                f"process {pid} was forked a moment ago, and has hardly run since",
                "attach again when the machine is less busy",
            )
        sleep(_POLL_S)
