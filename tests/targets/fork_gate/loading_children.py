"""Forks; each child loads a library, and is killed if it has not done so after a minute.

Answers ``fork N`` with the exit statuses of N children; answers ``kept``, while a thread stays in
the loader, with whether a fork was possible.
"""

import ctypes
import os
import signal
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce

PATIENCE_S = 60
LOADED = 7
preloaded = ctypes.CDLL(None)


def fork_and_load():
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE_S)
        ctypes.CDLL(os.environ["LIBRARY"])
        os._exit(LOADED)
    return os.waitpid(child, 0)[1]


def fork_some(n):
    for i in range(n):
        status = fork_and_load()
        if status != LOADED << 8:
            return {"n": i, "status": status}
    return {"n": n, "status": 0}


def fork_meanwhile():
    """Fork while a thread is in the loader, which it leaves only after the fork."""
    preloaded.keep_loader()
    while not preloaded.count_inside():
        os.sched_yield()
    child = os.fork()
    if child == 0:
        os._exit(LOADED)
    preloaded.release_loader()
    return {"status": os.waitpid(child, 0)[1]}


announce(ready="loading children", pid=os.getpid())
for line in sys.stdin:
    word, _, number = line.partition(" ")
    announce(**(fork_some(int(number)) if word == "fork" else fork_meanwhile()))
announce(result="", rounds=0, wrong=0)
