"""Programs in which a library has replaced the names of locks: gevent, eventlet, and their like.

The types are the interpreter's all the same, and every profile of locks has to find them; and what
stands in their place is the program's, and never called by the engine.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python, list_green_environment
from harness.recorder import record, run_command
from harness.session import Session
from harness.targets import Target
from stackglass.wire.contention_kinds import ContentionKind

pytestmark = pytest.mark.attach
MOST_LOOKS = 20

each_library = pytest.mark.parametrize("library", ["own", "gevent", "eventlet"])


def start_target(python: Python, library: str) -> Target:
    """Skips where this Python has no such library."""
    target = Target(
        python,
        "replaced_locks.py",
        has_stdin=False,
        LIBRARY=library,
        **list_green_environment(python),
    )
    if not target.ready["has_library"]:
        target.close()
        pytest.skip(f"Python 3.{python.minor} has no {library} (packaging/target_packages green)")
    return target


@each_library
@each_python
def test_locks_are_profiled_whatever_their_names_stand_for(python: Python, library: str) -> None:
    with start_target(python, library) as target:
        with Session(target.pid, hz=100) as session:
            session.set_contention_rates(1, 1)
            session.wait_for_contention(
                lambda status: status.n_events > 20 and status.n_lock_waits > 0
            )
            blocked = session.list_contention(ContentionKind.BLOCK)
            charged = session.list_contention(ContentionKind.MUTEX)
            assert session.contention.status is not None
            assert session.contention.status.lock_source == "state word"
            assert any(
                stack.startswith("_thread.lock.") and "fight" in stack for stack in blocked
            ), blocked
            assert any("fight" in stack for stack in charged), charged
            # Of three threads with one lock two wait, except while it changes hands.
            assert any(session.take_lock_waits().tid for _ in range(MOST_LOOKS))
            session.detach()
        target.finish()


@each_library
@some_pythons
def test_waits_and_record_find_them_too(python: Python, library: str, tmp_path: Path) -> None:
    with start_target(python, library) as target:
        for _ in range(MOST_LOOKS):  # threads also sleep, perhaps all three at once
            status, out, errors = run_command("waits", target.pid)
            assert (status, errors) == (0, "")
            if "__main__.LOCK" in out:
                break
        assert "__main__.LOCK" in out
        path = tmp_path / "block.pb.gz"
        status, _, errors = record(target.pid, "--profile", "block", "--duration", "1", "-o", path)
        assert (status, errors) == (0, "")
        assert b"__main__.fight" in gzip.decompress(path.read_bytes())
        target.finish()
