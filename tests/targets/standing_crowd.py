"""Two hundred threads that wait for one lock; the main thread holds it until its input ends."""

import os
import sys
import threading
import time

from rounds import announce, digest

N_THREADS = 200
GATE = threading.Lock()
through = []


def pass_gate(number):
    with GATE:
        through.append(number)


def is_asleep(tid):
    with open(f"/proc/self/task/{tid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def hold_gate():
    with GATE:
        for thread in threads:
            thread.start()
        while not all(thread.native_id and is_asleep(thread.native_id) for thread in threads):
            time.sleep(0.01)
        announce(ready="standing_crowd", pid=os.getpid())
        sys.stdin.readline()


threads = [threading.Thread(target=pass_gate, args=(number,)) for number in range(N_THREADS)]
hold_gate()
for thread in threads:
    thread.join()
announce(result=digest(sorted(through) == list(range(N_THREADS))), rounds=1, wrong=0)
