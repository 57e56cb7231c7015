"""The writer's side of the program's requests, against a slot that others use as well."""

from __future__ import annotations

import subprocess
import sysconfig

import pytest

from harness.compiled import CORE, compile_program, find_compiler

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")


def run_writer_side(target: str, *files: str) -> str:
    """Compile a program of ``tests/targets`` with these files of the room, and run it."""
    headers = sysconfig.get_path("include")
    rooms = [str(CORE / "agent" / file) for file in files]
    program = compile_program(target, "-D_GNU_SOURCE", f"-iquote{CORE}", f"-I{headers}", *rooms)
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def test_the_slot_of_a_finished_withdrawal_may_be_another_request() -> None:
    """It is left alone until the writer takes it: answered once, and no rate is withdrawn."""
    assert run_writer_side("withdrawn_slot.c", "program_control.c").split() == ["1", "0"]


def test_a_rate_that_the_program_gave_up_is_not_in_force_later() -> None:
    """The hooks are installed after the program has got an error. The client that came with the
    request would keep the engine; one that was there before has other rates, and stays."""
    printed = run_writer_side("abandoned_rate.c", "program_control.c", "program_requests.c")
    assert printed.splitlines() == ["0 0 0", "0 0 1"]
