"""Filter verdict: what a process's system call filters (seccomp) permit, decided before the entry.

::

    no thread has a filter          ─▶ enter without restrictions
    filters, readable               ─▶ judge each call: the engine makes no fatal one; refused if it
                                       cannot work without
    filters, readable by root only  ─▶ only calls that the engine cannot work without; refused if
                                       the program has no socket, which would show that it may have
    strict mode                     ─▶ refused
"""

from __future__ import annotations

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PROC, Proc
from stackglass.attach.target import Verdict


def decide(pid: int, minor: int, proc: Proc = PROC) -> Verdict:
    """Whether and how process ``pid``, a Python 3.``minor``, may be entered.

    Stops each thread for a moment, if there are filters and they are readable. Raises AttachError:
    the filters are fatal to the engine, or may be.
    """
    if not any(_has_filter(pid, tid, proc) for tid in proc.list_threads(pid)):
        return Verdict(None, None, is_filtered=False, is_read=False)
    from stackglass.attach import filter_judgement  # here for start-up time

    return filter_judgement.judge_process(pid, minor, proc)


def _has_filter(pid: int, tid: int, proc: Proc) -> bool:
    try:
        return proc.has_filter(pid, tid)
    except NoSuchProcessError:
        return False  # it has ended
