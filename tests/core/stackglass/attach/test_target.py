"""Looking at a process, over a /proc of our own making and the real one."""

from __future__ import annotations

import contextlib
import os
import platform
from pathlib import Path

import pytest

from harness.fake_proc import FakeProc, hide
from stackglass.attach import target as targets
from stackglass.attach.caller import Caller
from stackglass.attach.errors import (
    BusyTargetError,
    NoSuchProcessError,
    NotAllowedError,
    NotPythonError,
    UnreachableError,
)
from stackglass.attach.memory_map import list_files
from stackglass.attach.proc import PROC
from stackglass.attach.python_build import PythonBuild, find_python
from stackglass.attach.target import Target

USER = Caller(pid=1, uid=1000, may_trace_anyone=False)
BUILD = PythonBuild("3.13.0", 3, 13, False, "/lib/libpython3.13.so", 4096, True)
TARGET = Target(42, 5000, 1000, BUILD)
KERNEL_THREAD = 0x00200000


def test_nobody(tmp_path: Path) -> None:
    with pytest.raises(NoSuchProcessError, match="there is no process 42"):
        targets.inspect(42, USER, FakeProc(tmp_path).proc)


def test_a_kernel_thread(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, flags=KERNEL_THREAD)
    with pytest.raises(NotPythonError, match="kernel"):
        targets.inspect(42, USER, fake.proc)


def test_another_user(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, uid=0)
    with pytest.raises(NotAllowedError, match="another user, root"):
        targets.inspect(42, USER, fake.proc)


def test_no_python(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, name="sshd")
    with pytest.raises(NotPythonError, match=r"process 42 \(sshd\) is not a Python program"):
        targets.inspect(42, USER, fake.proc)


def test_a_debugger_holds_it(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, tracer=43)
    fake.add(43, name="gdb")
    with pytest.raises(BusyTargetError, match=r"process 43 \(gdb\)"):
        targets.check_entry(TARGET, USER, fake.proc)


def test_a_tracer_that_has_just_left(tmp_path: Path) -> None:
    """Another client that enters traces the process for a moment; its thread may end meanwhile."""
    fake = FakeProc(tmp_path)
    fake.add(42, tracer=43)
    with contextlib.suppress(NotAllowedError):  # the fake memory is another question
        targets.check_entry(TARGET, USER, fake.proc)


def test_a_stopped_one(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, state="T")
    with pytest.raises(BusyTargetError, match="Ctrl-Z"):
        targets.check_entry(TARGET, USER, fake.proc)


def test_memory_that_is_closed_to_us(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42)
    fake.set_scope(1)
    (tmp_path / "42" / "mem").unlink()  # permissions do not stop root: its absence must do
    with pytest.raises(NotAllowedError, match="ptrace_scope is 1"):
        targets.check_entry(TARGET, USER, fake.proc)


def test_a_python_that_was_replaced_on_disk_and_may_not_be_traced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its map is readable, its files are not, and Yama closes its memory."""

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    fake = FakeProc(tmp_path)
    fake.add(42)
    fake.set_scope(1)
    monkeypatch.setattr(targets, "find_python", refuse)
    with pytest.raises(NotAllowedError, match="ptrace_scope is 1"):
        targets.inspect(42, USER, fake.proc)


def test_an_ordinary_one(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42)
    targets.check_entry(TARGET, USER, fake.proc)
    targets.check_reachable(TARGET, str(Path(__file__)), fake.proc)


def test_a_file_system_of_its_own(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42)
    (tmp_path / "42" / "root").unlink()
    (tmp_path / "42" / "root").symlink_to(tmp_path)
    with pytest.raises(UnreachableError, match="container"):
        targets.check_reachable(TARGET, str(Path(__file__)), fake.proc)


def test_the_python_of_this_process_is_found_from_outside() -> None:
    pid = os.getpid()
    build = find_python(pid, PROC.read_maps(pid))
    assert build is not None
    assert build.version == platform.python_version().rstrip("+")
    assert not build.is_free_threaded
    assert build.path in {file.path for file in list_files(PROC.read_maps(pid))}
    assert build.runtime > 0


def test_users_have_names_or_numbers() -> None:
    assert targets.name_user(0) == "root"
    assert targets.name_user(4_000_000_000) == "4000000000"


def test_a_process_that_proc_hides(tmp_path: Path) -> None:
    """``/proc`` mounted with hidepid=1: the numbers of other users' processes, and no file."""
    fake = FakeProc(tmp_path)
    fake.add(42)
    with pytest.raises(NotAllowedError, match="hidepid"):
        targets.inspect(42, USER, hide(fake.proc, 42))
