"""What is looked up in a process before it is touched, and a process that is only being started."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.fake_proc import FakeProc
from stackglass.attach import injection
from stackglass.attach.errors import (
    BusyTargetError,
    InjectionError,
    NoSuchProcessError,
    UnsupportedPythonError,
)
from stackglass.attach.injection import inject
from stackglass.attach.memory_map import Mapping
from stackglass.attach.proc import PROC, Proc

NO_PROCESS = 2**22 + 1  # more than the kernel gives out
PROGRAM = "5000-6000 r-xp 00000000 00:01 9 /bin/python3\n"
LOADER = "7000-8000 r-xp 00000000 00:01 7 /lib64/ld-linux-x86-64.so.2\n"


class LoadingProc(Proc):
    """A process whose C library is there from the third look on; it ends before it is entered."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root))
        self.n_looks = 0

    def read_maps(self, pid: int) -> list[Mapping]:
        self.n_looks += 1
        return super().read_maps(pid) if self.n_looks < 3 else PROC.read_maps(os.getpid())


def test_a_program_that_is_being_loaded_is_waited_for(tmp_path: Path) -> None:
    FakeProc(tmp_path).add(NO_PROCESS, maps=PROGRAM + LOADER)
    proc = LoadingProc(tmp_path)
    with pytest.raises(NoSuchProcessError):
        inject(NO_PROCESS, "/none.so", b"\0", proc=proc)
    assert proc.n_looks == 3


def test_one_that_stays_so_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FakeProc(tmp_path).add(NO_PROCESS, maps=PROGRAM + LOADER)
    monkeypatch.setattr(injection, "_LOAD_TIMEOUT_NS", 0)
    with pytest.raises(BusyTargetError, match="being loaded"):
        inject(NO_PROCESS, "/none.so", b"\0", proc=FakeProc(tmp_path).proc)


def test_without_a_loader_there_is_no_way_in(tmp_path: Path) -> None:
    FakeProc(tmp_path).add(NO_PROCESS, maps=PROGRAM)
    with pytest.raises(UnsupportedPythonError, match="no dynamic loader"):
        inject(NO_PROCESS, "/none.so", b"\0", proc=FakeProc(tmp_path).proc)


@pytest.mark.parametrize(
    ("flags", "cause"),
    [
        pytest.param(os.ST_NOEXEC, r"the file system of /tmp is mounted noexec", id="noexec"),
        pytest.param(0, r"address space is limited to 7 bytes", id="memory"),
    ],
)
def test_a_library_that_cannot_be_mapped(
    flags: int, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loader gives the same reason for both."""
    FakeProc(tmp_path).add(NO_PROCESS)
    limits = "Max address space         7            unlimited            bytes     \n"
    (tmp_path / str(NO_PROCESS) / "limits").write_text(limits)
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_flag=flags))
    text = "/tmp/core.so: failed to map segment from shared object"
    with pytest.raises(InjectionError, match=cause):
        injection._raise_failure(
            NO_PROCESS, injection._Status.LOADER, 0, text, "/tmp/core.so", FakeProc(tmp_path).proc
        )


def test_a_tracer_that_cannot_be_started_is_no_fault_of_the_process() -> None:
    """Here its request is too large to be kept."""
    too_large = b"x" * (1 << 16)
    with pytest.raises(InjectionError, match=r"start a tracer of its own \(Argument list too long"):
        inject(os.getpid(), "/none.so", too_large)


def test_one_that_has_ended_says_so(tmp_path: Path) -> None:
    FakeProc(tmp_path).add(NO_PROCESS)
    with pytest.raises(NoSuchProcessError):
        inject(NO_PROCESS, "/none.so", b"\0", proc=FakeProc(tmp_path).proc)
