"""Waiting for the GIL in a live session: who is charged, rates that act live, nothing left."""

from __future__ import annotations

import time

import pytest

from harness.matrix import each_python
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target
from stackglass.wire.contention_kinds import ContentionKind

pytestmark = pytest.mark.attach

ENOUGH_NS = 1000 * 1000 * 1000
PATIENCE_S = 30


def sum_charged(session: Session) -> dict[str, int]:
    """ns by leaf function."""
    sums: dict[str, int] = {}
    for stack, (_, waited_ns) in session.list_contention(ContentionKind.GIL).items():
        leaf = stack.split(" < ")[0]
        sums[leaf] = sums.get(leaf, 0) + waited_ns
    return sums


def wait_for_charges(session: Session, at_least_ns: int) -> dict[str, int]:
    until = time.monotonic() + PATIENCE_S
    while True:
        session.wait_for_contention()
        charged = sum_charged(session)
        if sum(charged.values()) >= at_least_ns or time.monotonic() > until:
            return charged


@pytest.mark.checklist(60, 77)
@each_python
def test_holders_are_charged_live(python: Python) -> None:
    """Checklist 60 and 77: three threads, of which two wait at each moment; then off; then on."""
    with Target(python, "gil_bound.py") as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=0, fraction=0, gil_hz=100)
            began = time.monotonic_ns()
            charged = wait_for_charges(session, 3 * ENOUGH_NS)
            wall_ns = time.monotonic_ns() - began
            total_ns = sum(charged.values())
            assert ENOUGH_NS <= total_ns < 3.3 * wall_ns
            long_ns = sum(ns for leaf, ns in charged.items() if "have_long" in leaf)
            brief_ns = sum(ns for leaf, ns in charged.items() if "have_briefly" in leaf)
            assert long_ns > brief_ns
            status = session.wait_for_contention()
            assert (status.gil_source, status.gil_problem) != ("", "")
            assert status.gil_problem == ""
            session.set_contention_rates(gil_hz=0)
            session.wait_for_contention()
            session.read_for(0.5)
            kept = sum(sum_charged(session).values())
            assert kept >= total_ns
            session.read_for(0.5)
            session.wait_for_contention()
            assert sum(sum_charged(session).values()) == kept
            session.set_contention_rates(gil_hz=1000)
            assert sum(wait_for_charges(session, kept + 1).values()) > kept
            session.detach()
        target.finish()
