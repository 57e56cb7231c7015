"""A program of one thread that forks while the engine's threads exist but its hook of os.fork()
does not: at their start, and at their end. Reports warnings, and remaining filters."""

import os
import warnings

from sampler import core, report

COMING_NS = 60_000_000_000
LEAVING_NS = 1_000_000
N_FORKS = 3


def fork(is_maintained=True):
    """Fork. Returns the warnings, and the child's exit status: its number of surplus filters."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        n_filters = len(warnings.filters)
        pid = os.fork()
        if pid == 0:
            os._exit(len(warnings.filters) - n_filters)
        n_left = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if is_maintained:
            core.fork_warning_maintain()
            n_left += len(warnings.filters) - n_filters
    return [str(warning.message) for warning in caught], n_left


def fork_again_and_again():
    """Fork before the engine's first job, each time with a new list of filters, after one fork with
    the list that is then copied."""
    reported = []
    n_filters = len(warnings.filters)
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    for _ in range(N_FORKS):
        reported += fork(is_maintained=False)[0]
    with warnings.catch_warnings():
        reported += fork(is_maintained=False)[0]
        core.fork_warning_maintain()
    return reported, len(warnings.filters) - n_filters


core.fork_handlers_register()
core.first_thread_start(LEAVING_NS)
leaving = fork()
is_gone = len(os.listdir("/proc/self/task")) == 1

core.fork_warning_open()
core.first_thread_start(COMING_NS)
coming = fork()
again = fork_again_and_again()
is_there = len(os.listdir("/proc/self/task")) >= 2
report(leaving=leaving, is_gone=is_gone, coming=coming, again=again, is_there=is_there)
os._exit(0)
