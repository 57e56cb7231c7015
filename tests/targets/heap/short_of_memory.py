"""A program near its limit of address space: maps and unmaps memory all the time, counts refusals.

``LIMIT_MB`` is the address space that it may add once it runs, ``BLOCK_MB`` the size of its
mappings.
"""

import json
import mmap
import os
import resource
import sys
import threading
import time
from collections import deque

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import run_rounds

BLOCK = int(os.environ["BLOCK_MB"]) << 20
n_refused = [0]


def allocate():
    try:
        block = mmap.mmap(-1, BLOCK)
    except (MemoryError, OSError):
        n_refused[0] += 1
        return 0
    size = len(block)
    block.close()  # so that there is time in which another thread can take the space
    return size + sum(number % 5 for number in range(20000))


kept = deque(maxlen=1)


def idle():
    while True:
        time.sleep(0.005)
        kept.append([0] * 5000)  # larger than Python's own allocator takes, so the C library's


def read_size():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


threading.Thread(target=idle, daemon=True).start()
time.sleep(0.05)
allocate()
limit = read_size() + (int(os.environ["LIMIT_MB"]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
run_rounds("short_of_memory", allocate)
print(json.dumps({"refused": n_refused[0]}), flush=True)
