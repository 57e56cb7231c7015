"""Switches the GIL profile on and off while threads want the GIL, with forks: SO TURNS."""

import os
import sys
import threading
import time

from gil import Session, core, report


def work():
    while not is_over:
        sum(range(2000))
        n_done[threading.get_ident()] = n_done.get(threading.get_ident(), 0) + 1


def child_waits():
    """Return whether, in a forked child, threads still get the GIL without the engine."""
    core.gil_after_fork()
    core.cpu_after_fork()
    before = core.gil_waited()
    end = time.monotonic() + 0.05

    def spin():
        while time.monotonic() < end:
            pass

    threads = [threading.Thread(target=spin) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return before == core.gil_waited() == (0, 0) and not core.gil_status()["is_redirected"]


is_over = False
n_done: dict = {}
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
n_redirected = n_idle = n_forks = 0
for turn in range(int(sys.argv[2])):
    session = Session(hz=1000, cpu_hz=1000 if turn % 2 else 0)
    if session.refusal:
        is_over = True
        report(refusal=session.refusal)
        raise SystemExit
    n_redirected += core.gil_status()["is_redirected"]
    for _ in range(5):
        core.gil_set_rate(0)
        core.gil_set_rate(1000)
    if turn % 5 == 0:
        pid = os.fork()
        if not pid:
            os._exit(0 if child_waits() else 1)
        n_forks += os.waitpid(pid, 0)[1] == 0
    time.sleep(0.01)
    session.stop()
    before = core.gil_waited()[0]
    time.sleep(0.01)
    # A thread that waited at the end still returns through the engine's function, once.
    n_idle += core.gil_waited()[0] - before <= len(threads) + 1
is_over = True
for thread in threads:
    thread.join()
report(
    refusal=None, n_redirected=n_redirected, n_idle=n_idle, n_forks=n_forks, n_threads=len(n_done)
)
