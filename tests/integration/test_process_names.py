"""Children of multiprocessing: their program's command in lists, their own names once attached."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness.pythons import Python, pythons_with_gil
from harness.session import Session
from harness.targets import die_with_parent
from stackglass.attach.processes import list_processes

pytestmark = pytest.mark.attach

# sys.executable of the others may be a loader's: they start no children.
PYTHONS = [python for python in pythons_with_gil() if python.source == "pyenv"]

PROGRAM = """
import multiprocessing, os, sys

def work(pids, end):
    pids.put(os.getpid())
    end.get()

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    pids, end = context.Queue(), context.Queue()
    process = context.Process(target=work, args=(pids, end), name="cruncher\\n é")
    process.start()
    print(pids.get(), flush=True)
    sys.stdin.read()
    end.put(None)
    process.join()
"""


LATE = """
import multiprocessing, sys
print(flush=True)
sys.stdin.readline()
multiprocessing.current_process().name = "late"
sys.stdin.readline()
"""


@pytest.mark.parametrize("python", PYTHONS, ids=lambda python: python.label)
def test_a_name_that_comes_after_the_engine(python: Python) -> None:
    """As in a child that has the engine from its first line, or by a fork."""
    with subprocess.Popen(
        [python.executable, "-c", LATE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=die_with_parent,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdout.readline()
        with Session(program.pid) as session:
            assert session.ready.process_name == ""
            program.stdin.write(b"\n")
            program.stdin.flush()
            session._wait(lambda: session.status.process_name == "late", "name")
        program.stdin.close()
    assert program.returncode == 0


@pytest.mark.parametrize("python", PYTHONS, ids=lambda python: python.label)
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_child_has_a_telling_name(python: Python, method: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    with subprocess.Popen(
        [python.executable, path, method],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=die_with_parent,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        child = int(program.stdout.readline())
        listed = {info.pid: info.command for info in list_processes()}
        note = "" if method == "fork" else " [multiprocessing child]"
        assert listed[child] == f"{listed[program.pid]}{note}"
        assert f"program.py {method}" in listed[child]
        with Session(child) as session:
            assert session.ready.process_name == "cruncher\n é"
        with Session(program.pid) as session:
            assert session.ready.process_name == ""
        program.stdin.close()
    assert program.returncode == 0
