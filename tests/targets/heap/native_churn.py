"""Redirects and restores import tables again and again under stress: SO LIBRARY ROUNDS.

C threads allocate, libraries are loaded and unloaded, and children are forked.
"""

import _ctypes
import ctypes
import os
import shutil
import sys
import tempfile
import threading
import time

from heap import Heap, core, count_negative, report
from import_slots import list_changes, read_import_slots

n_rounds = int(sys.argv[3])
library = ctypes.CDLL(sys.argv[2])
library.get.restype = ctypes.c_void_p
library.stop_churn.restype = ctypes.c_long
is_over = threading.Event()
n_loads = 0


def load_and_unload(folder):
    global n_loads
    copies = [shutil.copy(sys.argv[2], f"{folder}/copy{i}.so") for i in range(5)]
    while not is_over.is_set():
        handles = [
            _ctypes.dlopen(copy, os.RTLD_NOW if n_loads % 2 else os.RTLD_LAZY) for copy in copies
        ]
        for handle in handles:
            get = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)(
                _ctypes.dlsym(handle, "get")
            )
            block = get(0, 5000)
            library.give_back(ctypes.c_void_p(block))
        for handle in handles:
            _ctypes.dlclose(handle)
        n_loads += 1


def fork():
    """Return whether a forked child has the original tables, and works."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    core.heap_after_fork()
    core.native_alloc_after_fork()
    is_same = not list_changes(before, read_import_slots())
    library.give_back(ctypes.c_void_p(library.get(0, 5000)))
    assert core.heap_prepare(time.monotonic_ns()) is None
    core.heap_set_rate(1)
    core.native_alloc_redirect()
    library.give_back(ctypes.c_void_p(library.get(0, 5000)))
    core.native_alloc_restore()
    core.heap_unprepare()
    os._exit(0 if is_same else 1)


facts = {"n_children": 0, "n_bad_children": 0, "n_negative": 0, "n_samples": 0, "n_most": 0}
library.start_churn(1)  # resolves every function before tables are read
library.stop_churn()
before = read_import_slots()
library.start_churn(3)
with tempfile.TemporaryDirectory() as folder:
    loader = threading.Thread(target=load_and_unload, args=(folder,))
    loader.start()
    for i in range(n_rounds):
        if i % 10 == 0:
            heap = Heap((1, 4096)[i // 10 % 2])
            heap.__enter__()
        core.native_alloc_redirect()
        for _ in range(i % 4):
            core.heap_maintain()
            core.native_alloc_maintain()
        facts["n_most"] = max(facts["n_most"], core.native_alloc_status()["n_libraries"])
        if i % 25 == 0:
            facts["n_children"] += 1
            facts["n_bad_children"] += not fork()
        if i % 10 == 9 and i % 20 < 10:
            time.sleep(0.005)
        core.native_alloc_restore()
        if i % 10 == 9:
            facts["n_negative"] += count_negative(heap.read())
            facts["n_samples"] += core.heap_status()["n_samples"]
            heap.__exit__()
    is_over.set()
    loader.join()
facts["n_churned"] = library.stop_churn()
facts["n_loads"] = n_loads
facts["differ"] = list_changes(before, read_import_slots())
report(**facts)
