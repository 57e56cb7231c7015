"""Writes a profile of itself in a callback of atexit: FILE. Nothing is printed."""

import atexit
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

import stackglass

rounds = [(threading.Lock(), threading.Event()) for _ in range(10)]


def hold():
    for lock, is_waited_for in rounds:
        with lock:
            is_waited_for.wait()
            time.sleep(0.005)


def wait():
    for lock, is_waited_for in rounds:
        is_waited_for.set()
        with lock:
            pass


def write():
    stackglass.lookup("mutex").write_to(sys.argv[1])


stackglass.set_mutex_profile_fraction(1)
atexit.register(write)
threads = [threading.Thread(target=target) for target in (hold, wait)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
