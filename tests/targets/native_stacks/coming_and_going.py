"""Loads libraries, runs a function of each and unloads them: FILTER=HEX SECONDS LIBRARY …

SECONDS is CPU time.

The system call filter, if there is one, is installed before the first library is loaded.
"""

import ctypes
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from call_filter import install

A_CALL_S = 0.004
EACH_S = 0.08  # enough for samples with the library's rows at the end

code, seconds, paths = sys.argv[1].partition("=")[2], float(sys.argv[2]), sys.argv[3:]
dlclose = ctypes.CDLL(None).dlclose
dlclose.argtypes = [ctypes.c_void_p]
if code:
    install(bytes.fromhex(code))


def run(path, for_s):
    library = ctypes.CDLL(path)
    end = time.thread_time() + for_s
    while time.thread_time() < end:
        library.plain_spin(ctypes.c_double(A_CALL_S))
    dlclose(library._handle)


end = time.thread_time() + seconds
number = 0
while time.thread_time() < end:
    number += 1
    run(paths[number % len(paths)], EACH_S if number % 4 else 0)
