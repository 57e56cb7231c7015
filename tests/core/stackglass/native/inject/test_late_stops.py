"""The injector where others run first: threads, and the tracer itself, that come late."""

from __future__ import annotations

import signal
import subprocess
from typing import NamedTuple

import pytest

from harness.compiled import CORE, compile_program, find_compiler

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")

RUNNING, DONE, NO_THREAD = 0, 1, 5  # enum sg_injection_status
TRAP, GONE = 0, 3  # enum sg_stop
MACHINES = ("machine", "machines", "x86_64", "aarch64")
ROOM = ("inject", "tracee", "rules", "sequences", "sent_signals", *MACHINES)
N_LOOKS_AT_A_HANDLER = 12


class Search(NamedTuple):
    status: int
    ms: int
    n_requests: int
    n_looks: int


def run(source: str, files: tuple[str, ...], story: str) -> list[int]:
    return [int(word) for word in read_output(source, files, story).split()]


def read_output(source: str, files: tuple[str, ...], story: str) -> str:
    folder = CORE / "inject"
    more = [
        "-D_GNU_SOURCE",
        f"-iquote{CORE}",
        *(str(folder / f"{name}.c") for name in files),
        "-pthread",
    ]
    words = [compile_program(source, *more), story]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout


def search(story: str) -> Search:
    return Search(*run("late_stops.c", ROOM, story))


def test_a_stop_that_comes_late_is_used() -> None:
    """Each takes 200 ms, four times as long as a turn: asked for once, and used when it comes."""
    found = search("late")
    assert (found.status, found.n_requests) == (DONE, 1)
    assert 200 <= found.ms < 300


def test_a_thread_that_waits_for_a_processor_is_waited_for() -> None:
    """For 8 s, where the search has 5."""
    found = search("starved")
    assert (found.status, found.n_requests) == (DONE, 1)
    assert found.ms >= 8000


def test_a_thread_that_cannot_be_stopped_is_given_up_in_time() -> None:
    found = search("unstoppable")
    assert found.status == NO_THREAD
    assert 5000 <= found.ms < 5100


def test_a_thread_that_has_not_moved_is_still_in_its_handler() -> None:
    """It is looked at 30 times where it interrupted something, because others run first."""
    found = search("handler")
    assert found.status == DONE
    assert found.n_looks > 30 + N_LOOKS_AT_A_HANDLER / 2


def test_a_thread_that_blocks_signals_is_used() -> None:
    found = search("blocks")
    assert (found.status, found.n_looks) == (DONE, N_LOOKS_AT_A_HANDLER + 1)


def test_children_of_other_threads_are_not_waited_for() -> None:
    assert run("late_stops.c", ROOM, "child") == [TRAP, 0]


@pytest.mark.parametrize(
    ("story", "number", "status"), [("killed", signal.SIGKILL, 0), ("exits", 0, 3)]
)
def test_the_end_of_a_child_is_left_to_the_thread_that_waits_for_it(
    story: str, number: int, status: int
) -> None:
    """A thread of the parent traces it, and looks at its end without taking it."""
    assert run("traced_child.c", ("tracee", *MACHINES), story) == [GONE, number, status, number]


@pytest.mark.parametrize(("story", "status"), [("after calls", DONE), ("in call", RUNNING)])
def test_a_tracer_that_comes_late_is_waited_for(story: str, status: int) -> None:
    """It has let the thread go, which sleeps in its own wait; or it is in a call, and sleeps."""
    assert run("late_tracer.c", ("tracer_process",), story)[0] == status


def test_a_tracer_is_scheduled_with_the_attacher() -> None:
    """Linux schedules each session as a group (autogroup), and a new one may start seconds late.
    Signals for the attacher's process group must not reach it."""
    _, is_same_session, is_same_group, _ = run("late_tracer.c", ("tracer_process",), "after calls")
    assert (is_same_session, is_same_group) == (1, 0)


def test_an_exit_waits_for_a_call_that_a_thread_of_the_attacher_traces() -> None:
    """Where only ancestors may trace. Without its tracer the target would end with the call."""
    assert read_output("late_tracer.c", ("tracer_process",), "ancestor") == "restored\n"


def test_a_tracer_keeps_no_pipe_of_the_attacher_open() -> None:
    """It may live long after the attacher, whose output something may read to its end."""
    assert run("late_tracer.c", ("tracer_process",), "after calls")[3] == 0
