"""A program near its limit of address space: maps and unmaps 8 MB all the time, counts refusals.

``LIMIT_MB`` is how much address space it may have beyond what it has once it runs.
"""

import json
import os
import resource
import sys
import threading
import time
from collections import deque

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import run_rounds

n_refused = [0]


def allocate():
    try:
        block = bytearray(8 << 20)
    except MemoryError:
        n_refused[0] += 1
        return 0
    return len(block) + sum(number % 5 for number in range(20000))


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
