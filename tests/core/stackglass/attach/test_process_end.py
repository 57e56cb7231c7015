"""How a process ended, of a made-up ``/proc`` and of real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.fake_proc import FakeProc
from stackglass.attach import process_end
from stackglass.attach.proc import PROC, Proc
from stackglass.attach.process_end import EndWatch, ProcessEnd

PID = 4000
N_FIELDS = 52
KILLED = 9


class DyingProc(Proc):
    """A process that is a zombie from the third look on."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root))
        self._root = root
        self._n_looks = 0

    def has_ended(self, pid: int) -> bool:
        self._n_looks += 1
        if self._n_looks == 3:
            write_stat(self._root, "Z", KILLED)
        return super().has_ended(pid)


def write_stat(root: Path, state: str, status: int) -> None:
    fields = [state, *["0"] * (N_FIELDS - 3)]
    fields[49] = str(status)
    (root / str(PID) / "stat").write_text(f"{PID} (python) {' '.join(fields)}\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    FakeProc(tmp_path).add(PID)
    write_stat(tmp_path, "R", 0)
    return tmp_path


def test_a_dying_process_is_waited_for(root: Path) -> None:
    """Its thread was found gone; the process has no status yet, and was not reaped."""
    end = EndWatch(PID, DyingProc(root)).look()
    assert end == ProcessEnd(is_known=True, signal=KILLED)
    assert end.describe() == "ended by signal 9, SIGKILL"


def test_one_that_does_not_die_is_not_waited_for_without_end(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_end, "_DYING_S", 0.01)
    assert not EndWatch(PID, Proc(str(root))).look().is_known


def test_one_that_its_parent_has_reaped(tmp_path: Path) -> None:
    end = EndWatch(PID, FakeProc(tmp_path).proc).look()
    assert end.describe() == "exit status unknown"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise SystemExit(3)", "exit status 3"),
        ("import os; os.kill(os.getpid(), 31)", "SIGSYS: a system call filter (seccomp) forbade"),
    ],
)
def test_a_real_process(code: str, words: str) -> None:
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as process:
        watch = EndWatch(process.pid)
        until_s = time.monotonic() + 30
        end = watch.look()
        while not end.is_known and time.monotonic() < until_s:
            end = watch.look()  # its start took longer than a look waits
        watch.close()
        assert words in end.describe()
    assert process.returncode in (3, -signal.SIGSYS)


PENDING = "SigPnd:\t0000000000000000\nShdPnd:\t0000000000000100\n"  # SIGKILL


def test_a_process_whose_main_thread_ended_alone_lives() -> None:
    """Until its last thread has ended."""
    code = (
        "import ctypes, os, threading\n"
        "def end():\n"
        "    input()\n"
        "    os._exit(3)\n"
        "threading.Thread(target=end).start()\n"
        "ctypes.CDLL(None).pthread_exit(None)\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        pid = process.pid
        watch = EndWatch(pid)
        until_s = time.monotonic() + 30
        while PROC.read_thread_state(pid, pid) != "Z":
            assert time.monotonic() < until_s
            time.sleep(0.01)
        assert PROC.read_stat(pid).has_lost_main_thread
        assert not PROC.has_ended(pid)
        assert not process_end.is_dying(pid, PROC)
        assert process_end.is_living(pid, PROC)
        assert watch._ask_proc() is None
        process.stdin.write(b"\n")
        assert watch.look().describe() == "exit status 3"
        watch.close()
        assert PROC.has_ended(pid)


def test_a_process_that_exits_or_is_killed_is_dying(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(1)
    fake.add(2, flags=0x4)  # PF_EXITING
    fake.add(3, state="Z")
    fake.add(4)
    with (tmp_path / "4" / "status").open("a") as status:
        status.write(PENDING)
    assert [process_end.is_dying(pid, fake.proc) for pid in (1, 2, 3, 4, 5)] == [
        False,
        True,
        True,
        True,
        True,
    ]
    assert not process_end.is_dying(os.getpid(), PROC)
    assert not process_end.is_living(4, fake.proc)
    assert process_end.is_living(os.getpid(), PROC)
