"""Fifty threads: four compute, 46 wait; the main thread mostly sleeps, and checks them.

``DESCRIPTORS`` = how many the process may open.
"""

import os
import resource
import threading
import time

from rounds import digest, run_rounds

if os.environ.get("DESCRIPTORS"):
    n = int(os.environ["DESCRIPTORS"])
    resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))
stop = threading.Event()
wrong = []
finished = []


def compute(number):
    expected = None
    while not stop.is_set():
        value = digest([number * i for i in range(300)])
        if expected is None:
            expected = value
        if value != expected:
            wrong.append(number)
    finished.append(number)


def wait(number):
    stop.wait()
    finished.append(number)


threads = [
    threading.Thread(target=compute if number < 4 else wait, args=(number,), name=f"w{number}")
    for number in range(50)
]
for thread in threads:
    thread.start()


def look():
    time.sleep(0.2)
    return list(wrong)


run_rounds("threads", look)
stop.set()
for thread in threads:
    thread.join()
assert sorted(finished) == list(range(50)), finished
