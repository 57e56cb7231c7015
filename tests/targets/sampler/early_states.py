"""A thread state that was made in advance, as hosts of Python do: it has no thread yet. How long do
starts of threads take to be watched, at the least?"""

import ctypes
import time

from sampler import core, report

python = ctypes.pythonapi
python.PyInterpreterState_Get.restype = ctypes.c_void_p
python.PyThreadState_New.restype = ctypes.c_void_p
python.PyThreadState_New.argtypes = [ctypes.c_void_p]
state = python.PyThreadState_New(python.PyInterpreterState_Get())

core.cpu_prepare()
spans_ns = []
for _ in range(8):
    begin_ns = time.monotonic_ns()
    core.creations_open()
    spans_ns.append(time.monotonic_ns() - begin_ns)
    core.creations_close()
core.cpu_unprepare()
report(has_state=bool(state), least_ns=min(spans_ns))
