"""What an engine adds to the counts of the program's collector, under all profiles."""

from __future__ import annotations

import pytest

from harness.matrix import some_pythons
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target

pytestmark = pytest.mark.attach


@some_pythons
def test_the_engine_makes_no_objects_that_the_collector_counts(python: Python) -> None:
    """Neither when it takes samples nor when it looks up names and threads: the count is the
    program's own, here the tuple that get_count() returned. With the heap profile CPython itself
    calls back after each collection, with a dict and a tuple."""
    with (
        Target(python, "collector_counts.py", has_stdin=True) as target,
        Session(target.pid, hz=1000) as session,
    ):
        session.set_contention_rates(block_ns=1, fraction=1, gil_hz=1000, has_other=True)
        rounds = target.ask("")["rounds"]
        session.wait_for_function("spin")
        assert set(map(tuple, rounds)) == {(0, 0)}
        session.set_heap_rate(4096)
        rounds = target.ask("")["rounds"]
        assert {(first <= 2, added) for first, added in rounds} == {(True, 0)}
        session.detach()
        session.wait_for_end()
        target.finish()
