"""``run --children``: each Python that a program starts or forks is recorded by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.matrix import PYTHONS
from harness.pythons import Python
from harness.recorder import PATIENCE_S, run_command, start_command, wait_until
from harness.saved_profile import SavedProfile
from stackglass.attach.socket_directory import list_folders

pytestmark = pytest.mark.attach

# Those with frames as objects and without. sys.executable of the others may be a loader's.
TWO = [python for python in PYTHONS if python.minor in (9, 13) and python.source == "pyenv"]
two_pythons = pytest.mark.parametrize(
    "python", TWO or [PYTHONS[0]], ids=lambda python: python.label
)

BURN = """
import os, sys, time
def burn(cpu_s):
    end = time.thread_time() + cpu_s
    while time.thread_time() < end:
        sum(range(1000))
"""
FORK = (
    BURN
    + """
pids = []
for _ in range(3):
    pid = os.fork()
    if not pid:
        burn(0.4)
        os._exit(0)
    pids.append(pid)
print(*pids)
for pid in pids:
    assert os.waitpid(pid, 0)[1] == 0
"""
)
MULTIPROCESSING = (
    BURN
    + """
import multiprocessing
def work(n):
    burn(0.4)
    return os.getpid()
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(2) as pool:
        print(*sorted(set(pool.map(work, range(4), 1))))
"""
)
SUBPROCESS = (
    BURN
    + """
import subprocess
if len(sys.argv) > 1:
    burn(0.4)
else:
    process = subprocess.Popen([sys.executable, __file__, "child"])
    print(process.pid)
    sys.exit(process.wait())
"""
)
# The program itself ignores the environment, and is entered from outside.
ISOLATED = (
    BURN
    + """
import subprocess
def is_entered():
    with open("/proc/self/maps") as maps:
        return "stackglass" in maps.read()
if len(sys.argv) > 1:
    burn(0.4)
else:
    while not is_entered():
        burn(0.05)
    process = subprocess.Popen([sys.executable, __file__, "child"])
    print(process.pid)
    sys.exit(process.wait())
"""
)
EXEC = (
    BURN
    + """
burn(0.4)
print(os.getpid(), flush=True)
if len(sys.argv) == 1:
    os.execv(sys.executable, [sys.executable, __file__, "again"])
