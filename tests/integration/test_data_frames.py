"""Memory of libraries that bring an allocator along, in attached processes: polars, pyarrow, and
pandas with strings in pyarrow. They are those of ``packaging/target_packages frames``.

The bytes that a library counts itself stand at the Python line that asked for them, and go when
the frame is dropped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.matrix import PYTHONS
from harness.pythons import Python, list_frames_environment
from harness.recorder import record
from harness.saved_profile import SavedProfile
from harness.session import Session
from harness.stacks import is_in
from harness.targets import Target
from stackglass.wire.heap_recording import HeapView

pytestmark = pytest.mark.attach

MB = 1_000_000
RATE = 64 * 1024
"""Columns are single blocks far larger than this: they are always sampled."""

with_frames = pytest.mark.parametrize(
    "python",
    [one for one in PYTHONS if list_frames_environment(one)]
    or [pytest.param(None, marks=pytest.mark.skip(reason="no packaging/target_packages frames"))],
    ids=lambda one: one.label if one else "none",
)


def start_target(python: Python) -> Target:
    return Target(python, "data_frames.py", has_stdin=True, **list_frames_environment(python))


def sum_line(session: Session, function: str) -> int:
    """Bytes in use below a function."""
    return session.sum_heap(function)[3]


def wait_for_allocators(session: Session) -> None:
    """Until both libraries have been searched and are followed."""
    status = session.wait_for_heap(lambda status: status.n_allocators >= 2)
    assert status.native_problem == ""


@with_frames
@pytest.mark.parametrize("name", ["polars", "arrow", "pandas"])
def test_a_frame_stands_at_the_line_that_made_it(python: Python, name: str) -> None:
    function = f"make_{name}"
    with start_target(python) as target:
        assert {"polars", "pyarrow", "pandas"} <= set(target.ready["libraries"])
        target.ask(name)  # modules that it imports for the first one
        target.ask("drop")
        with Session(target.pid, hz=0) as session:
            session.set_heap_rate(RATE)
            wait_for_allocators(session)
            answer = target.ask(name)
            expected = answer["bytes"]
            assert expected > 5 * MB
            session.wait_for_heap(lambda status: status.accounted_bytes > 0.9 * expected)
            assert sum_line(session, function) == pytest.approx(expected, rel=0.1)
            more = target.ask(name)["bytes"]
            session.wait_for_heap(lambda status: status.accounted_bytes > 1.9 * expected)
            assert sum_line(session, function) == pytest.approx(expected + more, rel=0.1)
            target.ask("drop")
            session.wait_for_heap(lambda _: sum_line(session, function) < 0.05 * expected)
            session.detach()
        target.finish()


@with_frames
def test_what_the_librarys_threads_allocate_stands_at_the_call(python: Python) -> None:
    worker, function = "<no Python thread>", "group_polars"
    with start_target(python) as target:
        target.ask("group")
        target.ask("drop")
        with Session(target.pid, hz=0) as session:
            session.set_heap_rate(4096)
            wait_for_allocators(session)
            made = target.ask("group")["bytes"]
            session.wait_for_heap()
            sums = {True: 0, False: 0}
            for row in session.heap.list_rows(HeapView.LIVE):
                stack = session.stacks.find_stack(row.node)
                if is_in(worker, stack):
                    sums[is_in(function, stack)] += row.inuse_bytes
            assert sums[True] > 0.05 * made
            assert sums[False] < 0.1 * sums[True]
            session.detach()
        target.finish()


@with_frames
def test_a_recording_says_whose_allocators_are_followed(python: Python, tmp_path: Path) -> None:
    path = tmp_path / "heap.pb.gz"
    with start_target(python) as target:
        with Session(target.pid, hz=0) as session:
            session.set_heap_rate(RATE)
            wait_for_allocators(session)
            made = target.ask("polars")["bytes"]
            session.wait_for_heap(lambda status: status.accounted_bytes > 0.9 * made)
            words = ("--profile", "heap", "-o", path, "--duration", "0.2", target.pid)
            assert record(*words) == (0, "", "")
            session.detach()
        target.finish()
    in_use = SavedProfile.read(path).sum_heap("make_polars")[3]
    assert in_use == pytest.approx(made, rel=0.1)
    comments = run_pprof("-comments", path)
    assert "2 from their own allocators" in comments


@with_frames
def test_results_are_the_same_while_we_come_and_go(python: Python) -> None:
    """Blocks that are older, that outlive us, and that are grown and freed between."""
    with start_target(python) as target:
        sizes = [target.ask(word)["bytes"] for word in ("polars", "pandas", "group")]
        for _ in range(2):
            with Session(target.pid, hz=0) as session:
                session.set_heap_rate(4096)
                wait_for_allocators(session)
                target.ask("drop")
                again = [target.ask(word)["bytes"] for word in ("polars", "pandas", "group")]
                assert again == sizes
                session.detach()
            target.ask("group")
        target.ask("drop")
        target.finish()


@with_frames
def test_busy_threads_of_libraries_while_we_come_and_go(python: Python) -> None:
    """In every state of a search: before, during and after it; and children meanwhile."""
    environment = list_frames_environment(python)
    with Target(python, "data_frames_busy.py", has_stdin=True, **environment) as target:
        assert target.ready["is_there"]
        for is_waited_for in (False, True, False):
            with Session(target.pid, hz=100) as session:
                session.set_heap_rate(4096)
                if is_waited_for:
                    wait_for_allocators(session)
                assert target.ask("fork")["status"] == 0
                status = session.wait_for_heap()
                assert status.n_lost_frees == 0
                session.detach()
        assert target.finish()["wrong"] == 0
