"""The asyncio task that a thread runs, read without a call of Python."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_the_running_task_is_asyncios(python: Python) -> None:
    """Names of all kinds of characters, long ones, asyncio's own; derived classes; none outside of
    tasks and in other threads; the table's bound, beyond which a name is `<other tasks>`. Context
    variables of str and int are read as well, and nothing of other types."""
    reported = run_probe(python, "labels/task_names.py")
    assert (reported["problem"], reported["wrong"]) == ("", [])
    assert reported["unknown"] == 0
