"""What a process is in that no engine can enter."""

from __future__ import annotations

import os

import pytest

from harness.matrix import NEWEST
from harness.recorder import wait_until
from harness.targets import Target
from stackglass.attach import outside_stacks
from stackglass.attach.outside_stacks import OutsideFrame, OutsideStack
from stackglass_viewer.presenter.live.outside_stack import _shorten, describe_outside_stack

NO_PID = 2**30


def test_the_stack_of_the_thread_that_keeps_the_gil() -> None:
    with Target(NEWEST, "gil_never_given.py", has_stdin=True) as target:
        target.ask("hang")
        wait_until(lambda: "Service.check" in str(describe_outside_stack(target.pid)), "the call")
        title, leaf, *others = describe_outside_stack(target.pid)
        assert title == f"Thread {target.pid} is in"
        assert leaf.startswith("Service.check  gil_never_given.py:")
        assert [line.split("  ")[0] for line in others] == ["Service.answer", "<module>"]


def test_a_process_that_waits() -> None:
    with Target(NEWEST, "gil_never_given.py", has_stdin=True) as target:
        target.wait_for_state(is_waiting=True)
        assert describe_outside_stack(target.pid)[0] == f"Thread {target.pid} waits in"


def test_threads_of_a_container_have_other_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = tuple(OutsideFrame(f"f{n}", "/srv/shop.py", n) for n in range(10))
    found = [OutsideStack(0, frames)]
    monkeypatch.setattr(outside_stacks, "read_main_stack", lambda _: (found[0], False))
    lines = describe_outside_stack(NO_PID)
    assert lines[:2] == ("The first thread is in", "f0  shop.py:0")
    assert lines[-2:] == ("f7  shop.py:7", "and 2 more")
    found[0] = found[0]._replace(is_deeper=True)
    assert describe_outside_stack(NO_PID)[-1] == "and at least 2 more"


def test_nothing_is_said_of_what_cannot_be_read() -> None:
    assert describe_outside_stack(NO_PID) == ()


def test_a_file_is_named_so_that_it_can_be_found() -> None:
    assert _shorten("/usr/lib/python3.11/re/__init__.py") == "re/__init__.py"
    assert _shorten(os.path.join("/srv", "shop.py")) == "shop.py"
    assert _shorten("<string>") == "<string>"
