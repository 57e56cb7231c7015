"""Outside stacks: the Python stacks of a process's threads, read from its memory.

No code runs in the process and no thread of it is stopped. So this works where the engine cannot:
while C code keeps the GIL. A thread that runs Python code meanwhile changes its stack, so each
stack is read twice; a stack that differs, or that is no chain of frames with code, is left out.
"""

from __future__ import annotations

import struct

from stackglass.attach.interpreter_layout import InterpreterLayout, find_layout
from stackglass.attach.line_tables import find_line
from stackglass.attach.proc import PROC, Proc
from stackglass.attach.python_build import PythonBuild, find_python
from stackglass.attach.target_memory import TargetMemory
from stackglass.named_tuple import NamedTuple

_MOST_THREADS, _MOST_FRAMES = 1024, 512
_MOST_INTERPRETERS = 1 << 12
_MOST_LISTED = 1 << 16  # threads; more than Linux lets a process have by default
_MOST_COUNTED = 1 << 14  # frames of a stack
_THREAD_NEXT = 8
_TID_IN_PTHREAD = 720  # of glibc on x86-64, from 2.28 on
_LAST_WITH_FRAME_OBJECTS = 10
_FIRST_WITH_TAGS = 14
_TAGS = 7
_BY_GENERATOR, _FIRST_SHIM, _LAST_OWNER = 1, 3, 4  # values of a frame's owner
_LENGTH, _STATE, _BYTES_DATA = 16, 32, 32  # in str and bytes objects
_MOST_CHARACTERS, _MOST_TABLE_BYTES = 4096, 1 << 20
_KINDS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}
_ASCII = 1 | 8 | 16  # bits of a str's state from `kind` on: one byte a character, compact, ASCII


class OutsideFrame(NamedTuple):
    """A Python frame."""

    function: str  # qualified from 3.11 on, without its module
    filename: str
    line: int  # 0 = it has none


class OutsideStack(NamedTuple):
    """A thread's Python stack."""

    tid: int  # 0 = not known
    frames: tuple[OutsideFrame, ...]  # leaf first
    n_more: int = 0  # callers of these frames that are left out
    is_deeper: bool = False  # whether there are still more callers, which were not counted


class _Torn(Exception):
    """The bytes read are no frame, or no code: the memory changed meanwhile."""


def read_stacks(pid: int, proc: Proc = PROC) -> tuple[list[OutsideStack], int]:
    """The stacks of the Python threads that could be read, newest thread first; none of a process
    without a known Python. And the number of threads that are left out: older ones, but never the
    first thread.

    Raises PermissionError, NoSuchProcessError.
    """
    with TargetMemory(pid, proc=proc) as memory:
        reader = _find_reader(memory, pid, proc, _MOST_COUNTED)
        if reader is None:
            return [], 0
        tids = frozenset(proc.list_threads(pid))
        states = reader.list_threads()
        chosen = _choose(states)
        stacks = [reader.read_stack(state, tids) for state in chosen]
        return [stack for stack in stacks if stack.frames], len(states) - len(chosen)


def read_main_stack(pid: int, proc: Proc = PROC) -> tuple[OutsideStack, bool] | None:
    """The stack of a thread that runs, and True; if none runs, that of the first thread that has
    one, and False; None = there is none.

    Other stacks are not read, and callers that are left out are not counted: a look at a process
    with many threads and deep stacks costs little more than another.
    Raises PermissionError, NoSuchProcessError.
    """
    with TargetMemory(pid, proc=proc) as memory:
        reader = _find_reader(memory, pid, proc, _MOST_FRAMES)
        if reader is None:
            return None
        tids = frozenset(proc.list_threads(pid))
        states = _choose(reader.list_threads())
        running = [
            state
            for state in states
            if (tid := reader.find_tid(state)) in tids and proc.read_thread_state(pid, tid) == "R"
        ]
        for state in (*running, *reversed(states)):
            stack = reader.read_stack(state, tids)
            if stack.frames:
                return stack, state in running
        return None


def _find_reader(memory: TargetMemory, pid: int, proc: Proc, n_walked: int) -> _Reader | None:
    """A reader of the process; None = it has no known Python."""
    build = find_python(pid, proc.read_maps(pid), proc)
    layout = find_layout(memory, build) if build is not None else None
    if build is None or layout is None:
        return None
    return _Reader(memory, layout, build, n_walked)


def _choose(states: list[int]) -> list[int]:
    """The newest thread states and that of the first thread, which is the last in the list."""
    return [*states[:-1][: _MOST_THREADS - 1], *states[-1:]]


