"""Writes a profile of itself in a callback of atexit: FILE. Nothing is printed."""

import atexit
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

import stackglass

lock = threading.Lock()


def hold():
    for _ in range(10):
        with lock:
            time.sleep(0.005)


def write():
    stackglass.lookup("mutex").write_to(sys.argv[1])


stackglass.set_mutex_profile_fraction(1)
atexit.register(write)
threads = [threading.Thread(target=hold) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
