"""Python stacks read from the memory of real processes."""

from __future__ import annotations

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python
from harness.recorder import run_command, wait_until
from harness.targets import FOLDER, Target
from stackglass.attach.outside_stacks import OutsideStack, read_main_stack, read_stacks

pytestmark = pytest.mark.attach

FIRST_WITH_QUALNAMES = 11
N_WAITING = 46


def find_line(program: str, text: str) -> int:
    lines = (FOLDER / program).read_text().splitlines()
    return 1 + next(at for at, line in enumerate(lines) if text in line)


def list_names(stack: OutsideStack) -> list[str]:
    return [frame.function for frame in stack.frames]


def calls(function: str, pid: int) -> bool:
    return any(function in list_names(stack) for stack in read_stacks(pid)[0])


@each_python
def test_a_process_whose_c_code_keeps_the_gil(python: Python) -> None:
    """Nothing could be asked of it: an engine cannot enter."""
    with Target(python, "gil_never_given.py", has_stdin=True) as target:
        target.ask("hang")
        of_class = "Service." if python.minor >= FIRST_WITH_QUALNAMES else ""
        wait_until(lambda: calls(f"{of_class}check", target.pid), "the call")
        (stack,), n_left_out = read_stacks(target.pid)
        assert n_left_out == 0
        assert read_main_stack(target.pid) == (stack, True)
        assert list_names(stack) == [f"{of_class}check", f"{of_class}answer", "<module>"]
        assert stack.tid == target.pid
        program = "gil_never_given.py"
        texts = ("deque(items", "self.check(", "Service().answer()")
        assert [frame.line for frame in stack.frames] == [
            find_line(program, text) for text in texts
        ]
        assert {frame.filename for frame in stack.frames} == {str(FOLDER / program)}


@each_python
def test_threads_that_wait_have_their_stacks_and_the_process_goes_on(python: Python) -> None:
    with Target(python, "threads_50.py") as target:
        seen: set[int] = set()

        def have_come() -> bool:
            stacks, _ = read_stacks(target.pid)
            seen.update(stack.tid for stack in stacks if "wait" in list_names(stack))
            return len(seen) == N_WAITING

        wait_until(have_come, "46 threads that wait")
        assert 0 not in seen
        target.finish()


@some_pythons
def test_threads_prints_them_where_the_engine_cannot_enter(python: Python) -> None:
    with Target(python, "gil_never_given.py", has_stdin=True) as target:
        target.ask("hang")
        status, out, err = run_command("threads", target.pid, "--timeout", "1")
        assert (status, err.count("\n")) == (1, 1)
        assert "has not answered for 1 s, because the engine waits for the GIL" in err
        assert f"thread {target.pid} (" in out
        assert "check  " in out
        for options in (("--json",), ("--debug", "2")):
            status, out, err = run_command("threads", target.pid, "--timeout", "1", *options)
            assert (status, out) == (1, "")
