"""Remote exec: makes a Python 3.14 or later run a file, by the protocol of PEP 768.

``sys.remote_exec`` wants the same minor version on both ends. The protocol itself is a few fields
in the target's memory, at offsets that the target's ``_PyRuntime`` has::

    _PyRuntime ─▶ interpreter ─▶ thread state ─▶ script path, pending flag, eval breaker
                                      └──next──▶ …

A Python that is starting or ending must not get a request: it would run the file at any point, and
one that had not yet imported ``builtins`` was seen to crash. Five flags in front of the pointer to
the finalizing thread show whether Python is between start and end.

Only one thread gets a request: the one whose state is part of the interpreter's, as a rule the main
thread. All other states are blocks of the C library's heap, freed as their threads end; a request
written a moment later would corrupt the heap.

The thread reads its eval breaker when it next runs Python. A waiting thread does so only after its
wait, perhaps in an hour: a request that no thread has taken is withdrawn once the engine is there.
"""

from __future__ import annotations

import os
import struct

from stackglass.attach.proc import PROC, Proc
from stackglass.attach.python_build import PythonBuild
from stackglass.attach.target_memory import TargetMemory
from stackglass.named_tuple import NamedTuple

MAX_PATH_BYTES = 511
_MAX_INTERPRETERS = 4096
_MAX_THREADS = 4096
_IS_IN_USE = struct.pack("<6iQ", 1, 0, 1, 1, 1, 0, 0)
"""_initialized, preinitializing, preinitialized, core_initialized, initialized, padding,
_finalizing: in this order in 3.14 and 3.15."""
_PLEASE_STOP = 1 << 5  # _PY_EVAL_PLEASE_STOP_BIT


class Layout(NamedTuple):
    """Offsets in bytes, and two sizes."""

    finalizing: int  # in _PyRuntime
    interpreters_head: int  # in _PyRuntime
    interpreter_size: int  # of the interpreter's state
    interpreter_next: int  # in the interpreter's state
    threads_head: int  # in the interpreter's state
    thread_next: int  # in the thread's state
    native_thread_id: int  # in the thread's state
    eval_breaker: int  # in the thread's state
    support: int  # of the remote debugger support, in the thread's state
    is_enabled: int  # in the interpreter's state
    pending_call: int  # in the support
    script_path: int  # in the support
    script_path_size: int


# Where struct _Py_DebugOffsets holds each of them.
_POSITIONS = {
    14: Layout(32, 40, 48, 64, 72, 192, 224, 712, 720, 728, 736, 744, 752),
    15: Layout(32, 40, 48, 64, 72, 192, 248, 840, 848, 856, 864, 872, 880),
}


