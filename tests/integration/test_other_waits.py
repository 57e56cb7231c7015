"""Waits for other things than locks in a live session: asked for, kept apart, given back."""

from __future__ import annotations

import time
from functools import partial

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python
from harness.session import PATIENCE_S, Session
from harness.targets import Target
from stackglass.wire import messages
from stackglass.wire.contention_kinds import ContentionKind

pytestmark = pytest.mark.attach

STALL_NS = 200_000_000


def find(session: Session, kind: ContentionKind, start: str) -> tuple[int, int]:
    """Contentions and ns of all stacks that start so, leaf first; they may differ in lines."""
    found = [
        row
        for row in session.contention.list_rows(kind)
        if " < ".join(reversed(session.stacks.find_stack(row.node))).startswith(start)
    ]
    return sum(row.contentions for row in found), sum(row.delay_ns for row in found)


def list_primitives(session: Session) -> set[str]:
    """What the other waits have called."""
    rows = session.contention.list_rows(ContentionKind.OTHER)
    return {session.stacks.find_string(row.primitive) for row in rows}


def wait_until_on(target: Target, session: Session) -> None:
    """Until a nap is reported: the hooks come with a job of their own."""
    deadline = time.monotonic() + PATIENCE_S
    while not find(session, ContentionKind.OTHER, "time.sleep < ")[0]:
        assert time.monotonic() < deadline, "no hooks"
        target.ask("sleep")
        session.wait_for_contention()


def has_stalls_of(stall_ns: int, status: messages.ContentionStatus) -> bool:
    return status.stall_ns == stall_ns


@each_python
def test_they_are_distinguished(python: Python) -> None:
    """From locks, from each other, and from an event loop that has nothing to do."""
    with Target(python, "other_waits.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1)
            target.ask("sleep")
            session.wait_for_contention()
            assert session.list_contention(ContentionKind.OTHER) == {}  # unless asked for
            session.set_contention_rates(has_other=True)
            wait_until_on(target, session)
            for word, leaf in (
                ("socket", "_socket.socket.recv < __main__.wait_for_byte"),
                ("select", "select.select < __main__.wait_in_vain"),
                ("child", "subprocess.Popen.wait < __main__.wait_for_child"),
                ("blocked", "time.sleep < __main__.nap_in_task"),
            ):
                lasted_ns = target.ask(word)["lasted_ns"]
                session.wait_for_contention()
                n_waits, waited_ns = find(session, ContentionKind.OTHER, leaf)
                assert n_waits >= 1, word
                assert 50_000_000 < waited_ns <= lasted_ns, word
            target.ask("lock")
            lasted_ns = target.ask("loop")["lasted_ns"]
            session.wait_for_contention()
            n_idle, idle_ns = find(
                session, ContentionKind.IDLE, "selectors.EpollSelector.select < "
            )
            assert n_idle >= 1
            assert idle_ns > 50_000_000
            assert find(session, ContentionKind.OTHER, "selectors.") == (0, 0)
            assert find(
                session, ContentionKind.BLOCK, "_thread.lock.__enter__ < __main__.wait_for"
            )[0]
            assert {"sleep", "socket.recv", "select", "waitpid"} <= list_primitives(session)
            leaves = {
                stack.split(" < ")[0] for stack in session.list_contention(ContentionKind.BLOCK)
            }
            assert not {
                leaf for leaf in leaves if leaf.startswith(("time.", "_socket.", "select."))
            }
            session.detach()
        assert target.ask("sleep")["word"] == "sleep"
        target.finish()


@some_pythons
def test_the_switch_acts_at_once(python: Python) -> None:
    """Off with its own switch and with the block rate; who waits meanwhile is not disturbed."""
    with Target(python, "other_waits.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1, has_other=True)
            wait_until_on(target, session)
            for off, on in (
                ({"has_other": False}, {"has_other": True}),
                ({"block_ns": 0}, {"block_ns": 1}),
            ):
                session.set_contention_rates(**off)
                session.read_for(0.3)
                before = session.list_contention(ContentionKind.OTHER)
                assert before  # sums stay
                target.ask("sleep")
                session.wait_for_contention()
                assert session.list_contention(ContentionKind.OTHER) == before
                session.set_contention_rates(**on)
            with Session(target.pid, hz=0) as late:  # a late client receives the same
                late.wait_for_contention(lambda status: status.has_other == 1)
                assert late.rates is not None
                assert late.rates.has_other == 1
                for kind in ContentionKind:
                    assert late.list_contention(kind).keys() >= session.list_contention(kind).keys()
            session.detach()
        with Session(target.pid, hz=0) as session:  # it knows nothing of the other
            session.set_contention_rates(block_ns=1)
            target.ask("sleep")
            status = session.wait_for_contention()
            assert status.has_other == 0
            assert session.list_contention(ContentionKind.OTHER) == {}
            session.detach()
        target.finish()


@some_pythons
def test_a_child_and_an_end_with_threads_that_wait(python: Python) -> None:
    """The child is led nowhere; whoever waits in our hands when the program ends is left there."""
    with (
        Target(python, "other_waits.py", has_stdin=True) as target,
        Session(target.pid, hz=0) as session,
    ):
        session.set_contention_rates(block_ns=1, has_other=True)
        wait_until_on(target, session)
        answer = target.ask("fork")
        assert (answer["is_redirected"], answer["status"]) == (True, 0)
        target.ask("stay")
        target.finish()
        session.wait_for_end()
        assert session.bye is not None
        assert session.bye.reason == "the program has ended"
        leaf = "posix.waitpid < __main__.fork"
        assert find(session, ContentionKind.OTHER, leaf)[0] == 1


@some_pythons
def test_what_a_stall_is_can_be_said_at_any_time(python: Python) -> None:
    """By itself, higher and lower than the stall that comes; 0 is off; there are bounds."""
    with Target(python, "other_waits.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(stall_ns=STALL_NS)
            deadline = time.monotonic() + PATIENCE_S
            while not session.list_contention(ContentionKind.STALL):
                assert time.monotonic() < deadline, "no hooks"
                lasted_ns = target.ask("blocked")["lasted_ns"]
                session.wait_for_contention()
            stalls = session.list_contention(ContentionKind.STALL)
            n_stalls, stalled_ns = stalls["__main__.nap_in_task"]
            assert n_stalls == 1
            assert STALL_NS <= stalled_ns <= lasted_ns
            for other_ns in (10 * STALL_NS, 0):
                session.set_contention_rates(stall_ns=other_ns)
                target.ask("blocked")
                session.wait_for_contention()
                assert session.list_contention(ContentionKind.STALL) == stalls
            session.set_contention_rates(stall_ns=STALL_NS)
            deadline = time.monotonic() + PATIENCE_S
            while session.list_contention(ContentionKind.STALL) == stalls:
                assert time.monotonic() < deadline, "no hooks again"
                target.ask("blocked")
                session.wait_for_contention()
            assert session.list_contention(ContentionKind.BLOCK) == {}
            for asked_ns, reported_ns in ((1, 10_000_000), (2**62, 60_000_000_000)):
                session.ask_for_stalls(asked_ns)
                session.wait_for_contention(partial(has_stalls_of, reported_ns))
            session.detach()
        target.finish()
