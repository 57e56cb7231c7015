"""Walks over the threads of another interpreter whose list has become a circle: SO.

From 3.12 on such a list changes without the GIL of the walking thread.
"""

import ctypes
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import several
from probe import load_core, report

NEXT = 8  # byte offset of a thread state's `next`
kept = []
BUDGET_NS = 1_000_000_000

core = load_core()
api = ctypes.pythonapi
for function in (
    *(api.PyInterpreterState_Head, api.PyInterpreterState_Get),
    *(api.PyInterpreterState_ThreadHead, api.PyThreadState_New),
):
    function.restype = ctypes.c_void_p
for function in (api.PyInterpreterState_ThreadHead, api.PyThreadState_New):
    function.argtypes = [ctypes.c_void_p]


def make_circle():
    """Make an interpreter, the list of which never ends. Returns the link that closes it."""
    kept.append(several.make())  # up to 3.12 it ends with its last reference
    other = api.PyInterpreterState_Head()  # the newest
    assert other != api.PyInterpreterState_Get()
    if not api.PyInterpreterState_ThreadHead(other):
        api.PyThreadState_New(other)
    newest = api.PyInterpreterState_ThreadHead(other)
    link = ctypes.c_void_p.from_address(newest + NEXT)
    link.value = newest
    return link


def look():
    core.lock_look_begin()
    while True:
        rows = core.lock_look_go_on(BUDGET_NS)
        if rows is not None:
            return len(rows)


if sys.version_info < (3, 12):
    report(refusal="interpreters share one GIL: their lists do not change")
    sys.exit()
core.cpu_prepare()
core.lock_install()
link = make_circle()
facts = {"n_samples": len(core.cpu_snapshot()), "n_dumped": len(core.dump_interpreters())}
core.creations_open()
facts["before"] = core.creations_before()
core.creations_look()
core.creations_close()
facts["n_waiting"] = look()
link.value = None
report(**facts)
sys.stdout.flush()
os._exit(0)  # the interpreter's end would look for the thread of that state
