"""The list of Python processes, over a made-up ``/proc``."""

from __future__ import annotations

from pathlib import Path

from harness.fake_proc import FakeProc, hide
from stackglass.attach.processes import list_processes


def test_processes_of_which_nothing_is_shown_are_left_out(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add("self")
    fake.add(42)
    assert list_processes(hide(fake.proc, 42)) == []
