"""Programs with several interpreters, each with a GIL of its own from 3.12 on."""

from __future__ import annotations

import time

import pytest

from harness.matrix import PYTHONS, each_python
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target
from stackglass.wire import requests
from stackglass.wire.heap_recording import HeapView

N_TURNS = 4
N_TRACES = 25
CLASSES_S = 10.0  # the program crashed after one to eight
RATE = 32 << 10
HEAP_RATE = 4096
MIB_EACH = 150
N_NAMED = 5
LONG_NS = 300 * 1000 * 1000  # 5 ms are enough for a GIL that is to be had
LATELY_NS = 2 * 1000 * 1000 * 1000  # as in worker/gil_worker.c
N_CENSUSES = 3  # the first may still be taken on the main thread's way to its sleep
own_gils = pytest.mark.parametrize(
    "python",
    [python for python in PYTHONS if python.minor >= 12],
    ids=lambda python: python.label,
)


def sample_everything(session: Session) -> None:
    """Every profile at a high rate. Names are not waited for: there is new code all the time."""
    session._connection.send(requests.encode_set_heap_rate(HEAP_RATE, True))
    session._connection.send(requests.encode_set_contention_rates(1, 1, 100, True, None))
    session._wait(
        lambda: (
            session.heap.status is not None
            and session.heap.status.n_samples > 0
            and session.contention.status is not None
            and session.contention.status.n_events > 0
        ),
        "samples of the heap and of locks",
    )


def check_names(session: Session) -> None:
    """Of stacks that started threads, and of those that allocated. Where the engine went on with
    both, a hundred thread starts and a tenth of the stacks had no names; else a few at most, of
    code that died in another interpreter while it was read."""

    def is_unknown(node: int) -> bool:
        return "<unknown>" in session.stacks.find_stack(node)

    assert session.creations is not None
    starts = zip(session.creations.node, session.creations.ever, strict=True)
    assert sum(n for node, n in starts if is_unknown(node)) < 20
    nodes = [row.node for row in session.heap.list_rows(HeapView.LIVE)]
    assert sum(map(is_unknown, nodes)) < len(nodes) / 50


@pytest.mark.attach
@each_python
def test_coming_and_going_under_all_profiles(python: Python) -> None:
    """Interpreters run in hooks all the time, also while the engine withdraws; which it does once
    all that came before has its name, though they go on with new code."""
    with Target(python, "interpreters/churn.py") as target:
        for _ in range(N_TURNS):
            with Session(target.pid, hz=1000) as session:
                sample_everything(session)
                session.detach()
                check_names(session)
                assert session.heap.status is not None
                assert session.heap.status.rate == HEAP_RATE  # also of one that has ended
        target.finish()
        assert target.read_errors() == ""


@pytest.mark.attach
@own_gils
def test_a_client_leaves_as_its_memory_trace_begins(python: Python) -> None:
    """The engine withdraws at once, and a thread with another GIL may have stopped within a hook:
    the tables that it reads its stack with stay until it is done."""
    with Target(python, "interpreters/descending.py") as target:
        for turn in range(N_TRACES):
            with Session(target.pid, hz=0) as session:
                session._connection.send(requests.encode_set_memory_trace(True))
                session.read_for(0.02 * (turn % 4 + 1))
                session.detach()
        target.finish()
        assert target.read_errors() == ""


@pytest.mark.attach
@own_gils
def test_a_memory_trace_does_not_read_classes_of_other_interpreters(python: Python) -> None:
    """They may be freed meanwhile. The program crashed within eight seconds."""
    with Target(python, "interpreters/classes.py") as target:
        with Session(target.pid, hz=0) as session:
            session._connection.send(requests.encode_set_memory_trace(True))
            session._wait(lambda: session.trace is not None, "the begin of the memory trace")
            session.read_for(CLASSES_S)
            assert session.trace is not None
            assert session.trace.n_events > 0
            session.detach()
        target.finish()
        assert target.read_errors() == ""


