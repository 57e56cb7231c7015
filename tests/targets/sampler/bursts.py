"""CPU time by function of a thread that works 2 ms, then waits 8 ms: SO CLOCK HZ SECONDS."""

import os
import select
import sys
import time

from sampler import Session, report

never, _ = os.pipe()


def work():
    began = time.thread_time_ns()
    while time.thread_time_ns() - began < 2_000_000:
        sum(range(300))


def rest():
    select.select([never], [], [], 0.008)


session = Session(hz=int(sys.argv[3]), clock=sys.argv[2])
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
n_bursts = 0
used = time.process_time()
while time.process_time() - used < float(sys.argv[4]):
    work()
    rest()
    n_bursts += 1
    if n_bursts % 5 == 0:
        session.collect()
session.stop()
report(
    refusal=None,
    work=session.share("work"),
    rest=session.share("rest"),
    n_samples=sum(sample[2] for sample in session.samples),
)
