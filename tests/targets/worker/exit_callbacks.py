"""The engine's callback at the exit, among callbacks that compare themselves in Python: SO."""

import atexit
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

core = load_core()


class Comparing:
    """A callback with an ``__eq__`` of its own, which fails."""

    n_compared = 0

    def __call__(self):
        pass

    def __eq__(self, other):
        Comparing.n_compared += 1
        raise ValueError("not to be compared")


atexit._clear()
atexit.register(Comparing())
counts = [atexit._ncallbacks()]
are_enabled = []
for _ in range(3):
    are_enabled.append(core.enable_exit_hook())
    core.disable_exit_hook()
    counts.append(atexit._ncallbacks())
atexit._clear()
are_enabled.append(core.enable_exit_hook())
n_after_clear = atexit._ncallbacks()
core.disable_exit_hook()
report(
    counts=counts,
    are_enabled=are_enabled,
    n_compared=Comparing.n_compared,
    n_after_clear=n_after_clear,
)
