"""The memory trace's begin and end, whatever the program's threads do meanwhile."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_a_trace_begins_after_one_that_a_thread_kept(python: Python) -> None:
    """The end of an earlier trace cannot discard it while a thread is inside a hook. Once that
    thread has left, the next trace does so; a trace that records is never discarded."""
    reported = run_probe(python, "heap/busy_lane.py")
    assert not reported["is_discarded"]
    assert not reported["is_settled"]
    assert reported["settles"]
    assert "has not ended yet" in reported["while_busy"]
    assert reported["afterwards"] is None
    assert "has not ended yet" in reported["twice"]
    assert reported["is_ended"]
