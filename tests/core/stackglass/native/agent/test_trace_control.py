"""The writer's side of a memory trace that fails half-way."""

from __future__ import annotations

import subprocess
import sysconfig

import pytest

from harness.compiled import CORE, compile_program, find_compiler

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")


def test_a_trace_without_memory_for_its_stream_is_unhooked() -> None:
    """It went on recording until the engine left, and no other trace could begin. Its client gets
    the reason; the next client's trace begins once the job that unhooks is done."""
    room = CORE / "agent" / "trace_control.c"
    headers = sysconfig.get_path("include")
    program = compile_program(
        "trace_without_memory.c", "-D_GNU_SOURCE", f"-iquote{CORE}", f"-I{headers}", str(room)
    )
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["1", "1", "0", "1"]
