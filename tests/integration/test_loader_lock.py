"""The loader's lock and the GIL: a program may hold the one while it waits for the other."""

from __future__ import annotations

import time

import pytest

from harness.matrix import each_python
from harness.pythons import Python
from harness.session import PATIENCE_S, Session
from harness.targets import Target
from stackglass.attach.entry import attach
from stackglass.wire import messages, reader, requests

pytestmark = pytest.mark.attach


@each_python
def test_nothing_waits_for_the_loader_with_the_gil(python: Python) -> None:
    """All profiles, and what is asked for besides them, in a program that waits for the GIL with
    the loader's lock held, nearly always. Loading a library needs both, as any import does: so the
    engine has been there before."""
    with Target(python, "libraries_visited.py", has_stdin=True) as target:
        with Session(target.pid) as session:
            assert session.ready
            session.detach()
        assert target.ask()["visiting"]
        with Session(target.pid) as session:
            session.wait_for_function("compute")
            ask_for_rest(target.pid)
            session.set_heap_rate(1 << 16)
            session.set_contention_rates(1000, 1, 100)
            session.set_native(True)
            session.take_lock_waits()
            session.take_census()
            session.collect()
            session.wait_for_samples(10)
            session.detach()
        target.finish()


def ask_for_rest(pid: int) -> None:
    """Of what has no method in Session, until there is an answer to each."""
    missing = {
        messages.MemoryInfo,
        messages.ThreadDump,
        messages.ThreadCreations,
        messages.ThreadSnapshot,
        messages.Metrics,
    }
    deadline = time.monotonic() + PATIENCE_S
    with attach(pid) as connection:
        for request in (
            requests.encode_set_memory_trace(True),
            requests.encode_set_wall_rate(100),
            requests.encode_label_variables(["__main__:variable"]),
            requests.encode_take_thread_dump(wants_leaks=True),
            requests.encode_take_thread_creations(),
            requests.encode_take_metrics(),
            requests.encode_snapshot_threads(),
        ):
            connection.send(request)
        while missing and time.monotonic() < deadline:
            frame = connection.receive(0.1)
            message = reader.decode(frame) if frame else None
            missing.discard(type(message))
            if isinstance(message, messages.MemoryInfo):
                assert message.problem == ""
        assert not missing, missing
