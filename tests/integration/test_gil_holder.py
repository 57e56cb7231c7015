"""Who keeps the GIL: C code, which the engine reports; Python code, which is asked for it."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from harness.matrix import ONE_EACH, PYTHONS, choose_pythons, each_python
from harness.pythons import Python
from harness.recorder import start_record
from harness.session import PATIENCE_S, Session
from harness.targets import Target
from stackglass.attach.proc import PROC

FIRST_WITH_QUALNAMES = 11
FIRST_THAT_HEARS = 13  # before, pending calls of other threads were noticed at the next gap only
LONG_NS = 100_000_000
N_TRIES = 5  # an attach may fall between two calls that keep the GIL


@pytest.mark.attach
@each_python
def test_waiting_for_the_gil_is_reported(python: Python) -> None:
    with Target(python, "c_with_gil.py") as target:
        waits_ns = []
        for _ in range(N_TRIES):
            with Session(target.pid, hz=100) as session:
                waits_ns.append(session.watch_gil_wait())
                session.wait_for_function("match_badly")
                session.detach()
            if waits_ns[-1] > 0:
                break
        assert any(waits_ns), "no Status before Ready ever reported a wait"
        target.finish()


@pytest.mark.attach
@choose_pythons(ONE_EACH, [python for python in PYTHONS if python.minor >= FIRST_THAT_HEARS])
def test_the_main_thread_hands_the_gil_over(python: Python) -> None:
    """The engine would not get it by waiting: CPython would not ask for an hour."""
    with Target(python, "heap/stingy.py") as target, Session(target.pid, hz=100) as session:
        session.wait_for_function("keep_at_it")
        session.detach()


@pytest.mark.attach
@each_python
def test_code_that_never_gives_the_gil_back_has_names(python: Python) -> None:
    """Its functions were never seen before, and nothing can be asked of the interpreter."""
    with (
        Target(python, "gil_never_given.py", has_stdin=True) as target,
        Session(target.pid, hz=1000) as session,
    ):
        assert session.ready
        target.ask("hang")
        session.wait_for_function("check")
        session.wait_for_gil_wait(10**9)  # the function was not named because the call ended
        stacks = [session.stacks.find_stack(node) for _, node in session.stacks.counts]
    of_class = "Service." if python.minor >= FIRST_WITH_QUALNAMES else ""
    functions = ("<module>", f"{of_class}answer", f"{of_class}check")
    assert [f"__main__.{name}" for name in functions] in [stack[:3] for stack in stacks]


def wait_for_work(pid: int) -> None:
    """Wait until a process has used more CPU time than its way from an answer into the regex. On a
    busy machine, the engine would come before."""
    enough_ns = PROC.read_stat(pid).cpu_ns + LONG_NS
    until_s = time.monotonic() + PATIENCE_S
    while PROC.read_stat(pid).cpu_ns < enough_ns:
        assert time.monotonic() < until_s, "the program does not hang"
        time.sleep(0.01)


@pytest.mark.attach
@each_python
def test_a_recording_that_waits_says_so_where_there_is_no_terminal(
    python: Python, tmp_path: Path
) -> None:
    with Target(python, "gil_never_given.py", has_stdin=True) as target:
        target.ask("hang")
        wait_for_work(target.pid)
        process = start_record(target.pid, "-o", tmp_path / "cpu.pb.gz")
        try:
            assert process.stderr is not None
            line = process.stderr.readline().decode()
            assert line.startswith(f"stackglass: process {target.pid}: waiting for the GIL: C code")
            process.send_signal(signal.SIGINT)
            _, rest = process.communicate(timeout=PATIENCE_S)
            assert rest.decode() == f"stackglass: process {target.pid} did not answer\n"
            assert process.returncode == 1
        finally:
            process.kill()
            process.communicate()
