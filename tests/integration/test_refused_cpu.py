"""A CPU profile that is refused, at the start or later, is refused alone: all else goes on."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import subprocess
from pathlib import Path

import pytest

from harness.matrix import cover, each_python, some_pythons
from harness.pythons import Python
from harness.recorder import record, wait_until
from harness.seccomp_filters import (
    ALLOW,
    AT_LIMIT,
    DENY,
    NO_MEMORY,
    Condition,
    build_conditional_filter,
    build_filter,
)
from harness.session import Session, SessionError
from harness.targets import Target
from stackglass.errors import AttachError
from stackglass.native import _core
from stackglass.wire import requests

pytestmark = pytest.mark.attach

PARTLY = 4
SHARED_PYTHON = "/usr/bin/python3"
LIMITED_UID = 64917  # a user with no other process
LIMITED = """
import resource, sys
soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
print(soft, flush=True)
for line in sys.stdin:
    resource.setrlimit(resource.RLIMIT_NPROC, (int(line), hard))
    print(flush=True)
"""
NO_PERF = build_filter(["perf_event_open"], DENY, ALLOW)
NEW_STACK = [  # of 256 KiB and 64 KiB of guard pages
    Condition(1, least=320 << 10, most=320 << 10),
    Condition(3, bits=0x4000),
]
NO_THREAD = build_conditional_filter("mmap", NO_MEMORY, NEW_STACK)
THREADS_AT_LIMIT = build_conditional_filter("mmap", AT_LIMIT, NEW_STACK)
NO_THREAD_PROBLEM = "there is no memory for the sampler's thread"
NO_DIRECTORY = build_conditional_filter("openat", DENY, [Condition(2, bits=0x10000)])
NO_PERF_PROBLEM = (
    "the system does not permit perf events here (kernel.perf_event_paranoid, seccomp)"
)
ALL = [word for profile in ("cpu", "heap", "block", "gil") for word in ("--profile", profile)]


def wait_for_problem(session: Session) -> str:
    session._wait(lambda: session.status.problem != "", "problem")
    return session.status.problem


def wait_for_no_problem(session: Session) -> None:
    session._wait(lambda: session.status.problem == "", "end of the problem")


def wait_for_outcome(session: Session) -> str:
    """The problem; empty = samples have come."""
    session._wait(lambda: bool(session.status.problem or session.n_samples), "samples")
    return session.status.problem


@each_python
def test_no_such_clock_costs_no_other_profile(python: Python, tmp_path: Path) -> None:
    with Target(python, "filtered.py", FILTER=NO_PERF.hex()) as target:
        status, out, errors = record(
            target.pid, *ALL, "--clock", "perf", "--duration", "0.3", "-o", tmp_path
        )
        target.finish()
    assert (status, out) == (PARTLY, "")
    assert f"stackglass: not recorded: cpu ({NO_PERF_PROBLEM})\n" in errors
    assert {path.name for path in tmp_path.iterdir()} == {
        "heap.pb.gz",
        "block.pb.gz",
        "gil.pb.gz",
    }


@some_pythons
def test_where_cpu_is_all_it_fails_at_once(python: Python, tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    with Target(python, "filtered.py", FILTER=NO_PERF.hex()) as target:
        status, _, errors = record(target.pid, "--clock", "perf", "--duration", "3600", "-o", path)
        target.finish()
    assert (status, errors) == (1, f"stackglass: not recorded: cpu ({NO_PERF_PROBLEM})\n")
    assert not path.exists()


@cover(
    "code, problem",
    [
        pytest.param(NO_THREAD, NO_THREAD_PROBLEM, id="thread"),
        pytest.param(
            NO_DIRECTORY,
            "the process's threads cannot be listed (/proc/self/task)",
            id="list",
        ),
    ],
)
def test_threads_that_cannot_be_watched(
    python: Python, code: bytes, problem: str, tmp_path: Path
) -> None:
    """The GIL's holders are not seen then either."""
    with Target(python, "filtered.py", FILTER=code.hex()) as target:
        status, _, errors = record(target.pid, *ALL, "--duration", "0.3", "-o", tmp_path)
        target.finish()
    assert (status, errors.splitlines()[0]) == (
        PARTLY,
        f"stackglass: not recorded: cpu and gil ({problem})",
    )
    assert {path.name for path in tmp_path.iterdir()} == {"heap.pb.gz", "block.pb.gz"}


@each_python
def test_a_pipe_that_is_needed(python: Python, monkeypatch: pytest.MonkeyPatch) -> None:
    """For signals, under a filter that cannot be read."""

    def deny(thread: int) -> tuple[bytes, ...]:
        raise PermissionError(errno.EACCES, "no CAP_SYS_ADMIN")

    monkeypatch.setattr(_core, "read_filters", deny)
    code = build_filter(["pipe2"], DENY, ALLOW)
    with (
        Target(python, "filtered.py", FILTER=code.hex(), SOCKETS="1") as target,
        Session(target.pid, hz=500) as session,
    ):
        assert wait_for_problem(session).startswith("the program's system call filter")
        session.set_heap_rate(4096)
        session.wait_for_heap(lambda status: status.n_samples > 0)
        session.detach()
        session.wait_for_end()
        target.finish()


