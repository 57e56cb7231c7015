"""Threads asked for their stacks, at a CPU rate or none: SO CPU_HZ."""

import sys
import threading
import time

from gil import core, tell

PATIENCE_NS = 5 * 10**9


def spin():
    begun.release()
    while not is_over:
        pass


def sleep():
    begun.release()
    asleep.wait()


def ask(tid):
    """The thread's stack. While it is in the sampler's handler, all signals are blocked and none is
    sent: then it is asked again."""
    for _ in range(1000):
        n_sent, _ = core.stack_counts()
        stack = core.stack_ask(tid, PATIENCE_NS)
        if core.stack_counts()[0] > n_sent:
            return stack
        time.sleep(0.0005)
    return None


is_over = False
asleep = threading.Event()
begun = threading.Semaphore(0)  # start() returns while a thread is still on its way to its function
refusal = core.cpu_prepare() or core.cpu_start(int(sys.argv[2]), 0, time.monotonic_ns())
if refusal:
    tell(refusal=refusal)
    raise SystemExit
threads = [threading.Thread(target=target) for target in (spin, sleep)]
for thread in threads:
    thread.start()
for _ in threads:
    begun.acquire()
core.cpu_tend()
answers = []
for _ in range(50):
    for thread in threads:
        answers.append(ask(thread.native_id))
counts = core.stack_counts()
nobody = core.stack_ask(1, PATIENCE_NS)
is_over = True
asleep.set()
for thread in threads:
    thread.join()
alive = [[core.code_alive(code) for code, _ in stack or ()] for stack in answers]
names = [[code.co_name for code in codes if code] for codes in alive]
core.cpu_stop()
core.cpu_unprepare()
tell(
    refusal=None,
    n_asked=len(answers),
    n_spin=sum("spin" in one for one in names[::2]),
    n_sleep=sum("sleep" in one for one in names[1::2]),
    is_nobody_there=nobody is not None,
    counts=counts,
)