class RemoteExec:
    """A request to one process to run a file. A context manager: at its end a request that has
    not run is withdrawn."""

    __slots__ = ("_asked", "_layout", "_memory", "_pid", "_proc", "_runtime", "was_taken")

    def __init__(self, pid: int, build: PythonBuild, proc: Proc = PROC) -> None:
        """Raises PermissionError, NoSuchProcessError. ``can_speak(build)`` must be true."""
        self._pid = pid
        self._proc = proc
        self._runtime = build.runtime
        self._memory = TargetMemory(pid, is_writable=True, proc=proc)
        self._layout = read_layout(self._memory, build)
        self._asked = 0  # address of the state of the thread that was asked; 0 = none was
        self.was_taken = False
        """After the end: a thread had taken the request, so it may still open the file."""

    def __enter__(self) -> RemoteExec:
        return self

    def __exit__(self, *error: object) -> None:
        self._take_back()
        self._memory.__exit__(*error)

    def ask(self, path: str) -> bool:
        """Ask the main thread to run the file, if it runs now. Returns whether it was asked.

        A thread that waits would answer only when its wait ends, so it gets no request. No request
        is made either if ``path`` is too long, another one is pending, or Python starts or ends.
        """
        layout = self._layout
        name = os.fsencode(path) + b"\0"
        if layout is None or len(name) > min(MAX_PATH_BYTES + 1, layout.script_path_size):
            return False
        if not self._is_in_use():
            return False
        state = self._find_lasting()
        if not state or not self._is_running(state) or not self._arm(state, name):
            return False
        self._asked = state
        return True

    def is_taken(self) -> bool:
        """Whether a thread was asked, and has begun to run the file."""
        if self._layout is None or not self._asked:
            return False
        pending = self._asked + self._layout.support + self._layout.pending_call
        return self._memory.read_i32(pending) == 0

    def _arm(self, state: int, name: bytes) -> bool:
        layout, memory = self._layout, self._memory
        if layout is None:
            return False
        support = state + layout.support
        if memory.read_i32(support + layout.pending_call) != 0:
            return False  # another request is pending: one at a time
        if not memory.write(support + layout.script_path, name):
            return False
        if not memory.write(support + layout.pending_call, struct.pack("<i", 1)):
            return False
        # The low byte holds the flags, other bytes a version that must not be torn. Between
        # reading and writing a flag could be lost: CPython's own remote_exec lives with that.
        flags = memory.read(state + layout.eval_breaker, 1)
        return bool(flags) and memory.write(
            state + layout.eval_breaker, bytes([flags[0] | _PLEASE_STOP])
        )

    def _take_back(self) -> None:
        layout = self._layout
        if layout is None or not self._asked or self._asked != self._find_lasting():
            return  # none was asked, or its thread has ended
        pending = self._asked + layout.support + layout.pending_call
        if self._memory.read_i32(pending) == 1:
            self._memory.write(pending, struct.pack("<i", 0))
        else:
            self.was_taken = True

    def _is_in_use(self) -> bool:
        """Whether Python is initialized, and not finalizing."""
        if self._layout is None:
            return False
        start = self._runtime + self._layout.finalizing + 8 - len(_IS_IN_USE)
        return self._memory.read(start, len(_IS_IN_USE)) == _IS_IN_USE

    def _is_running(self, state: int) -> bool:
        if self._layout is None:
            return False
        tid = self._memory.read_u64(state + self._layout.native_thread_id)
        return self._proc.read_thread_state(self._pid, tid) == "R"

    def _find_lasting(self) -> int:
        """The address of the one thread state that is never freed; 0 = no thread has it.

        Only in the main interpreter, and only if it has remote debugging enabled: in others Python
        refuses to load the extension, and writes an error to the program's standard error.
        """
        layout, memory = self._layout, self._memory
        interpreter = 0 if layout is None else self._find_main_interpreter(layout)
        if (
            layout is None
            or not interpreter
            or not memory.read_i32(interpreter + layout.is_enabled)
        ):
            return 0
        state = memory.read_u64(interpreter + layout.threads_head)
        for _ in range(_MAX_THREADS):
            if not state or interpreter <= state < interpreter + layout.interpreter_size:
                return state
            state = memory.read_u64(state + layout.thread_next)
        return 0

    def _find_main_interpreter(self, layout: Layout) -> int:
        """The oldest interpreter, which is the last of the list; 0 if the list does not end."""
        interpreter = self._memory.read_u64(self._runtime + layout.interpreters_head)
        for _ in range(_MAX_INTERPRETERS):
            following = self._memory.read_u64(interpreter + layout.interpreter_next)
            if not interpreter or not following:
                return interpreter
            interpreter = following
        return 0


def can_speak(build: PythonBuild) -> bool:
    """Whether this Python has the protocol, in a known form."""
    return build.has_debug_offsets and build.minor in _POSITIONS


def read_layout(memory: TargetMemory, build: PythonBuild) -> Layout | None:
    """The offsets, from the target; None if they make no sense."""
    positions = _POSITIONS[build.minor]
    table = memory.read(build.runtime, max(positions) + 8)
    if len(table) < max(positions) + 8 or table[:8] != b"xdebugpy":
        return None
    layout = Layout(*(struct.unpack_from("<Q", table, position)[0] for position in positions))
    if not 0 < layout.script_path_size <= 1 << 16 or max(layout) > 1 << 24:
        return None
    return layout
