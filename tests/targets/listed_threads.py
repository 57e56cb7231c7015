"""Lists of what threads sleep on where the kernel's list lacks one: SO. Needs passing_over.c."""

import ctypes
import os
import threading

from probe import load_core, report

core = load_core()
kernel = ctypes.CDLL(None)
is_over = threading.Event()
waiting = [threading.Thread(target=is_over.wait) for _ in range(3)]
for thread in waiting:
    thread.start()
ended = threading.Thread(target=int)
ended.start()
ended.join()
while os.path.exists(f"/proc/self/task/{ended.native_id}"):
    continue  # to be joined is not yet the end
own = sorted([threading.get_native_id(), *(thread.native_id for thread in waiting)])
whole = sorted(core.sleepers_list())
kernel.pass_over(waiting[1].native_id, ended.native_id)
passed_over = sorted(core.sleepers_list())
is_over.set()
for thread in waiting:
    thread.join()
report(
    is_whole=whole == own,
    more=[tid for tid in passed_over if tid not in (*own, ended.native_id)],
    missing=[tid for tid in own if passed_over.count(tid) != 1],
)
