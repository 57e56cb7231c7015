"""Holds of the GIL of equal length, for which one thread waits, or nine: SO N_PAIRS.

The interval after which a waiter requests the GIL is so long that a hold ends by itself.
"""

import sys
import threading
import time

from gil import Session, core, report

HOLD_S, N_CROWD = 0.02, 8


def hold_one_up():
    spin()


def hold_many_up():
    spin()


def spin():
    end = time.monotonic() + HOLD_S
    while time.monotonic() < end:
        pass


def come_again():
    while not is_over:
        time.sleep(0.001)


def come_if_open():
    while not is_over:
        gate.wait()
        at_gate.acquire(blocking=False)
        while gate.is_set() and not is_over:
            time.sleep(0.001)
        at_gate.release()


is_over = False
gate, at_gate = threading.Event(), threading.Semaphore(N_CROWD)
session = Session(hz=500)
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
threads = [threading.Thread(target=come_again)]
threads += [threading.Thread(target=come_if_open) for _ in range(N_CROWD)]
sys.setswitchinterval(10)
for thread in threads:
    thread.start()
for _ in range(int(sys.argv[2])):
    gate.set()
    time.sleep(0.01)  # they come in
    hold_many_up()
    gate.clear()
    while at_gate._value < N_CROWD:
        time.sleep(0.001)  # they go out
    hold_one_up()
    time.sleep(0.001)
is_over = True
gate.set()
for thread in threads:
    thread.join()
charges = session.settle()
status = core.gil_status()
counted = core.gil_waited()
session.stop()
of = {
    name: sum(ns for _, _, ns, names in charges if name in names)
    for name in ("hold_many_up", "hold_one_up")
}
report(
    refusal=None,
    of=of,
    n_looks=status["n_looks"],
    charged=[sum(charge[i] for charge in charges) for i in (1, 2)],
    counted=counted,
)