"""
)


def run_children(
    python: str, folder: Path, program: str, *words: str, flags: Sequence[str] = ()
) -> list[Path]:
    """Run a program that prints PIDs; the files of those."""
    path = folder / "program.py"
    path.write_text(program)
    output = folder / "cpu.{pid}.pb.gz"
    status, out, err = run_command(
        "run", "--children", "--cpu-hz", "1000", "-o", output, python, *flags, path, *words
    )
    assert (status, err) == (0, "")
    return [folder / f"cpu.{int(word)}.pb.gz" for word in out.split()]


@two_pythons
def test_forked_children(python: Python, tmp_path: Path) -> None:
    files = run_children(python.executable, tmp_path, FORK)
    assert len(files) == 3
    each_ns = [SavedProfile.read(file).cum_ns("burn") for file in files]
    assert all(each_ns)
    assert len(list(tmp_path.glob("cpu.*"))) == 4
    merged = tmp_path / "merged.pb.gz"
    run_pprof("-proto", f"-output={merged}", *files)
    assert SavedProfile.read(merged).cum_ns("burn") == sum(each_ns)


@two_pythons
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_of_multiprocessing(python: Python, tmp_path: Path, method: str) -> None:
    files = run_children(python.executable, tmp_path, MULTIPROCESSING, method)
    assert files
    total = sum(SavedProfile.read(file).cum_ns("work") for file in files)
    assert total > 0.3e9


def list_sockets(pid: int) -> list[Path]:
    folders = map(Path, list_folders(os.geteuid()))
    return [socket for folder in folders for socket in folder.glob(f"{pid}-*.sock")]


def test_workers_that_come_and_go_leave_no_sockets(tmp_path: Path) -> None:
    """Neither while the program runs, nor at its end."""
    program = BURN + (
        "pids = [os.getpid()]\n"
        "for _ in range(3):\n"
        "    pids.append(os.fork())\n"
        "    if not pids[-1]:\n        burn(0.2)\n        os._exit(0)\n"
        "    os.waitpid(pids[-1], 0)\n"
        "print(*pids, flush=True)\n"
        "time.sleep(60)\n"
    )
    words = ("run", "--children", "-o", tmp_path / "cpu.{pid}", "-c", program)
    with start_command(*words) as process:
        assert process.stdout is not None
        parent, *ended, last = map(int, process.stdout.readline().split())
        wait_until(lambda: not any(map(list_sockets, ended)), "the end of their sockets")
        assert list_sockets(parent)
        os.kill(parent, signal.SIGKILL)
        assert process.wait(PATIENCE_S) == -signal.SIGKILL
    assert not any(map(list_sockets, (parent, last)))


@two_pythons
def test_a_python_that_is_started(python: Python, tmp_path: Path) -> None:
    (file,) = run_children(python.executable, tmp_path, SUBPROCESS)
    assert SavedProfile.read(file).cum_ns("burn") > 0


@two_pythons
def test_a_python_that_an_isolated_one_starts(python: Python, tmp_path: Path) -> None:
    (file,) = run_children(python.executable, tmp_path, ISOLATED, flags=["-I"])
    assert SavedProfile.read(file).cum_ns("burn") > 0.3e9


def test_a_program_that_replaces_itself_writes_both(tmp_path: Path) -> None:
    first, second = run_children(sys.executable, tmp_path, EXEC)
    assert first == second
    again = first.with_name(first.name.replace(".pb.gz", "-2.pb.gz"))
    for file in (first, again):
        assert SavedProfile.read(file).cum_ns("burn") > 0


def test_a_program_that_replaces_itself_unrecorded_is_reported(tmp_path: Path) -> None:
    program, output = tmp_path / "program.py", tmp_path / "cpu.pb.gz"
    program.write_text(EXEC)
    status, _, err = run_command("run", "-o", output, sys.executable, program)
    assert status == 0
    assert "runs on unrecorded" in err
    assert "--children" in err
    assert SavedProfile.read(output).cum_ns("burn") > 0


def test_a_child_that_outlives_the_program_is_recorded_until_then(tmp_path: Path) -> None:
    program = BURN + (
        "pid = os.fork()\n"
        "if not pid:\n    burn(60)\n"
        "print(pid, flush=True)\n"
        "time.sleep(2)\n"
        "os._exit(3)\n"
    )
    output = tmp_path / "cpu.{pid}.pb.gz"
    words = ("run", "--children", "-o", output, "-c", program)
    with start_command(*words) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        assert process.wait(PATIENCE_S) == 3
        os.kill(child, signal.SIGKILL)
    assert SavedProfile.read(tmp_path / f"cpu.{child}.pb.gz").cum_ns("burn") > 0


def test_children_run_on_if_the_recorder_dies(tmp_path: Path) -> None:
    program = (
        "import os, sys, time\n"
        "print('begun', flush=True)\n"
        "sys.stdin.readline()\n"
        "begun = time.monotonic()\n"
        "if not os.fork():\n"
        f"    open({str(tmp_path / 'took')!r}, 'w').write(str(time.monotonic() - begun))\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    )
    words = ("run", "--children", "-o", tmp_path / "cpu.{pid}.pb.gz", "-c", program)
    with start_command(*words, stdin=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == b"begun\n"
        process.kill()
        process.wait()
        process.stdin.write(b"\n")
        process.stdin.close()
        took = tmp_path / "took"
        wait_until(lambda: took.exists() and took.read_text(), "a child")
    assert float(took.read_text()) < 1.0


@pytest.mark.parametrize("output", ["cpu.pb.gz", "-"])
def test_one_file_for_all_is_refused(tmp_path: Path, output: str) -> None:
    words = ("run", "--children", "-o", tmp_path / output, sys.executable, "-c", "pass")
    status, _, err = run_command(*words)
    assert status == 2
    assert "put {pid} into the name" in err
