"""Caller: the process that attaches, as the kernel's rules see it."""

from __future__ import annotations

import os

from stackglass.attach.proc import PROC, Proc
from stackglass.named_tuple import NamedTuple

_CAP_SYS_PTRACE = 1 << 19


class Caller(NamedTuple):
    """Identity and privileges of this process."""

    pid: int
    uid: int  # effective
    may_trace_anyone: bool  # CAP_SYS_PTRACE


def describe_caller(proc: Proc = PROC) -> Caller:
    """The present process."""
    status = proc.read_status("self")
    return Caller(os.getpid(), os.geteuid(), bool(status.effective_capabilities & _CAP_SYS_PTRACE))