class _Reader:
    """Reads one process. Addresses are integers, 0 = none."""

    __slots__ = ("_build", "_codes", "_kind_shift", "_layout", "_memory", "_n_walked")

    def __init__(
        self,
        memory: TargetMemory,
        layout: InterpreterLayout,
        build: PythonBuild,
        n_walked: int = _MOST_COUNTED,
    ) -> None:
        """``n_walked``: frames of a stack that are looked at."""
        self._n_walked = n_walked
        self._memory = memory
        self._layout = layout
        self._build = build
        self._kind_shift = 0
        self._codes: dict[int, tuple[str, str, int, bytes]] = {}

    def list_threads(self) -> list[int]:
        """The thread states of all interpreters, the first thread's last."""
        memory, layout = self._memory, self._layout
        states: dict[int, None] = {}
        interpreter = memory.read_u64(self._build.runtime + layout.interpreters_head)
        for _ in range(_MOST_INTERPRETERS):
            if not interpreter:
                break
            state = memory.read_u64(interpreter + layout.threads_head)
            while state and len(states) < _MOST_LISTED and state not in states:
                states[state] = None
                state = memory.read_u64(state + _THREAD_NEXT)
            interpreter = memory.read_u64(interpreter + layout.interpreter_next)
        return list(states)

    def find_tid(self, state: int) -> int:
        """The system's id of the thread; 0 = not known."""
        if self._layout.native_thread_id >= 0:
            return self._memory.read_u64(state + self._layout.native_thread_id)
        thread = self._memory.read_u64(state + self._layout.thread_id)
        return self._memory.read_i32(thread + _TID_IN_PTHREAD) or 0

    def read_stack(self, state: int, tids: frozenset[int]) -> OutsideStack:
        """The thread's stack, read twice; without frames if it has none, or changes. ``tids``: the
        process's. A process of a container may have noted others."""
        tid = self.find_tid(state)
        tid = tid if tid in tids else 0
        try:
            first = self._walk(state)
            positions, is_deeper = first
            frames = tuple(map(self._describe, positions[:_MOST_FRAMES]))
            if self._walk(state) == first:
                return OutsideStack(tid, frames, len(positions) - len(frames), is_deeper)
        except _Torn:
            pass
        return OutsideStack(tid, ())

    def _walk(self, state: int) -> tuple[list[tuple[int, int]], bool]:
        """The code object of each frame, and the position in it, leaf first; and whether there are
        more of them than were looked at."""
        layout, memory = self._layout, self._memory
        frame = memory.read_u64(state + layout.current_frame)
        if layout.control_frame >= 0 and frame:
            frame = memory.read_u64(frame + layout.control_frame)
        positions = []
        for _ in range(self._n_walked):
            if not frame:
                break
            position = self._read_frame(frame)
            if position is not None:
                positions.append(position)
            frame = memory.read_u64(frame + layout.previous)
        return positions, bool(frame)

    def _read_frame(self, frame: int) -> tuple[int, int] | None:
        """The frame's code object and the position in it; None = an entry frame, which has no code,
        or a frame that has not begun."""
        layout, memory = self._layout, self._memory
        code = memory.read_u64(frame + layout.code)
        if self._build.minor <= _LAST_WITH_FRAME_OBJECTS:
            lasti = memory.read_i32(frame + layout.instruction)
            if lasti is None:
                raise _Torn
            is_in_units = self._build.minor == _LAST_WITH_FRAME_OBJECTS and lasti > 0
            return code, 2 * lasti if is_in_units else lasti
        owner = memory.read(frame + layout.owner, 1)
        if not owner or owner[0] > _LAST_OWNER:
            raise _Torn
        if owner[0] >= _FIRST_SHIM:
            return None
        if self._build.minor >= _FIRST_WITH_TAGS:
            code &= ~_TAGS
        lasti = memory.read_u64(frame + layout.instruction) - code - layout.bytecode
        first = memory.read_i32(code + layout.first_traceable)
        if first is None:
            raise _Torn
        is_begun = owner[0] == _BY_GENERATOR or lasti >= 2 * first
        return (code, lasti) if is_begun else None

    def _describe(self, position: tuple[int, int]) -> OutsideFrame:
        code, lasti = position
        if code not in self._codes:
            self._codes[code] = self._read_code(code)
        function, filename, first_line, table = self._codes[code]
        return OutsideFrame(
            function, filename, find_line(table, first_line, lasti, self._build.minor)
        )

    def _read_code(self, code: int) -> tuple[str, str, int, bytes]:
        """Name, file, first line and line table."""
        layout, memory = self._layout, self._memory
        name = layout.qualname if layout.qualname >= 0 else layout.name
        first_line = memory.read_i32(code + layout.first_line)
        table = memory.read_u64(code + layout.line_table)
        size = memory.read_u64(table + _LENGTH)
        if first_line is None or not table or size > _MOST_TABLE_BYTES:
            raise _Torn
        return (
            self._read_text(memory.read_u64(code + name)),
            self._read_text(memory.read_u64(code + layout.filename)),
            first_line,
            memory.read(table + _BYTES_DATA, size),
        )

    def _read_text(self, text: int) -> str:
        """The text of a str object, cut if it is very long."""
        head = self._memory.read(text + _LENGTH, _STATE - _LENGTH + 4)
        if len(head) != _STATE - _LENGTH + 4:
            raise _Torn
        length, state = struct.unpack_from("<Q", head)[0], struct.unpack_from("<I", head, 16)[0]
        self._kind_shift = self._kind_shift or _find_kind_shift(state)
        bits = state >> self._kind_shift
        kind = bits & 7
        if not self._kind_shift or kind not in _KINDS or not bits & 8:
            raise _Torn
        data = self._layout.ascii_data if bits & 16 else self._layout.compact_data
        size = min(length, _MOST_CHARACTERS) * kind
        return self._memory.read(text + data, size).decode(_KINDS[kind], "replace")


def _find_kind_shift(state: int) -> int:
    """The bit at which ``kind`` begins (from 3.14 on another one), found in the state of an ASCII
    str; 0 = the str is not ASCII."""
    return next((shift for shift in range(2, 17) if state >> shift & 31 == _ASCII), 0)
