"""Known shares of CPU time, by the given clock: SO CLOCK HZ SECONDS [UID]."""

import os
import random
import sys
import time

if len(sys.argv) > 5:  # an ordinary user is denied the kernel's part of perf events
    os.setgid(int(sys.argv[5]))
    os.setuid(int(sys.argv[5]))

from sampler import Session, core, report

zero = os.open("/dev/zero", os.O_RDONLY)
# Turns of one length, for example 4 ms, could fall into step with the system's tick.
chance = random.Random(1)


def in_kernel():
    for _ in range(2):
        os.read(zero, 1 << 20)


def multiply(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


def three_parts():
    for _ in range(3):
        multiply(1000)


def one_part():
    multiply(1000)


def turn(true):
    for function in (in_kernel, three_parts, one_part):
        before = time.thread_time_ns()
        for _ in range(chance.randrange(1, 20)):
            function()
        true[function.__name__] += time.thread_time_ns() - before


def read_wait():
    """Return the thread's time without a processor, in ns; 0 if the system does not report it."""
    try:
        with open("/proc/thread-self/schedstat") as file:
            return int(file.read().split()[1])
    except FileNotFoundError:
        return 0


true = {"in_kernel": 0, "three_parts": 0, "one_part": 0}
session = Session(hz=int(sys.argv[3]), clock=sys.argv[2])
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
used = time.process_time()
waited_ns = read_wait()
tended = time.monotonic()
while time.process_time() - used < float(sys.argv[4]):
    turn(true)
    if time.monotonic() - tended > 0.05:
        session.collect()
        tended = time.monotonic()
waited_ns = read_wait() - waited_ns
error_points = core.cpu_status()["share_error_points"]
session.stop()
report(
    refusal=None,
    clock=session.status["clock"],
    total=session.total_ns / session.cpu_ns,
    n_samples=sum(sample[2] for sample in session.samples),
    n_lost=session.status["n_lost"],
    error_points=error_points,
    n_bad_walks=session.status["n_bad_walks"],
    cpu_s=session.cpu_ns / 1e9,
    waited_s=waited_ns / 1e9,
    true={name: ns / sum(true.values()) for name, ns in true.items()},
    got={name: session.share(name) for name in true},
)
