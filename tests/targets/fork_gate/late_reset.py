"""Forks while a thread is in the gate, before the engine's fork handlers exist: SO."""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

core = load_core()
report(is_free=core.fork_gate_is_free_after_late_reset())
