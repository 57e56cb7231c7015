"""Two subinterpreters with a GIL each, and then two threads inside of one, also while the engine
has the main GIL: SO SECONDS. 3.14.

Waits are compared with the threads' own times, from the begin of the interpreter's first thread to
the end of each thread. The time until an interpreter's threads begin does not count.
"""

import os
import sys
import threading
from concurrent import interpreters

from gil import Session, core, report

WORK = """
import os
import threading
import time

start, began = threading.Barrier({n}), []

def work():
    if start.wait() == 0:
        os.write({begin}, b"b")
    began.append(time.monotonic_ns())
    while time.monotonic_ns() - began[0] < {ns}:
        for _ in range(100):
            pass
    os.write({pipe}, b"%d\\n" % (time.monotonic_ns() - began[0]))

others = [threading.Thread(target=work) for _ in range({n} - 1)]
for thread in others:
    thread.start()
work()
for thread in others:
    thread.join()
"""


def run_apart(n_interpreters, n_threads, seconds, is_engine_holding=False):
    """Return the time waited, and the part with a free GIL, as fractions of the threads' times."""
    made = [interpreters.create() for _ in range(n_interpreters)]
    reading, writing = os.pipe()
    begun, begin = os.pipe()
    code = WORK.format(n=n_threads, ns=int(seconds * 1e9), pipe=writing, begin=begin)
    free_ns = core.gil_status()["free_ns"]
    core.gil_set_rate(250)
    session.wait_for(lambda status: status["is_looking"])
    threads = [threading.Thread(target=one.exec, args=(code,)) for one in made]
    for thread in threads:
        thread.start()
    if is_engine_holding:
        os.read(begun, 1)  # its threads need the main GIL no more until they end
        core.cpu_adopt()
        core.gil_engine_holds(int(seconds * 1e9))
        core.cpu_disown()
    for thread in threads:
        thread.join()
    # Charges get no names, because this interpreter must not touch their code objects.
    core.gil_set_rate(0)
    session.wait_for(lambda status: not status["is_looking"])
    waited_ns = sum(ns for _, _, ns, _ in core.gil_drain())
    free_ns = core.gil_status()["free_ns"] - free_ns
    for one in made:
        one.close()
    for descriptor in (writing, begun, begin):
        os.close(descriptor)
    with open(reading) as file:
        times_ns = [int(line) for line in file]
    assert len(times_ns) == n_interpreters * n_threads
    return {
        "share": waited_ns / sum(times_ns),
        "free": free_ns / max(1, waited_ns),
        "delay": 0.0,  # no other thread has that GIL
    }


session = Session()
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
length_s = float(sys.argv[2])
alone = run_apart(2, 1, length_s)
inside = run_apart(1, 2, length_s)
beside = run_apart(1, 2, length_s, is_engine_holding=True)
status = core.gil_status()
session.stop()
report(refusal=None, alone=alone, inside=inside, beside=beside, status=status)
