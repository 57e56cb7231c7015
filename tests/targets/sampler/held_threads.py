"""Started threads that begin only when ``held_births.c`` lets them."""

import _thread
import ctypes
import threading

births = ctypes.CDLL(None)
stop = threading.Event()
tids = []  # of threads that have begun
_begun = threading.Semaphore(0)


def _run():
    tids.append(threading.get_native_id())
    _begun.release()
    stop.wait()


def start_held(n):
    births.hold_births(1)
    for _ in range(n):
        _thread.start_new_thread(_run, ())


def wait_until_begun(n):
    for _ in range(n):
        _begun.acquire()
