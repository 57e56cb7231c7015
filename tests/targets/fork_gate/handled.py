"""Forks all the time, and is nearly always in a fork handler of C code (``HANDLER``). Its children
sleep until it ends. It has two threads, so that the C library locks its list of handlers."""

import ctypes
import os
import signal
import sys
import threading

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import run_rounds

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)
children = []


def fork():
    child = os.fork()
    if child == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        while True:
            signal.pause()
    children.append(child)
    return os.getpid()


threading.Thread(target=threading.Event().wait, daemon=True).start()
assert ctypes.CDLL(os.environ["HANDLER"]).register_handler() == 0
run_rounds("handled", fork)
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
