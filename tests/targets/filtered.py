"""Threads that fight for a lock, allocate and wait, under a system call filter of its own.

``FILTER`` is the filter, an array of struct sock_filter in hexadecimal, installed for all threads
once they run; with ``LATE`` not before the file named like the one that stops the target, with
``.filter`` behind it, is there, and from then on each round starts a thread. With ``DEEDS`` it also
forks a child, waits for a future, and imports a module before it waits for the lock. With ``OWN``
it is the filter of the main thread alone. With ``SOCKETS`` the program has a pair of sockets.
``FIRST`` is another filter, installed at the beginning. With ``FULL`` the program has no free
descriptor for a while before it installs the late one, and for some rounds from then on. With
``ALONE`` the main thread is the only one, and never waits.
"""

import contextlib
import importlib
import os
import socket
import sys
import threading
import time

from call_filter import install
from rounds import run_rounds

_lock = threading.Lock()
if os.environ.get("DEEDS"):
    import asyncio

    _loop = asyncio.new_event_loop()  # it has a pair of sockets
is_installed = []
filling = []
N_FULL_ROUNDS = 50
CHECKED_S = 0.05  # far longer than the engine goes without a look for a new filter (2 ms)
modules = ["colorsys", "sched", "queue", "cmd", "plistlib", "netrc", "wave"]


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
        is_installed.append(True)
        if len(is_installed) == N_FULL_ROUNDS:
            free_descriptors()
        if len(is_installed) == 1:
            if os.environ.get("FULL"):
                fill_descriptors()
                time.sleep(CHECKED_S)
            install(bytes.fromhex(os.environ["FILTER"]), is_for_all=not os.environ.get("OWN"))
        if not os.environ.get("ALONE"):
            thread = threading.Thread(target=hold)
            thread.start()
            thread.join()
        if os.environ.get("DEEDS"):
            check_child()
            _loop.run_until_complete(wait_for_future())
            if modules:
                importlib.import_module(modules.pop())
    kept = [bytearray(2000) for _ in range(200)]
    with _lock:
        return len(kept), sum(number % 7 for number in range(3000))


def free_descriptors():
    while filling:
        os.close(filling.pop())


async def wait_for_future():
    future = _loop.create_future()
    _loop.call_later(0.001, future.set_result, None)
    await future


def fill_descriptors():
    with contextlib.suppress(OSError):
        while True:
            filling.append(os.open("/dev/null", os.O_RDONLY))


def check_child():
    child = os.fork()
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


if os.environ.get("FIRST"):
    install(bytes.fromhex(os.environ["FIRST"]))
for _ in range(0 if os.environ.get("ALONE") else 3):
    threading.Thread(target=fight, daemon=True).start()
kept = socket.socketpair() if os.environ.get("SOCKETS") else None
if os.environ.get("FILTER") and not os.environ.get("LATE"):
    install(bytes.fromhex(os.environ["FILTER"]))
run_rounds("filtered", compute)
free_descriptors()  # the end of a daemon thread loads a library
