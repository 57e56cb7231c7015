"""Threads in system calls that nothing restarts: C threads, Python threads in C code that never
returns, and Python threads that call C again and again; and a Python thread that is sometimes busy.

Answers any line with the numbers of calls made and interrupted, by kind of call; for the line
"interrupt" it first interrupts each thread. UNINTERRUPTED: the compiled uninterrupted.c.
"""

import ctypes
import json
import os
import signal
import sys
import threading
import time

from rounds import announce, digest

KINDS = ("poll", "select", "epoll", "sleep", "futex", "receive", "await_signal")
library = ctypes.CDLL(os.environ["UNINTERRUPTED"])
library.prepare()
n_calls, n_interrupted = (
    (ctypes.c_uint64 * len(KINDS)).in_dll(library, name) for name in ("n_calls", "n_interrupted")
)


def stay_in_c(kind):
    library.make_calls(kind)


def call_from_python(kind):
    while True:
        library.make_call(kind)


def work_now_and_then():
    while True:
        sum(range(100_000))
        time.sleep(0.01)


def interrupt_threads():
    for tid in map(int, os.listdir("/proc/self/task")):
        library.interrupt(tid, signal.SIGUSR1)


signal.signal(signal.SIGUSR1, lambda *_: None)
threading.Thread(target=work_now_and_then, daemon=True).start()
for kind in range(len(KINDS)):
    assert library.begin_thread(kind) == 0
    for function in (stay_in_c, call_from_python):
        threading.Thread(target=function, args=(kind,), daemon=True).start()
announce(ready="uninterrupted", pid=os.getpid())
while line := sys.stdin.readline():
    if line.strip() == "interrupt":
        interrupt_threads()
    answer = {"calls": dict(zip(KINDS, n_calls)), "interrupted": dict(zip(KINDS, n_interrupted))}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # the default action of a late one would kill
announce(result=digest("uninterrupted"), rounds=1, wrong=0)
