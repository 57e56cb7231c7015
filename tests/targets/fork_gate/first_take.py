"""Checks that an engine thread which takes the GIL for the first time while the program forks waits
outside the gate: SO."""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

core = load_core()
core.fork_handlers_register()
core.take_gil_in_fork()
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
report(was_free=core.took_gil_in_fork())
