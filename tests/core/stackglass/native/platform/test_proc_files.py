"""Files of /proc, as the engine reads them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.fresh_process import run_program

CROWDED = """
import ctypes, os, time
from native import _core_testing

PR_SET_NO_NEW_PRIVS = 38
os.setgroups(range(20_000, 22_000))  # 12 000 bytes, in front of what is looked for
assert ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
time.sleep(0.001)  # a voluntary switch
labels = "\\nThreads:", "\\nNoNewPrivs:", "\\nSeccomp:", "\\nNo such label:"
print(*map(_core_testing.status_number, labels))
assert _core_testing.status_number("\\nvoluntary_ctxt_switches:") > 0
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may set groups")
def test_numbers_are_found_behind_thousands_of_groups() -> None:
    seccomp = next(
        line.split()[1]
        for line in Path("/proc/self/status").read_text("utf-8").splitlines()
        if line.startswith("Seccomp:")
    )
    assert run_program(CROWDED) == [f"1 1 {seccomp} 0"]
