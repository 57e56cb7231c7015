"""The wall profile sends no signal to a thread in a system call: a library of C counts EINTR.

The clock is the one that sends none either: with others, a tick of the CPU profile may come as a
thread enters a call.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.compiled import compile_library, find_compiler
from harness.matrix import NEWEST, each_python
from harness.pythons import Python
from harness.recorder import record, wait_until
from harness.saved_profile import SavedProfile
from harness.targets import Target

pytestmark = [
    pytest.mark.attach,
    pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler"),
]
KINDS = {"poll", "select", "epoll", "sleep", "futex", "receive", "await_signal"}


def start(python: Python) -> Target:
    library = compile_library("uninterrupted.c")
    return Target(python, "uninterrupted.py", has_stdin=True, UNINTERRUPTED=library)


@each_python
def test_no_call_is_interrupted(python: Python, tmp_path: Path) -> None:
    """At the highest rate, for calls of every kind, made by threads of Python and of C."""
    path = tmp_path / "wall.pb.gz"
    with start(python) as target:
        before = target.ask("calls")
        status, _, err = record(
            *(target.pid, "--profile", "wall", "--wall-hz", 1000, "--clock", "outside"),
            *("-o", path, "--duration", 2),
        )
        assert status == 0, err
        after = target.ask("calls")
        target.finish()
    made = {kind: after["calls"][kind] - before["calls"][kind] for kind in KINDS}
    assert all(n > 20 for n in made.values()), made
    assert set(after["interrupted"].values()) == {0}, after
    rows = SavedProfile.read(path).rows
    states = {row.labels["state"] for row in rows if row.stack[-1].endswith("stay_in_c")}
    assert "in a system call" in states, "they were looked at"


def test_a_signal_to_these_threads_is_counted() -> None:
    """What the other test would see of a profiler that sends signals."""
    with start(NEWEST) as target:
        wait_until(
            lambda: min(target.ask("interrupt")["interrupted"].values()) > 0,
            "an interrupted call of each kind",
        )
        target.finish()
