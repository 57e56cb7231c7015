"""Shares of CPU time by the `ticker` clock, where threads wait for a processor, or for work."""

from __future__ import annotations

import pytest

from harness.matrix import PYTHONS, SOME, choose_pythons, some_pythons
from harness.probes import run_probe
from harness.pythons import Python

ALONE = pytest.mark.alone("it measures shares beside processes of its own that use all processors")


@choose_pythons(SOME, PYTHONS)
@ALONE
def test_shares_hold_beside_busy_processes(python: Python) -> None:
    """Within 5 points and what chance adds; by the clock that containers get."""
    reported = run_probe(python, "sampler/crowded_shares.py", "ticker", 1000, 2, 3)
    if reported["waited_s"] < reported["cpu_s"] / 4:
        pytest.skip("the thread did not wait for a processor: nothing to be seen")
    assert reported["clock"] == "ticker"
    assert abs(reported["total"] - 1) < 0.02 + 0.05 / reported["cpu_s"]
    # One sample for each millisecond of CPU time, less those of moments that count for nothing.
    assert reported["n_samples"] > reported["cpu_s"] * 1000 / 4
    for name, true in reported["true"].items():
        chance = 4 * (true * (1 - true) / reported["n_samples"]) ** 0.5
        assert abs(reported["got"][name] - true) < 0.05 + chance, reported


@some_pythons
def test_cpu_time_is_not_put_where_a_thread_waits(python: Python) -> None:
    """A signal to a thread that sleeps again would find it in its wait."""
    reported = run_probe(python, "sampler/bursts.py", "ticker", 1000, 0.6)
    assert reported["n_samples"] > 50
    assert reported["rest"] < 0.15, reported
    assert reported["work"] > 0.8, reported
