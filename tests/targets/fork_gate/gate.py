"""Forks with the engine's fork handlers, and checks that the gate is free in both processes: SO."""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

core = load_core()
core.fork_handlers_register()
free = [core.fork_gate_is_free()]
for _ in range(2):
    child = os.fork()
    if child == 0:
        os._exit(int(core.fork_gate_is_free()))
    free.append(os.waitpid(child, 0)[1] == 1 << 8)
    free.append(core.fork_gate_is_free())
report(free=free)
