"""Threads that hold locks forever, and threads that wait for them.

Answers ``hold`` with the address of a new lock that a new thread has taken, ``wait`` with a new
thread that waits for the newest lock.
"""

import json
import os
import sys
import threading
import time

from rounds import announce, digest

locks = []


def hold(is_held):
    with locks[-1]:
        is_held.set()
        time.sleep(1000)


def wait_in_vain():
    with locks[-1]:
        pass


def start(function, *words):
    name = f"{function.__name__} {len(locks)}"
    threading.Thread(target=function, args=words, name=name, daemon=True).start()


announce(ready="holding", pid=os.getpid())
for line in sys.stdin:
    if line.strip() == "hold":
        is_held = threading.Event()
        locks.append(threading.Lock())
        start(hold, is_held)
        is_held.wait()
    else:
        start(wait_in_vain)
        time.sleep(0.05)
    sys.stdout.write(json.dumps({"lock": id(locks[-1])}) + "\n")
    sys.stdout.flush()
announce(result=digest("holding"), rounds=1, wrong=0)
