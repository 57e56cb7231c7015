"""A program that executes another one while it is sampled: SO CLOCK TAKEN N.

TAKEN: names of signals that the program handles itself, joined by "+". Reports how the new program
ended, N times: by exit status 0, or by a signal.
"""

import os
import signal
import sys
import threading
import time
from collections import Counter

from sampler import Session, core, report

for name in filter(None, sys.argv[3].split("+")):
    signal.signal(getattr(signal, name), lambda *_: None)


def burn():
    while True:
        sum(range(200))


def run_and_execute():
    session = Session(hz=10_000, clock=sys.argv[2])
    if session.refusal:
        os.write(2, session.refusal.encode())
        os._exit(3)
    for _ in range(2):
        threading.Thread(target=burn, daemon=True).start()
    end = time.thread_time() + 0.002
    while time.thread_time() < end:
        sum(range(200))
    os.execv("/bin/true", ["true"])


ends: Counter = Counter()
for _ in range(int(sys.argv[4])):
    child = os.fork()
    if child == 0:
        core.cpu_after_fork()
        run_and_execute()
    _, status = os.waitpid(child, 0)
    killed_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    ends[signal.Signals(killed_by).name if 0 < killed_by < 32 else killed_by or status] += 1

# A child of posix_spawn shares this process's memory until it executes its program.
session = Session(hz=10_000, clock=sys.argv[2])
spawned: Counter = Counter()
for _ in range(int(sys.argv[4])):
    child = os.posix_spawn("/bin/true", ["true"], os.environ)
    spawned[os.waitpid(child, 0)[1]] += 1
session.stop()
report(ends=ends, spawned=spawned, clock=session.status["clock"])
