"""Hundreds of threads that begin and end, fork and execute programs, under the GIL profile and a
CPU profile: SO SECONDS."""

import os
import subprocess
import sys
import threading
import time

from gil import Session, core, report

SECONDS = float(sys.argv[2])


def work(n):
    return sum(i * i for i in range(n))


def nest(depth):
    return work(50) if depth == 0 else nest(depth - 1)


def live_briefly():
    results.append(nest(30) == EXPECTED)


def come_and_go():
    while not is_over:
        threads = [threading.Thread(target=live_briefly) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def sleep_and_wake():
    while not is_over:
        time.sleep(0.001)
        work(100)


EXPECTED = work(50)
is_over = False
results: list = []
session = Session(hz=1000, cpu_hz=1000)
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
others = [threading.Thread(target=come_and_go) for _ in range(4)]
others += [threading.Thread(target=sleep_and_wake) for _ in range(100)]
for thread in others:
    thread.start()
end = time.monotonic() + SECONDS
n_children = n_well = 0
while time.monotonic() < end or n_children <= 4:  # a crowded machine is slow to fork
    core.cpu_maintain()
    core.cpu_drain()
    core.gil_drain()
    pid = os.fork()
    if not pid:
        core.gil_after_fork()
        core.cpu_after_fork()
        os.execv("/bin/true", ["/bin/true"])
    n_well += os.waitpid(pid, 0)[1] == 0
    n_well += subprocess.call(["/bin/true"]) == 0
    n_children += 2
is_over = True
for thread in others:
    thread.join()
session.settle()
status = core.gil_status()
session.stop()
report(
    refusal=None,
    n_children=n_children,
    n_well=n_well,
    n_results=len(results),
    are_right=all(results),
    status=status,
)
