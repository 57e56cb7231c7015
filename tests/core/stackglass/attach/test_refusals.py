"""Every reason not to enter a process has its own sentence, and says what helps."""

from __future__ import annotations

import pytest

from stackglass.attach import refusals
from stackglass.attach.caller import Caller
from stackglass.attach.errors import (
    BusyTargetError,
    NoSuchProcessError,
    NotAllowedError,
    NotPythonError,
    UnsupportedPythonError,
)
from stackglass.attach.proc import ProcessStatus, Stat
from stackglass.attach.python_build import PythonBuild

USER = Caller(pid=1, uid=1000, may_trace_anyone=False)
ADMIN = Caller(pid=1, uid=0, may_trace_anyone=True)
ROOT_IN_CONTAINER = Caller(pid=1, uid=0, may_trace_anyone=False)
STAT = Stat("S", is_kernel_thread=False, cpu_ns=0, start_time=5, rss_bytes=0, parent=1)
STATUS = ProcessStatus((1000, 1000, 1000), 0, 0, 0, 42)
BUILD = PythonBuild("3.13.0", 3, 13, False, "/lib/libpython3.13.so", 4096, True)


def test_an_ordinary_process_is_not_refused() -> None:
    refusals.refuse_kind(42, STAT, USER)
    refusals.refuse_owner(42, STATUS, USER, lambda uid: "me")
    refusals.refuse_word_size(42, True)
    refusals.refuse_build(42, BUILD)
    refusals.refuse_state(42, STAT, STATUS, "")


def test_ourselves() -> None:
    with pytest.raises(NotAllowedError, match="is this program itself"):
        refusals.refuse_kind(1, STAT, USER)


def test_a_kernel_thread() -> None:
    with pytest.raises(NotPythonError, match="thread of the kernel"):
        refusals.refuse_kind(42, STAT._replace(is_kernel_thread=True), USER)


def test_a_zombie() -> None:
    with pytest.raises(NoSuchProcessError, match="has ended"):
        refusals.refuse_kind(42, STAT._replace(state="Z"), USER)


def test_a_main_thread_that_has_ended_alone() -> None:
    with pytest.raises(NotAllowedError, match="main thread of process 42 has ended") as refusal:
        refusals.refuse_kind(42, STAT._replace(state="Z", n_threads=2), USER)
    assert "let the main thread wait for the others" in refusal.value.remedy


def test_another_user() -> None:
    """The remedy is a whole command: sudo does not search the user's PATH."""
    user = USER._replace(program=("/opt/venv/bin/stackglass",), arguments=("waits", "42"))
    with pytest.raises(NotAllowedError) as refusal:
        refusals.refuse_owner(42, STATUS._replace(uids=(33, 33, 33)), user, lambda uid: "bob")
    assert str(refusal.value) == (
        "process 42 belongs to another user, bob: "
        "run as bob, or as root: `sudo /opt/venv/bin/stackglass waits 42`"
    )
    with pytest.raises(NotAllowedError, match="user, root: run as root: `sudo "):
        refusals.refuse_owner(42, STATUS._replace(uids=(0, 0, 0)), user, lambda uid: "root")
    refusals.refuse_owner(42, STATUS._replace(uids=(33, 33, 33)), ADMIN, lambda uid: "bob")


def test_a_program_that_changed_its_user() -> None:
    with pytest.raises(NotAllowedError, match="another user"):
        refusals.refuse_owner(42, STATUS._replace(uids=(1000, 0, 0)), USER, lambda uid: "root")


def test_32_bits() -> None:
    with pytest.raises(UnsupportedPythonError, match="32-bit"):
        refusals.refuse_word_size(42, False)


@pytest.mark.parametrize(
    ("version", "major", "minor"),
    [("2.7.18", 2, 7), ("3.8.20", 3, 8), ("3.16.0a1", 3, 16), ("4.0.0", 4, 0)],
)
def test_a_version_that_the_engine_does_not_know(version: str, major: int, minor: int) -> None:
    build = BUILD._replace(version=version, major=major, minor=minor)
    with pytest.raises(UnsupportedPythonError, match=rf"Python {version}: .*3\.9 to 3\.15"):
        refusals.refuse_build(42, build)


def test_an_unknown_version() -> None:
    with pytest.raises(UnsupportedPythonError, match="unknown version"):
        refusals.refuse_build(42, BUILD._replace(version="", major=0, minor=0))


def test_a_free_threaded_build() -> None:
    with pytest.raises(UnsupportedPythonError, match="free-threaded"):
        refusals.refuse_build(42, BUILD._replace(is_free_threaded=True))


def test_a_debugger() -> None:
    with pytest.raises(BusyTargetError, match=r"traced by process 99 \(gdb\)"):
        refusals.refuse_state(42, STAT, STATUS._replace(tracer=99), "gdb")


def test_ctrl_z() -> None:
    with pytest.raises(
        BusyTargetError, match=r"stopped \(Ctrl-Z\): continue it with kill -CONT 42"
    ):
        refusals.refuse_state(42, STAT._replace(state="T"), STATUS, "")


@pytest.mark.parametrize(
    ("caller", "scope", "why", "remedy"),
    [
        (USER, 1, "only its ancestors", "sysctl kernel.yama.ptrace_scope=0"),
        (USER, 2, "only administrators", "sudo"),
        (USER, 3, "no process may be traced", "at boot"),
        (ADMIN, 3, "no process may be traced", "at boot"),
        (USER, 0, "protected against tracing", "sudo"),
        (ROOT_IN_CONTAINER, 0, "even to root", "--cap-add=SYS_PTRACE"),
    ],
)
def test_a_kernel_that_does_not_let_us(caller: Caller, scope: int, why: str, remedy: str) -> None:
    error = refusals.explain_denial(42, STATUS, caller, scope)
    assert isinstance(error, NotAllowedError)
    assert why in error.message
    assert remedy in error.remedy
    assert "\n" not in str(error)


def test_a_container() -> None:
    error = refusals.explain_unreachable(42, "/opt/venv/_core.so")
    assert "container" in error.message
    assert "docker exec" in error.remedy
