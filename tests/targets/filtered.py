"""Threads that fight for a lock, allocate and wait, under a system call filter of its own.

``FILTER`` is the filter, an array of struct sock_filter in hexadecimal, installed for all threads
once they run; with ``LATE`` not before the file named like the one that stops the target, with
``.filter`` behind it, is there, and from then on each round starts a thread. With ``SOCKETS`` the
program has a pair of sockets.
"""

import os
import socket
import sys
import threading
import time

from call_filter import install
from rounds import run_rounds

_lock = threading.Lock()
is_installed = []


def fight():
    while True:
        with _lock:
            hold()
        time.sleep(0.0005)


def hold():
    time.sleep(0.0002)  # without the GIL, so that others come to the lock meanwhile
    return sum(number * number for number in range(2000))


def compute():
    if os.environ.get("LATE") and os.path.exists(sys.argv[1] + ".filter"):
        if not is_installed:
            is_installed.append(True)
            install(bytes.fromhex(os.environ["FILTER"]))
        thread = threading.Thread(target=hold)
        thread.start()
        thread.join()
    kept = [bytearray(2000) for _ in range(200)]
    with _lock:
        return len(kept), sum(number % 7 for number in range(3000))


for _ in range(3):
    threading.Thread(target=fight, daemon=True).start()
kept = socket.socketpair() if os.environ.get("SOCKETS") else None
if os.environ.get("FILTER") and not os.environ.get("LATE"):
    install(bytes.fromhex(os.environ["FILTER"]))
run_rounds("filtered", compute)
