"""Several clients of one engine: what each receives, and what none of them can do to the others."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.proc_state import read_tasks
from harness.pythons import Python, pythons_with_gil
from harness.session import PATIENCE_S, Session
from harness.targets import Target
from stackglass.attach.entry import Way

ALL = pythons_with_gil()
PYTHONS = [ALL[0], ALL[-1]] if len(ALL) > 1 else list(ALL)  # the oldest and the newest
on_all = pytest.mark.parametrize("python", ALL, ids=lambda python: python.label)
each_python = pytest.mark.parametrize("python", PYTHONS, ids=lambda python: python.label)
pytestmark = pytest.mark.attach

ROOT = Path(__file__).resolve().parents[2]
OTHER_PROTOCOL = bytes.fromhex("040a020863")  # a Greeting of version 99


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


def socket_of(session: Session) -> str:
    return str(session._connection._socket.getpeername())


@contextlib.contextmanager
def raw_client(path: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE_S)
        client.connect(path)
        yield client


def wait_for_rates(session: Session, rates: tuple[int, ...]) -> None:
    """Until the engine has reported these: CPU, heap, block, mutex, GIL."""

    def has_come() -> bool:
        session.read_for(0.02)
        return session.rates is not None and tuple(session.rates)[: len(rates)] == rates

    wait_until(has_come)


def start_lone_client(pid: int) -> subprocess.Popen[bytes]:
    roots = os.pathsep.join(str(ROOT / name) for name in ("core", "tests"))
    return subprocess.Popen(
        [sys.executable, "-m", "harness.lone_client", str(pid)],
        env={**os.environ, "PYTHONPATH": roots},
        stdout=subprocess.DEVNULL,
    )


def is_hung_up_on(client: socket.socket) -> bool:
    """Reads what is there until the end of the stream; a reset is an end."""
    with contextlib.suppress(ConnectionResetError):
        while client.recv(65536):
            pass
    return True


@each_python
def test_a_late_client_receives_names_and_rates(python: Python) -> None:
    with Target(python, "busy.py") as target, Session(target.pid, hz=1000) as first:
        first.wait_for_function("fibonacci")
        first.wait_for_samples(100)
        with Session(target.pid, hz=500) as second:
            first.wait_for_rate(500)
            second.wait_for_samples(100)
            assert second.ready == first.ready
            stacks = [stack for _, stack, _, _ in second.stacks.list_sampled()]
            # 3.11 and 3.12: on the first instructions of a call the caller may not be found
            roots = {"__main__.<module>", "<call entry>"}
            assert {stack[0] for stack in stacks} <= roots
            assert any("__main__.fibonacci" in stack for stack in stacks)
            second.set_rate(2000)
            first.wait_for_rate(2000)
            second.wait_for_rate(2000)
        first.wait_for_samples(100)  # one client's leaving is not the other's
        first.detach()
        target.finish()


@each_python
def test_only_a_client_that_sends_nonsense_is_disconnected(python: Python) -> None:
    with Target(python, "busy.py") as target, Session(target.pid, hz=1000) as session:
        with raw_client(socket_of(session)) as client:
            client.sendall(b"\xff" * 11)
            assert is_hung_up_on(client)
        session.wait_for_samples(50)
        session.detach()
        target.finish()


@on_all
def test_a_peer_of_another_protocol_that_hangs_up_harms_no_one(python: Python) -> None:
    """The engine's answer finds the socket closed, and the client is given up by two paths at
    once: it must be freed once. Several of them at a time, between others that stay."""
    with Target(python, "busy.py") as target, Session(target.pid, hz=1000) as session:
        path = socket_of(session)
        for _ in range(20):
            with raw_client(path), raw_client(path) as polite:
                for _ in range(5):
                    with raw_client(path) as rude:
                        rude.sendall(OTHER_PROTOCOL)
                polite.sendall(OTHER_PROTOCOL)
                assert is_hung_up_on(polite)
        session.wait_for_samples(50)
        session.detach()
        target.finish()


@on_all
def test_a_detach_is_one_clients_own(python: Python) -> None:
    """It ends that conversation and no other; what the process was recorded with for the leaver
    alone stops, and the rates of those that stay come back."""
    with Target(python, "busy.py") as target, Session(target.pid, hz=100) as first:
        first.set_heap_rate(1 << 20)
        path = socket_of(first)
        for leave in (Session.detach, Session.close):
            with Session(target.pid, hz=2000) as second:
                second.set_heap_rate(4096)
                second.set_contention_rates(1, 1, 50)
                wait_for_rates(first, (2000, 4096, 1, 1, 50))
                leave(second)
            wait_for_rates(first, (100, 1 << 20, 0, 0, 0))
            first.wait_for_samples(10)
            assert first.bye is None
            assert os.path.exists(path)
        first.detach()
        assert not os.path.exists(path)
        target.finish()


@each_python
def test_an_engine_is_reached_again_after_its_socket_was_removed(
    python: Python, runtime: Path
) -> None:
    """The system removes the directory of a user at the last logout; the engine stays for a client
    that is connected, and listens where the next client can find it."""
    with Target(python, "busy.py") as target, Session(target.pid, hz=1000) as first:
        first.wait_for_samples(10)
        for _ in range(2):
            shutil.rmtree(runtime / "stackglass")
            with Session(target.pid, hz=500) as second:
                first.wait_for_rate(500)
                assert second.ready == first.ready
                second.wait_for_samples(10)
                path = Path(socket_of(second))
                with Session(target.pid) as third:  # by the socket that is there again
                    assert third._connection.way == Way.FOUND
                second.detach()
            first.wait_for_rate(1000)
        first.detach()
        assert not path.exists()
        target.finish()


@each_python
def test_who_changed_a_rate_last_decides_while_it_is_there(python: Python) -> None:
    with Target(python, "busy.py") as target, Session(target.pid, hz=100) as first:
        with Session(target.pid, hz=200) as second:
            second.wait_for_rate(200)
            first.set_rate(300)
            second.wait_for_rate(300)
            with Session(target.pid, hz=0) as third:
                first.wait_for_rate(0)
                first.close()  # its 300 goes with it; the last request stays in force
                second.read_for(0.3)
                assert second.rates is not None
                assert second.rates.cpu_hz == 0
                third.detach()
            second.wait_for_rate(200)
            second.wait_for_samples(20)
            second.detach()
        target.finish()


@each_python
def test_a_client_that_is_killed_takes_its_rates_along(python: Python) -> None:
    with Target(python, "busy.py") as target, Session(target.pid, hz=100) as session:
        killed = start_lone_client(target.pid)
        session.wait_for_rate(1000)
        killed.kill()
        killed.wait()
        session.wait_for_rate(100)
        session.wait_for_samples(10)
        session.detach()
        target.finish()


@each_python
def test_who_detaches_has_all_samples_of_before(python: Python) -> None:
    """What was seen before the request arrives before the Bye, and nothing behind it."""
    with Target(python, "busy.py") as target, Session(target.pid, hz=100) as first:
        first.wait_for_samples(1)
        for _ in range(10):
            with Session(target.pid, hz=1000) as second:
                second.wait_for_samples(20)
                asked_ns = time.monotonic_ns()
                second.detach()
                assert second.status.time_mono_ns >= asked_ns
                assert second.frames_after_bye == 0
        first.wait_for_samples(10)
        first.detach()
        target.finish()


@each_python
def test_a_client_that_does_not_read_delays_no_other(python: Python) -> None:
    with Target(python, "busy.py") as target, Session(target.pid, hz=10_000) as session:
        with raw_client(socket_of(session)):
            session.wait_for_samples(1000)
            session.detach()
        target.finish()


@each_python
def test_the_engine_leaves_when_the_last_client_has_gone(python: Python) -> None:
    with Target(python, "busy.py") as target:
        n_tasks = len(read_tasks(target.pid))
        for _ in range(20):
            with Session(target.pid, hz=1000) as session:
                path = socket_of(session)
                session.wait_for_samples(10)
                assert os.path.exists(path)
                assert os.stat(path).st_mode & 0o777 == 0o600
            wait_until(lambda: len(read_tasks(target.pid)) == n_tasks)
            assert not os.path.exists(path)
        target.finish()


@each_python
def test_threads_are_called_what_the_program_calls_them(python: Python) -> None:
    with Target(python, "threads_50.py") as target, Session(target.pid, hz=1000) as session:
        wanted = {f"w{number}" for number in range(4)}  # those that compute

        def has_heard_all() -> bool:
            session.read_for(0.1)
            return wanted <= set(session.stacks.thread_names.values())

        wait_until(has_heard_all)
        session.detach()
        target.finish()


@each_python
def test_a_program_profiles_itself_beside_a_client(python: Python) -> None:
    """Rates are the process's: the client sees those that the program asks for, and gets the
    samples of all its profiles."""
    with Target(python, "own_profile.py") as target:
        with Session(target.pid, hz=300) as session:
            session.wait_for_rate(1000)
            session.wait_for_function("burn")
            session.wait_for_samples(100)
            session.detach()
        target.finish()


@each_python
def test_a_program_that_may_open_no_files_is_not_kept_busy(python: Python) -> None:
    """RLIMIT_NOFILE below the number of sockets that the writer waits for: the wait fails at once,
    and the writer must not take a processor for it. Requests are read all the same."""
    with Target(python, "few_descriptors.py", has_stdin=True) as target:
        with Session(target.pid, hz=100) as session:
            session.wait_for_rate(100)
            target.ask("confine 1")  # less than what the engine waits for
            check_idle(session)
            session.set_rate(250)
            session.wait_for_rate(250)
            session.detach()
        target.finish()


@each_python
def test_a_client_that_cannot_be_accepted_does_not_keep_the_engine_busy(python: Python) -> None:
    """No descriptor is left for it, and it goes on waiting. The client before it is served."""
    with Target(python, "few_descriptors.py", has_stdin=True) as target:
        with Session(target.pid, hz=100) as session:
            session.wait_for_rate(100)
            target.ask("confine 5")  # enough to wait for the sockets that there are
            with raw_client(socket_of(session)):
                check_idle(session)
                session.set_rate(250)
                session.wait_for_rate(250)
            session.detach()
        target.finish()


@each_python
def test_events_of_many_threads_leave_descriptors_for_clients(python: Python) -> None:
    """Each thread's event has a descriptor, and there are more threads than descriptors."""
    with Target(python, "threads_50.py", DESCRIPTORS="45") as target:
        with Session(target.pid, hz=100) as session:
            session.wait_for_samples(50)
            with raw_client(socket_of(session)) as late:
                assert late.recv(1)  # the Hello of an engine that has accepted it
            session.detach()
        target.finish()


def check_idle(session: Session) -> None:
    session.read_for(0.5)
    before = session.status
    session.read_for(2)
    spent_ns = session.status.engine_cpu_ns - before.engine_cpu_ns
    assert spent_ns < (session.status.time_mono_ns - before.time_mono_ns) / 10