@some_pythons
def test_another_client_goes_on_and_each_is_sent_the_reason(python: Python) -> None:
    """Turned on by the second of them, which then leaves."""
    with (
        Target(python, "filtered.py", FILTER=NO_THREAD.hex()) as target,
        Session(target.pid, hz=0) as first,
    ):
        first.set_heap_rate(4096)
        with Session(target.pid, hz=0) as second:
            assert second.ready
            second.set_rate(200)
            assert wait_for_problem(second) == NO_THREAD_PROBLEM
            assert wait_for_problem(first) == NO_THREAD_PROBLEM
            second.set_contention_rates(block_ns=1, gil_hz=100)
            assert second.contention.status is not None
            assert second.contention.status.gil_problem == NO_THREAD_PROBLEM
            second.detach()
            second.wait_for_end()
        wait_for_no_problem(first)
        first.wait_for_heap(lambda status: status.n_samples > 0)
        first.detach()
        first.wait_for_end()
        target.finish()


@some_pythons
def test_memory_that_comes_later(python: Python) -> None:
    """With too little address space for the sampler's tables; with enough it can be turned on. How
    much is too little depends on the sizes of all mappings: finer steps follow whole megabytes."""
    steps = [whole + part for part in (0, 0.5, 0.25, 0.75) for whole in range(12, 40)]
    for megabytes in steps:
        with Target(python, "confined.py", ADDRESS_MB=str(megabytes)) as target:
            with contextlib.ExitStack() as stack:
                try:
                    session = stack.enter_context(Session(target.pid, hz=100))
                    problem = wait_for_outcome(session)
                except (AttachError, SessionError):
                    continue  # there is not even room for the engine
                if problem != "there is no memory for the sampler's tables":
                    continue
                free = resource.RLIM_INFINITY
                resource.prlimit(target.pid, resource.RLIMIT_AS, (free, free))
                session.set_rate(200)
                session.wait_for_function("compute")
                wait_for_no_problem(session)
                session.detach()
                session.wait_for_end()
            target.finish()
            return
    pytest.fail("the tables never were all that did not fit")


@each_python
def test_no_thread_to_read_the_others(python: Python) -> None:
    """A filter that comes while attached leaves none that could read without a signal."""
    with (
        Target(python, "filtered.py", FILTER=NO_THREAD.hex(), LATE="1") as target,
        attach_outside(target) as session,
    ):
        assert session.ready
        Path(f"{target.folder / 'stop'}.filter").touch()
        wait_for_filter(target.pid)
        session.set_rate(200)
        assert wait_for_problem(session) == (
            "no thread can be started to read the threads that get no signal: there is no memory "
            "for it; a limit on the address space (ulimit -v) may be raised"
        )
        session.set_heap_rate(4096)
        session.wait_for_heap(lambda status: status.n_samples > 0)
        session.detach()
        session.wait_for_end()
        target.finish()


@cover(
    "code, why",
    [
        pytest.param(NO_THREAD, "there is no memory for it; a limit on the address", id="memory"),
        pytest.param(THREADS_AT_LIMIT, "a limit on threads is reached (ulimit -u", id="limit"),
    ],
)
def test_no_thread_to_sample_waiting_threads(
    python: Python, code: bytes, why: str, tmp_path: Path
) -> None:
    """The command reports it, with what helps; the CPU profile goes on."""
    with (
        Target(python, "filtered.py", FILTER=code.hex(), LATE="1") as target,
        Session(target.pid, hz=0) as session,
    ):
        assert session.ready
        Path(f"{target.folder / 'stop'}.filter").touch()
        wait_for_filter(target.pid)
        words = ("--profile", "cpu", "--profile", "wall", "--duration", "0.5", "-o", tmp_path)
        status, _, errors = record(target.pid, *words)
        problem = f"no thread can be started to sample waiting threads: {why}"
        assert status == PARTLY
        assert errors.startswith(f"stackglass: not recorded: wall ({problem}")
        assert [path.name for path in tmp_path.iterdir()] == ["cpu.pb.gz"]
        set_wall_rate(session, 50)
        session._wait(lambda: session.status.wall_problem.startswith(problem), "problem")
        set_wall_rate(session, 0)
        session._wait(lambda: session.status.wall_problem == "", "end of the problem")
        session.detach()
        session.wait_for_end()
        target.finish()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start programs of other users")
@pytest.mark.skipif(not os.access(SHARED_PYTHON, os.X_OK), reason="no Python for everybody")
def test_a_limit_on_threads_that_is_raised_while_attached() -> None:
    """The sampler is started as soon as it can be."""
    words = (SHARED_PYTHON, "-c", LIMITED)
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, user=LIMITED_UID
    ) as program:
        assert program.stdout is not None
        free = int(program.stdout.readline())
        with Session(program.pid, hz=0) as session:
            assert session.ready
            limit_threads(program, 1)
            set_wall_rate(session, 50)
            wait_for_wall_problem(session, "ulimit -u")
            limit_threads(program, free)
            wait_for_wall_problem(session, "")
            session.detach()
            session.wait_for_end()
        assert program.stdin is not None
        program.stdin.close()
    assert program.returncode == 0


def limit_threads(program: subprocess.Popen[bytes], limit: int) -> None:
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(b"%d\n" % limit)
    program.stdin.flush()
    program.stdout.readline()


def set_wall_rate(session: Session, hz: int) -> None:
    session._connection.send(requests.encode_set_wall_rate(hz))


def wait_for_wall_problem(session: Session, text: str) -> None:
    """A part of it; empty = there is none."""

    def is_there() -> bool:
        problem = session.status.wall_problem
        return text in problem if text else not problem

    session._wait(is_there, "problem of the wall profile")


def attach_outside(target: Target) -> Session:
    """By the clock that needs no signal; off."""
    return Session(target.pid, hz=0, clock="outside")


def wait_for_filter(pid: int) -> None:
    wait_until(lambda: "\nSeccomp:\t2\n" in Path(f"/proc/{pid}/status").read_text(), "filter")
