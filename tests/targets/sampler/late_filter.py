"""A system call filter that comes while this process is sampled: SO CLOCK FILTER THEN.

FILTER: array of struct sock_filter in hexadecimal, installed for all threads just after the engine
        has checked that there is none
THEN: rate, stop   what the engine does at once after that
      go-on        it continues to sample threads that compute and sleep in turns
"""

import sys
import time

from call_filter import install
from sampler import Session, core, report

CLOCK, FILTER, THEN = sys.argv[2:]
ROUNDS, ROUND_S = 20, 0.02
COUNTS_NS = 0 if THEN == "go-on" else 5_000_000


def compute(cpu_s):
    end_s = time.thread_time() + cpu_s
    while time.thread_time() < end_s:
        sum(range(1000))


code = bytes.fromhex(FILTER)
session = Session(500, CLOCK)
for _ in range(ROUNDS):
    compute(ROUND_S)
    session.collect()
n_before = len(session.samples)
# As if the filter came within 0.2 ms. Not longer: the sampler's thread may arm a timer meanwhile.
core.calls_check_at(time.monotonic_ns() + COUNTS_NS)
install(code)
if THEN == "rate":
    core.cpu_set_rate(250)
elif THEN == "stop":
    core.cpu_stop()
else:
    for _ in range(ROUNDS):
        compute(ROUND_S)
        time.sleep(ROUND_S)
core.calls_check()
report(refusal=session.refusal, n_before=n_before, permitted=core.calls_permitted())
