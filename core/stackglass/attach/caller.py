"""Caller: the process that attaches, as the kernel's rules see it."""

from __future__ import annotations

import os
import sys

from stackglass.attach.proc import PROC, Proc
from stackglass.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_CAP_SYS_PTRACE = 1 << 19
_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_"  # to a shell


class Caller(NamedTuple):
    """Identity and privileges of this process."""

    pid: int
    uid: int  # effective
    may_trace_anyone: bool  # CAP_SYS_PTRACE
    program: tuple[str, ...] = ("stackglass",)  # with its whole path, which sudo needs
    arguments: tuple[str, ...] = ()  # of a ``stackglass`` command; none in other programs

    def spell_as_root(self, pid: int) -> str:
        """What root types to reach process ``pid``: this command, or one that records it.

        A window of root cannot be shown on every desktop, so it is no answer to ``attach``.
        """
        words = self.arguments
        if str(pid) not in words or words[0] == "attach":
            words = ("record", "-o", f"{pid}.prof", str(pid))
        return " ".join(["sudo", *map(_quote, (*self.program, *words))])


def describe_caller(proc: Proc = PROC) -> Caller:
    """The present process."""
    status = proc.read_status("self")
    may_trace_anyone = bool(status.effective_capabilities & _CAP_SYS_PTRACE)
    program, arguments = read_program(sys.argv, sys.executable)
    return Caller(os.getpid(), os.geteuid(), may_trace_anyone, program, arguments)


def read_program(argv: Sequence[str], python: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How the ``stackglass`` command is spelled from any folder, and its arguments here. ``argv``:
    of this program, which may be another one."""
    script, *arguments = argv or ("",)
    if os.path.basename(script) == "stackglass":
        return (os.path.abspath(script),), tuple(arguments)
    is_module = script.endswith(os.path.join("stackglass", "__main__.py"))
    return (python, "-m", "stackglass"), tuple(arguments) if is_module else ()


def _quote(word: str) -> str:
    """A word as a shell reads it. (``shlex`` would import four modules more.)"""
    if word and not word.strip(_PLAIN):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"
