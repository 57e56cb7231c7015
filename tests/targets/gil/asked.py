"""Requests for stacks of threads, at a CPU rate or none: SO CPU_HZ.

One thread computes without the GIL, so that requests find it in the sampler's handler, too.
"""

import hashlib
import sys
import threading
import time

from gil import core, report

PATIENCE_NS = 5 * 10**9
MUCH = bytes(1 << 21)


def spin():
    begun.release()
    while not is_over:
        pass


def sleep():
    begun.release()
    asleep.wait()


def digest():
    begun.release()
    while not is_over:
        hashlib.sha256(MUCH)


is_over = False
asleep = threading.Event()
begun = threading.Semaphore(0)  # start() returns before the function begins
refusal = core.cpu_prepare() or core.cpu_start(int(sys.argv[2]), 0, time.monotonic_ns())
if refusal:
    report(refusal=refusal)
    raise SystemExit
threads = [threading.Thread(target=target) for target in (spin, sleep)]
for thread in threads:
    thread.start()
for _ in threads:
    begun.acquire()
core.cpu_maintain()
answers = []
for _ in range(50):
    for thread in threads:
        answers.append(core.stack_ask(thread.native_id, PATIENCE_NS))
counts = core.stack_counts()
absent = core.stack_ask(1, PATIENCE_NS)
is_over = True
asleep.set()
for thread in threads:
    thread.join()
is_over = False
thread = threading.Thread(target=digest)  # by itself: no request waits for the GIL
thread.start()
begun.acquire()
core.cpu_maintain()
digests = [core.stack_ask(thread.native_id, PATIENCE_NS) for _ in range(1000)]
n_digests = sum(stack is not None for stack in digests)
is_over = True
thread.join()
alive = [[core.code_alive(code) for code, _ in stack or ()] for stack in answers]
names = [[code.co_name for code in codes if code] for codes in alive]
core.cpu_stop()
core.cpu_unprepare()
report(
    refusal=None,
    n_asked=len(answers),
    n_spin=sum("spin" in one for one in names[::2]),
    n_digests=n_digests,
    n_sleep=sum("sleep" in one for one in names[1::2]),
    is_nobody_there=absent is not None,
    counts=counts,
)