@pytest.mark.attach
@own_gils
def test_a_memory_trace_does_not_count_the_blocks_of_all_interpreters(python: Python) -> None:
    """`sys.getallocatedblocks()` visits the pools of all of them, without their GILs. It crashed in
    one of some hundred visits, as an interpreter freed an arena."""
    with Target(python, "interpreters/descending.py") as target:
        with Session(target.pid, hz=0) as session:
            session._connection.send(requests.encode_set_memory_trace(True))
            session._wait(lambda: session.trace is not None, "the begin of the memory trace")
            assert session.trace is not None
            assert session.trace.problem == ""
            assert session.trace.allocated_blocks == 0
            session.detach()
        target.finish()


@pytest.mark.attach
@own_gils
def test_bytes_are_right_when_interpreters_allocate_together(python: Python) -> None:
    """What a hook remembers for one interpreter is not mixed up with another's."""
    with Target(python, "interpreters/allocate.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_heap_rate(RATE, has_native=False)
            expected = target.ask(str(MIB_EACH))["allocated"]
            session.wait_for_heap(lambda status: status.n_samples > 0)
            _, found, _, _ = session.sum_heap("allocate")
            session.detach()
        target.finish()
    # 19200 samples: 5 % are seven standard deviations
    assert abs(found / expected - 1) < 0.05, (found, expected)


@pytest.mark.attach
@each_python
def test_main_thread_inside_another_interpreter(python: Python) -> None:
    """It can be attached to, and is seen where it is."""
    with Target(python, "interpreters/main_inside.py") as target:
        with Session(target.pid, hz=200) as session:
            session.wait_for_function("compute_inside")
            session.detach()
        target.finish()
        assert target.read_errors() == ""


def count_made(session: Session) -> int:
    """How many of the functions that the target makes in each round are seen by their names."""
    sampled = (stack[-1] for _, stack, _, _ in session.stacks.list_sampled())
    return len({name for name in sampled if "made_" in name})


@pytest.mark.attach
@own_gils
def test_another_gil_over_the_main_interpreters_allocator(python: Python) -> None:
    """The engine works between two such interpreters, where it allocates beside no other thread."""
    with Target(python, "interpreters/shared_allocator.py", has_stdin=True) as target:
        for _ in range(N_TURNS):
            with Session(target.pid, hz=1000) as session:
                sample_everything(session)
                session._wait(lambda: count_made(session) >= N_NAMED, "names")
                session.detach()
        target.finish()
        assert target.read_errors() == ""


@pytest.mark.attach
@own_gils
def test_the_engine_waits_while_a_gil_shares_the_allocator(python: Python) -> None:
    """Its status says that it waits, the program goes on, and so does the engine afterwards."""
    with Target(python, "interpreters/shared_allocator.py", has_stdin=True) as target:
        with Session(target.pid, hz=1000) as session:
            session.wait_for_function("make_code")
            assert target.ask("stay")["is_inside"]
            session.wait_for_gil_wait(LONG_NS)
            assert not target.ask("leave")["is_inside"]
            n_seen = count_made(session)
            session._wait(lambda: count_made(session) > n_seen, "another name")
            session.detach()
        target.finish()
        assert target.read_errors() == ""


@pytest.mark.attach
@own_gils
def test_the_engine_waits_after_a_gil_that_shared_the_allocator(python: Python) -> None:
    """The main thread sleeps without its GIL. For all that the engine knows it is about to make the
    next such interpreter, so the engine does not take the GIL until none has been there for long.
    """
    program = "interpreters/shared_allocator.py"
    with Target(python, program, has_stdin=True, REST_S="8") as target:
        with Session(target.pid, hz=1000) as session:
            session.wait_for_function("make_code")
            assert target.ask("stay")["is_inside"]
            session.wait_for_gil_wait(LONG_NS)  # so it has looked at the interpreters
            left = target.ask("leave")
            target.wait_for_state(is_waiting=True)
            for _ in range(N_CENSUSES):
                session.take_census()
            assert time.monotonic_ns() - left["mono_ns"] > LATELY_NS / 2
            session.detach()
        target.finish()
        assert target.read_errors() == ""
