"""Frames of other threads, read without the GIL and without a signal."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python

BOTTOM = ["run", "_bootstrap_inner", "_bootstrap"]


@each_python
def test_frames_of_threads_that_wait_are_exact(python: Python) -> None:
    """Of one that is deep, in a generator, deeper than is kept; and threads that end meanwhile."""
    told = run_probe(python, "sampler/outside.py")
    assert told["shallow"] == [["wait", "wait", *["sleep_at"] * 4, *BOTTOM]]
    assert told["n_deep"] == [201]
    assert told["deepest"] == [[512, "<truncated>"]]
    assert told["generator"] == [
        ["wait", "wait", "wait_in_generator", "generate", "<lambda>", *BOTTOM]
    ]
    assert told["gone"] == "moved"
    assert told["own"] == ["moved"]
    assert told["n_ended"] > 0
    kinds = {key.split(" ", 1)[1] for key in told["results"]}
    assert kinds <= {"stack", "moved"}, told["results"]
    assert told["results"]["shallow stack"] > 150
