"""Threads of every kind, each of which must be sampled correctly."""

import signal
import sys
import threading
import time

from sampler import Session, core, report


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(200))


def early():
    burn(0.25)


def late():
    burn(0.25)


def asleep():
    is_over.wait()


def blocked():
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.valid_signals()))
    burn(0.4)


def brief():
    burn(0.001)


def fleeting():
    burn(0.0008)  # less than a period of the rate


def deep(n):
    return burn(0.2) if n == 0 else deep(n - 1)


def run(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.02)
        session.collect()
    for thread in threads:
        thread.join()


is_over = threading.Event()
sleeper = threading.Thread(target=asleep)
sleeper.start()
first = threading.Thread(target=early)
first.start()
session = Session(hz=1000, clock=sys.argv[2])
snapshot = core.cpu_snapshot()
run(late)
first.join()
deadline = time.monotonic() + 5
while (n_threads := core.cpu_status()["n_threads"]) > 2 and time.monotonic() < deadline:
    time.sleep(0.01)  # a joined thread may still be ending
    session.collect()
core.cpu_set_rate(100)
for _ in range(40):
    run(*[brief] * 15)
core.cpu_set_rate(1000)
for _ in range(40):
    run(*[fleeting] * 5)
sys.setrecursionlimit(2000)
run(lambda: deep(200), lambda: deep(700))
run(blocked)
is_over.set()
sleeper.join()
session.stop()
tids = {name: {s[0] for s in session.samples if name in s[4]} for name in ("early", "late")}
deepest = max(session.samples, key=lambda sample: len(sample[4]))[4]
report(
    n_early=sum(s[2] for s in session.samples if "early" in s[4]),
    n_late=sum(s[2] for s in session.samples if "late" in s[4]),
    are_apart=len(tids["early"]) == len(tids["late"]) == 1 and tids["early"] != tids["late"],
    asleep_ns=sum(s[3] for s in session.samples if "asleep" in s[4]),
    n_brief=sum(s[2] for s in session.samples if "brief" in s[4]),
    n_fleeting=sum(s[2] for s in session.samples if "fleeting" in s[4]),
    blocked_ns=sum(s[3] for s in session.samples if "blocked" in s[4]),
    deepest=len(deepest),
    deepest_root=deepest[-1],
    deepest_leaf=deepest[0],
    n_whole_deep=sum(s[4].count("deep") == 201 for s in session.samples),
    n_snapshot=len(snapshot),
    n_threads=n_threads,
    total=session.total_ns / session.cpu_ns,
)
