"""Busy threads, and the share of their time that they wait for the GIL:
SO N SECONDS CPU_HZ.

One of two functions has the GIL for 70 % of the time.
"""

import sys

from gil import Session, core, find_delay_ns, read_delays, report, run_threads


def hot():
    total = 0
    for i in range(7000):
        total += i * i


def cold():
    total = 0
    for i in range(3000):
        total += i * i


def work():
    for _ in range(5):
        hot()
        cold()


n = int(sys.argv[2])
session = Session(hz=250, cpu_hz=int(sys.argv[4]))
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
before = read_delays()
results = run_threads([work] * n, float(sys.argv[3]), is_busy=True)
charges = session.settle()
delay_ns = find_delay_ns(before)
status = core.gil_status()
counted = core.gil_waited()
session.stop()
total_ns = sum(ns for _, _, ns, _ in charges)
report(
    refusal=None,
    share=total_ns / sum(wall_ns for _, wall_ns, _ in results),
    delay=n * delay_ns / sum(wall_ns for _, wall_ns, _ in results),
    total_ns=total_ns,
    free=status["free_ns"] / max(1, total_ns),
    counted_ns=counted[1],
    is_all_charged=status["waited_ns"] == total_ns,
    of={
        name: sum(ns for _, _, ns, names in charges if name in names) / max(1, total_ns)
        for name in ("hot", "cold", "<unknown>")
    },
    by_thread=[
        sum(ns for holder, _, ns, _ in charges if holder == tid) / max(1, total_ns)
        for tid, _, _ in results
    ],
    n_charges=len(charges),
    status=status,
    is_redirected_after=core.gil_status()["is_redirected"],
)
