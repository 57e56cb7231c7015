"""Which clock the sampler chooses, beside what the system permits."""

from __future__ import annotations

import os
import subprocess

import pytest

from harness.matrix import PYTHONS, choose_pythons
from harness.probes import run_probe
from harness.pythons import Python
from harness.seccomp_filters import ALLOW, DENY, build_filter
from native import _core_testing as core

NOBODY_UID = 65534
REFUSED = {
    "nothing": b"",
    "perf": build_filter(["perf_event_open"], DENY, ALLOW),
    "timers": build_filter(["timer_create"], DENY, ALLOW),
    "both": build_filter(["perf_event_open", "timer_create"], DENY, ALLOW),
}

# An ordinary user may be able to read one build alone. Each case takes milliseconds.
every_build = choose_pythons(PYTHONS, PYTHONS)


def choose(has_kernel: bool, has_user: bool, has_timers: bool) -> str:
    """perf alone if it shows the kernel's part, else beside a timer."""
    if has_kernel:
        return "perf"
    return "perf+timer" if has_user and has_timers else "ticker"


@every_build
@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.parametrize("user", [0, NOBODY_UID], ids=["root", "user"])
def test_the_best_clock_that_the_system_permits(python: Python, user: int, refused: str) -> None:
    """What is permitted is tried by the probe itself, by the system calls."""
    if user and os.geteuid() != 0:
        pytest.skip("only root can become an ordinary user")
    if user and not can_read(python, user):
        pytest.skip("an ordinary user cannot read this interpreter or the extension")
    reported = run_probe(python, "sampler/clock_choice.py", user, REFUSED[refused].hex())
    clock = reported.pop("clock")
    assert clock == choose(**reported), reported
    if refused in ("perf", "both"):
        assert (reported["has_kernel"], reported["has_user"], clock) == (False, False, "ticker")


def can_read(python: Python, user: int) -> bool:
    try_it = f"import os, sys; os.setuid({user}); open(sys.argv[1]); import json"
    return (
        subprocess.run(
            [python.executable, "-c", try_it, core.__file__], capture_output=True, check=False
        ).returncode
        == 0
    )
