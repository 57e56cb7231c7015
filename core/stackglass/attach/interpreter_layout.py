"""Interpreter layout: where an interpreter keeps its threads, frames and code, by version.

::

    _PyRuntime ─▶ interpreter ─▶ thread state ─▶ frame ─previous─▶ frame …
                      │ next         │ next        │ code
                      ▼              ▼             ▼
                     …              …            names, line table

The same offsets as in ``native/interpreter/debug_offsets.c``, which reads them inside the process:
up to 3.12 from a table, from 3.13 on from the process's own ``_Py_DebugOffsets``.
"""

from __future__ import annotations

import struct

from stackglass.attach.python_build import PythonBuild
from stackglass.attach.target_memory import TargetMemory
from stackglass.named_tuple import NamedTuple


class InterpreterLayout(NamedTuple):
    """Offsets in bytes, of a 64-bit build; -1 = this version has no such field."""

    interpreters_head: int  # in _PyRuntime
    interpreter_next: int  # in the interpreter's state
    threads_head: int
    thread_id: int  # in the thread's state: pthread_t
    native_thread_id: int
    current_frame: int
    control_frame: int  # in the struct that current_frame points to, where that is not the frame
    previous: int  # in the frame
    code: int
    instruction: int
    owner: int
    filename: int  # in the code object
    name: int
    qualname: int
    first_line: int
    line_table: int
    first_traceable: int
    bytecode: int
    ascii_data: int  # in a str object
    compact_data: int


_TABLE = {
    9: (32, 0, 8, 176, -1, 24, -1, 24, 32, 104, -1, 104, 112, -1, 40, 120, -1, -1, 48, 72),
    10: (32, 0, 8, 176, -1, 24, -1, 24, 32, 96, -1, 104, 112, -1, 40, 120, -1, -1, 48, 72),
    11: (40, 0, 16, 152, 160, 56, 8, 48, 32, 56, 69, 112, 120, 128, 72, 136, 168, 184, 48, 72),
    12: (40, 0, 72, 136, 144, 56, 0, 8, 0, 56, 70, 112, 120, 128, 68, 136, 176, 192, 40, 56),
}
_FROM_DEBUG_OFFSETS = (
    "interpreters_head",
    "interpreter_next",
    "threads_head",
    "thread_id",
    "native_thread_id",
    "current_frame",
    "previous",
    "code",
    "instruction",
    "owner",
    "filename",
    "name",
    "qualname",
    "line_table",
    "first_line",
    "bytecode",
    "ascii_data",
)
# Where _Py_DebugOffsets holds each of them.
_POSITIONS = {
    13: (40, 64, 72, 192, 200, 184, 232, 240, 248, 264, 280, 288, 296, 304, 312, 344, 560),
    14: (40, 64, 72, 216, 224, 208, 256, 264, 272, 288, 320, 328, 336, 344, 352, 384, 640),
    15: (40, 64, 72, 240, 248, 208, 320, 328, 336, 352, 384, 392, 400, 408, 416, 448, 736),
}
_TRACEABLE_BEFORE_BYTECODE = 16
_COMPACT_BEHIND_ASCII = 16  # the UTF-8 cache: length and pointer
_LARGEST_OFFSET = 1 << 20


def find_layout(memory: TargetMemory, build: PythonBuild) -> InterpreterLayout | None:
    """The layout of the process's interpreter; None if it is not known, or makes no sense."""
    if build.is_free_threaded or not build.runtime:
        return None
    if build.minor in _TABLE:
        return InterpreterLayout(*_TABLE[build.minor])
    if build.minor not in _POSITIONS or not build.has_debug_offsets:
        return None
    positions = _POSITIONS[build.minor]
    table = memory.read(build.runtime, max(positions) + 8)
    if len(table) < max(positions) + 8:
        return None
    offsets = {
        name: struct.unpack_from("<Q", table, position)[0]
        for name, position in zip(_FROM_DEBUG_OFFSETS, positions)
    }
    if max(offsets.values()) > _LARGEST_OFFSET:
        return None
    return InterpreterLayout(
        **offsets,
        control_frame=-1,
        first_traceable=offsets["bytecode"] - _TRACEABLE_BEFORE_BYTECODE,
        compact_data=offsets["ascii_data"] + _COMPACT_BEHIND_ASCII,
    )
