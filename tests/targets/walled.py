"""Threads that each stay in one state: asleep, waiting for a lock, in a read, busy, idle; and four
threads that make raw system calls, which nothing restarts after a signal.

Answers any word with the numbers of raw calls made and interrupted.
"""

import concurrent.futures
import ctypes
import errno
import json
import os
import sys
import threading
import time

from rounds import announce, digest

libc = ctypes.CDLL(None, use_errno=True)
taken = threading.Lock()
taken.acquire()
pipe = os.pipe()
pool = concurrent.futures.ThreadPoolExecutor(1)
n_calls = [0] * 4
n_interrupted = [0] * 4


def doze():
    time.sleep(1000)


def wait_for_lock():
    taken.acquire()


def wait_for_data():
    os.read(pipe[0], 1)


def spin():
    while True:
        sum(range(1000))


def call_raw(at):
    while True:
        ctypes.set_errno(0)
        failed = (libc.poll(None, 0, 20) if at % 2 else libc.usleep(20_000)) < 0
        n_calls[at] += 1
        n_interrupted[at] += failed and ctypes.get_errno() == errno.EINTR


pool.submit(len, "").result()
for function in (doze, wait_for_lock, wait_for_data, spin, spin):
    threading.Thread(target=function, name=function.__name__, daemon=True).start()
for at in range(4):
    threading.Thread(target=call_raw, args=(at,), name="call_raw", daemon=True).start()
time.sleep(0.05)
announce(ready="walled", pid=os.getpid())
while sys.stdin.readline():
    sys.stdout.write(json.dumps({"calls": sum(n_calls), "interrupted": sum(n_interrupted)}) + "\n")
    sys.stdout.flush()
announce(result=digest("walled"), rounds=1, wrong=0)
