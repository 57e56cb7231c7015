"""Started threads that have not begun when the recording of starts begins, and a thread state that
was made in advance, as by hosts of Python, and never has a thread. Reports which are found when.
"""

import _thread
import ctypes
import os
import time

from held_threads import births, start_held, stop, tids, wait_until_begun
from sampler import core, report

python = ctypes.pythonapi
python.PyInterpreterState_Get.restype = ctypes.c_void_p
python.PyThreadState_New.restype = ctypes.c_void_p
python.PyThreadState_New.argtypes = [ctypes.c_void_p]
state = python.PyThreadState_New(python.PyInterpreterState_Get())

N = 3
MOST_LOOKS = 1000
LOOK_NS = 20_000_000

core.cpu_prepare()
start_held(N)
core.creations_open()
before = core.creations_before()
early = core.creations_look()

births.hold_births(0)
wait_until_begun(N)
found = core.creations_look()
again = core.creations_look()

n_due = sum(core.births_are_due(i * LOOK_NS) for i in range(1, MOST_LOOKS))
is_due_at_once = core.births_are_due(MOST_LOOKS * LOOK_NS)
core.creations_close()

births.hold_births(1)
_thread.start_new_thread(lambda: None, ())
core.creations_open()
first = core.births_are_due(MOST_LOOKS * LOOK_NS)
too_soon = core.births_are_due(MOST_LOOKS * LOOK_NS + LOOK_NS - 1)
births.hold_births(0)
while len(os.listdir("/proc/self/task")) > 1 + N:  # wait until it has ended
    time.sleep(0.01)
ended = core.creations_look()
core.creations_close()
core.cpu_unprepare()
stop.set()
report(
    has_state=bool(state),
    before=before,
    early=early,
    are_found=sorted(found) == sorted(tids),
    again=again,
    n_due=n_due,
    is_due_at_once=is_due_at_once,
    first=first,
    too_soon=too_soon,
    ended=ended,
)
