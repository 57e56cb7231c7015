"""The writer's side of the program's requests, against a slot that others use as well."""

from __future__ import annotations

import subprocess
import sysconfig

import pytest

from harness.compiled import CORE, compile_program, find_compiler

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")


def test_the_slot_of_a_finished_withdrawal_may_be_another_request() -> None:
    """It is left alone until the writer takes it: answered once, and no rate is withdrawn."""
    room = CORE / "agent" / "program_control.c"
    headers = sysconfig.get_path("include")
    program = compile_program(
        "withdrawn_slot.c", "-D_GNU_SOURCE", f"-iquote{CORE}", f"-I{headers}", str(room)
    )
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["1", "0"]
