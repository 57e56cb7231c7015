"""Threads visit the loaded libraries with a Python callback, which waits for the GIL while the
loader's lock is held: one of them does at nearly any time. Others compute.

The visits begin with a first line of input, and everything ends with the input.
"""

import ctypes
import sys
import threading

from rounds import announce, digest


def compute():
    return sum(number % 7 for number in range(3000))


def see(info, size, context):
    return 1  # no other library


def visit():
    while not is_over:
        visit_libraries(callback, None)
        n_visits.append(1)


def compute_on():
    while not is_over:
        compute()


is_over = False
n_visits = []
callback = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)(see)
visit_libraries = ctypes.CDLL(None).dl_iterate_phdr
announce(ready="libraries visited")
sys.stdin.readline()
threads = [threading.Thread(target=target) for target in (visit, visit, visit, compute_on)]
for thread in threads:
    thread.start()
while len(n_visits) < 10:
    compute()
announce(visiting=True)
sys.stdin.read()
is_over = True
for thread in threads:
    thread.join()
announce(result=digest(compute()), wrong=0)
