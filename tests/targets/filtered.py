"""Threads that contend for a lock, allocate and wait, under the program's own system call filter.

``FILTER`` is the filter, an array of struct sock_filter in hexadecimal, installed for all threads
when they run. With ``LATE`` it is installed when a file exists that is named like the stop file,
with ``.filter`` appended; from then on each round starts a thread. With ``DEEDS`` the program also
forks a child, waits for a future, and imports a module before it waits for the lock. With ``OWN``
only the main thread has the filter. With ``SOCKETS`` the program has a pair of sockets. ``ROOM``:
the program's arenas have room from the beginning. ``FIRST`` is another filter, installed at the
beginning. With ``FULL`` the program has no free descriptor for a while before it installs the late
filter, and for some rounds after that. With ``ALONE`` there is only the main thread, which never
waits.

An early filter may forbid to map memory: before it, the program and each thread have what they
need.
"""

import contextlib
import importlib
import os
import socket
import sys
import threading
import time

from call_filter import install
from rounds import digest, run_rounds

_lock = threading.Lock()
_has_filter = bool(os.environ.get("FILTER")) and not os.environ.get("LATE")
_ready = []  # threads that have an arena of the C library
if os.environ.get("DEEDS"):
    import asyncio

    _loop = asyncio.new_event_loop()  # it has a pair of sockets
is_installed = []
filling = []
N_FULL_ROUNDS = 50
CHECKED_S = 0.05  # far longer than the engine's interval for checks (0.2 ms)
modules = ["colorsys", "sched", "queue", "cmd", "plistlib", "netrc", "wave"]


def reserve():
    """Leave arenas of Python's allocator behind that are nearly empty: room for anything small."""
    small = [bytes(100) for _ in range(40_000)]
    return small[::1000]  # at least one in each arena


def fight():
    bytearray(2000)  # of the C library, which maps an arena for a thread at its first
    _ready.append(True)
    while True:
        with _lock:
            hold()
        time.sleep(0.0005)


def hold():
    time.sleep(0.0002)  # without the GIL, so that other threads come to the lock
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
reserved = reserve() if _has_filter or os.environ.get("ROOM") else []
if _has_filter:
    digest(compute())
    while len(_ready) < (0 if os.environ.get("ALONE") else 3):
        time.sleep(0.001)
    install(bytes.fromhex(os.environ["FILTER"]))
run_rounds("filtered", compute)
free_descriptors()  # the end of a daemon thread loads a library
