"""Rows of the main thread in a dump, with two other interpreters that the thread has created."""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import several
from probe import load_core, report


def list_own_rows():
    rows = core.dump_threads(1 << 40, int)
    return [[name, number, depth > 0] for tid, number, depth, name, _ in rows if tid == os.getpid()]


core = load_core()
core.cpu_prepare()
kept = [several.make() for _ in range(2)]
report(rows=list_own_rows())
sys.stdout.flush()
os._exit(0)
