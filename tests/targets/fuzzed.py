"""A program with the sanitized engine, which it enters again whenever the engine has left.

Its threads allocate and contend for a lock, so that every profile has data.
"""

import sys
import threading

from rounds import run_rounds
from sanitized_engine import list_arguments, load_core

ENTER_EVERY_S = 0.01
LOCK = threading.Lock()
stopped = threading.Event()
kept = []


def keep_entering(core):
    arguments = list_arguments()
    while not stopped.wait(ENTER_EVERY_S):
        core.enter(arguments)


def fight():
    while not stopped.wait(0.001):
        with LOCK:
            kept.append(bytearray(5000))
            if len(kept) > 100:
                kept.clear()


def work():
    with LOCK:
        pass
    return sum(len(str(number)) for number in range(500))


core = load_core()
threads = [threading.Thread(target=fight) for _ in range(2)]
threads.append(threading.Thread(target=keep_entering, args=(core,)))
for thread in threads:
    thread.start()
try:
    run_rounds("fuzzed", work)
finally:
    stopped.set()
    for thread in threads:
        thread.join()
    sys.stdout.flush()
