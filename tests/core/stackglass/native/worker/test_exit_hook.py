"""The engine's callback of atexit as sessions come and go."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_a_detach_compares_no_callbacks_of_the_program(python: Python) -> None:
    """`atexit.unregister` would call an `__eq__` of the program. So the callback stays, once for
    all sessions; if the program drops all callbacks, the next session registers it again."""
    reported = run_probe(python, "worker/exit_callbacks.py")
    assert reported["n_compared"] == 0
    assert reported["are_enabled"] == [True] * 4
    assert reported["counts"] == [1, 2, 2, 2]
    assert reported["n_after_clear"] == 1
