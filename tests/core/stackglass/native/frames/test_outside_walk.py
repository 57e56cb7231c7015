"""Frames of other threads, read without the GIL and without a signal."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python

BOTTOM = ["run", "_bootstrap_inner", "_bootstrap"]


@each_python
def test_frames_of_threads_that_wait_are_exact(python: Python) -> None:
    """Of one that is deep, in a generator, deeper than is kept; and threads that end meanwhile."""
    reported = run_probe(python, "sampler/outside.py")
    assert reported["shallow"] == [["wait", "wait", *["sleep_at"] * 4, *BOTTOM]]
    assert reported["n_deep"] == [201]
    assert reported["deepest"] == [[512, "<truncated>"]]
    assert reported["generator"] == [
        ["wait", "wait", "wait_in_generator", "generate", "<lambda>", *BOTTOM]
    ]
    assert reported["gone"] == "moved"
    assert reported["own"] == ["moved"]
    assert reported["n_ended"] > 0
    kinds = {key.split(" ", 1)[1] for key in reported["results"]}
    assert kinds <= {"stack", "moved"}, reported["results"]
    assert reported["results"]["shallow stack"] > 150
