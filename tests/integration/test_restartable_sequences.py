"""Restartable sequences (rseq): interrupted in one, a thread starts it anew, also with us there."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import pytest

from harness.compiled import compile_library, compile_program, find_compiler
from harness.matrix import PYTHONS, SOME, choose_pythons
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target
from stackglass.attach import injection

pytestmark = [
    pytest.mark.attach,
    pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the program is for x86-64"),
]

ENTERED = 7  # what fake_engine.c returns
PATIENCE_S = 60.0
N_ENTRIES = 40
BY_THE_PROGRAM = "glibc.pthread.rseq=0"


@pytest.mark.parametrize("tunables", ["", BY_THE_PROGRAM], ids=["library's", "program's"])
def test_none_goes_on_after_an_entry(tunables: str) -> None:
    """By the main thread, which nearly always stands in a sequence."""
    with subprocess.Popen(
        [compile_program("sequences.c", "-pthread")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "GLIBC_TUNABLES": tunables},
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            for _ in range(N_ENTRIES):
                done = injection.inject(
                    process.pid,
                    compile_library("fake_engine.c"),
                    b"file=" + os.fsencode(os.devnull) + b"\0\0",
                    threads=(process.pid,),
                )
                assert done.value == ENTERED
            said, _ = process.communicate("", timeout=PATIENCE_S)
        finally:
            process.kill()
    assert process.returncode == 0
    n_counted, n_there, _ = map(int, said.split())
    assert n_counted > 0
    assert n_there == n_counted


@choose_pythons(SOME, PYTHONS)
def test_none_goes_on_while_its_thread_is_sampled(python: Python, tmp_path: Path) -> None:
    """Sessions come and go, with the signal at its highest rate. Sequences are the C library's and
    the kernel's, whatever the Python."""
    library = compile_library("sequences.c")
    with Target(python, "sequences.py", LIBRARY=library) as target:
        for turn in range(6):
            with Session(target.pid, hz=10_000) as session:
                if turn % 2:
                    session.set_native(True)
                session.wait_for_samples(300)
                session.detach()
                session.wait_for_end()
        last = target.finish()
    assert last["counted"] > 0
    assert last["missing"] == 0
