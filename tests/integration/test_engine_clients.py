"""Several clients of one engine: what each is told, and what none of them can do to the others."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator

import pytest

from harness.proc_state import read_tasks
from harness.pythons import Python, pythons_with_gil
from harness.session import PATIENCE_S, Session
from harness.targets import Target

ALL = pythons_with_gil()
PYTHONS = [ALL[0], ALL[-1]] if len(ALL) > 1 else list(ALL)  # the oldest and the newest
each_python = pytest.mark.parametrize("python", PYTHONS, ids=lambda python: python.label)
pytestmark = pytest.mark.attach


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


def is_hung_up_on(client: socket.socket) -> bool:
    """Reads what is there until the end of the stream; a reset is an end."""
    with contextlib.suppress(ConnectionResetError):
        while client.recv(65536):
            pass
    return True


@each_python
def test_a_late_joiner_knows_every_name_and_all_are_told_of_rates(python: Python) -> None:
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
def test_who_speaks_nonsense_is_hung_up_on_and_nobody_else(python: Python) -> None:
    with Target(python, "busy.py") as target, Session(target.pid, hz=1000) as session:
        with raw_client(socket_of(session)) as client:
            client.sendall(b"\xff" * 11)
            assert is_hung_up_on(client)
        session.wait_for_samples(50)
        session.detach()
        target.finish()


@each_python
def test_who_does_not_read_keeps_nobody(python: Python) -> None:
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
        wanted = {f"w{number}" for number in range(10)}

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
