"""The chosen clock, and the clocks that the system permits: SO USER FILTER.

USER is the id of a user to become, or 0; FILTER a system call filter, as in
../call_filter.py, or empty.
"""

import ctypes
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
if int(sys.argv[2]):
    os.setgid(int(sys.argv[2]))
    os.setuid(int(sys.argv[2]))
if sys.argv[3]:
    from call_filter import install

    install(bytes.fromhex(sys.argv[3]))

from sampler import Session, core, report

ALL_CALLS = 127  # SG_CALLS_ALL: the filter has been judged, and ends no program
SYS_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}[os.uname().machine]
SYS_TIMER_CREATE = {"x86_64": 222, "aarch64": 107}[os.uname().machine]
SOFTWARE, TASK_CLOCK, SIZE = 1, 1, 64
EXCLUDE_KERNEL, EXCLUDE_HYPERVISOR = 1 << 5, 1 << 6
CLOCK_THREAD_CPUTIME_ID = 3
libc = ctypes.CDLL(None, use_errno=True)


def may_use_perf(flags):
    """Return whether perf_event_open(2) succeeds with these flags, which are at offset 40."""
    words = [SOFTWARE | SIZE << 32, TASK_CLOCK, 1_000_000, 0, 0, flags, 0, 0]
    event = (ctypes.c_uint64 * len(words))(*words)
    descriptor = libc.syscall(SYS_PERF_EVENT_OPEN, event, 0, -1, -1, 0)
    if descriptor >= 0:
        os.close(descriptor)
    return descriptor >= 0


def may_use_timers():
    timer = ctypes.c_int(0)
    return libc.syscall(SYS_TIMER_CREATE, CLOCK_THREAD_CPUTIME_ID, None, ctypes.byref(timer)) == 0


has_kernel = may_use_perf(0)
has_user = may_use_perf(EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR)
has_timers = may_use_timers()
core.calls_begin(ALL_CALLS)
session = Session(hz=100)
session.stop()
report(
    clock=session.status["clock"],
    has_kernel=has_kernel,
    has_user=has_user,
    has_timers=has_timers,
)
