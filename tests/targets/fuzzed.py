"""A program with the sanitized engine in it, which it starts again whenever it has left.

Threads that allocate and fight for a lock, so that every profile has something to record.
"""

import os
import sys
import threading

from rounds import run_rounds

ENTER_EVERY_S = 0.01
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOOTSTRAP = os.path.join(ROOT, "core", "stackglass", "bootstrap.py")
LOCK = threading.Lock()
stopped = threading.Event()
kept = []


def load_core():
    scope = {"__name__": "stackglass.bootstrap", "__file__": BOOTSTRAP}
    with open(BOOTSTRAP, encoding="utf-8") as file:
        exec(compile(file.read(), BOOTSTRAP, "exec"), scope)
    return scope["load"](os.environ["SANITIZED"])


def keep_entering(core):
    fields = {"socket": os.environ["FUZZED_SOCKET"], "uid": os.getuid(), "hz": 100}
    arguments = b"".join(f"{key}={value}".encode() + b"\0" for key, value in fields.items()) + b"\0"
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
