"""Two hundred threads: one works in rounds, the others wait; a few of these wake up all the time.

Prints a round's CPU time of the whole process and its elapsed time, in ns, a line each.
"""

import sys
import threading
import time

N_WAITING, N_WAKING = 179, 20

lock = threading.Lock()
lock.acquire()


def wait():
    lock.acquire()


def wake():
    while True:
        time.sleep(0.05)


def work():
    total = 0
    for i in range(200_000):
        total += i * i % 7
    return total


for function, n in ((wait, N_WAITING), (wake, N_WAKING)):
    for _ in range(n):
        threading.Thread(target=function, daemon=True).start()
while True:
    cpu_ns, wall_ns = time.process_time_ns(), time.perf_counter_ns()
    work()
    sys.stdout.write(f"{time.process_time_ns() - cpu_ns} {time.perf_counter_ns() - wall_ns}\n")
    sys.stdout.flush()
