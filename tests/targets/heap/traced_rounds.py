"""Starts and stops tracemalloc all the time, for as long as it runs; with THREAD in a thread."""

import os
import sys
import threading
import tracemalloc

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import run_rounds

is_over = threading.Event()


def toggle():
    tracemalloc.start()
    kept = [[number] for number in range(50)]
    tracemalloc.stop()
    return len(kept)


def toggle_until_over():
    while not is_over.is_set():
        toggle()


if os.environ.get("THREAD"):
    thread = threading.Thread(target=toggle_until_over)
    thread.start()
    run_rounds("traced", lambda: is_over.wait(0.01))
    is_over.set()
    thread.join()
else:
    run_rounds("traced", lambda: [toggle() for _ in range(50)])
