"""Stacks that are read from outside, as text: what is left out is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.fake_proc import FakeProc
from stackglass.attach.outside_stacks import OutsideFrame, OutsideStack
from stackglass.waits import outside_report


def test_all_that_is_left_out_is_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of a stack of 1000 frames 512 are read, and 100 printed."""
    stack = OutsideStack(0, (OutsideFrame("f", "f.py", 1),) * 512, 488)
    short = OutsideStack(0, stack.frames[:100])
    deeper = stack._replace(is_deeper=True)
    first = OutsideStack(0, (OutsideFrame("start", "f.py", 1),))
    stacks = [stack, deeper, *[short] * 99, first]
    monkeypatch.setattr(outside_report, "read_stacks", lambda *_: (stacks, 7))
    lines = outside_report.format_outside_stacks(7, FakeProc(tmp_path).proc).splitlines()
    assert [line for line in lines if "more" in line] == [
        "    and 900 more",
        "    and at least 900 more",
        "and 9 more threads",
    ]
    assert "    start  f.py:1" in lines  # the first thread's
