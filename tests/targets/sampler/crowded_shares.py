"""Known shares of CPU time beside busy processes: SO CLOCK HZ SECONDS NEIGHBOURS.

``turn`` makes a system call around each of its steps: it reads the thread's CPU clock, which is
where the scheduler notices that the thread's time slice is over. So a thread that waits for a
processor waits there most of the time, though it uses next to no CPU time there.
"""

import os
import random
import subprocess
import sys
import time

from sampler import Session, report

zero = os.open("/dev/zero", os.O_RDONLY)
chance = random.Random(1)  # turns of one length could fall into step with the system's tick
WORDS = [str(i) for i in range(400)]


def in_kernel():
    os.read(zero, 1 << 20)


def in_loop():
    total = 0
    for i in range(1500):
        total += i * i
    return total


def in_brief_loop():
    total = 0
    for i in range(400):
        total += i * i
    return total


def in_c_code():
    for _ in range(4):
        sorted(",".join(WORDS))


def turn(true):
    for function in (in_kernel, in_loop, in_brief_loop, in_c_code):
        for _ in range(chance.randrange(1, 8)):
            before = time.thread_time_ns()
            function()
            true[function.__name__] += time.thread_time_ns() - before


def read_wait():
    """Return the thread's time without a processor, in ns; 0 if the system does not report it."""
    try:
        with open("/proc/thread-self/schedstat") as file:
            return int(file.read().split()[1])
    except FileNotFoundError:
        return 0


def run_for(seconds, session):
    """Return CPU time by function, in ns; the remainder is ``turn``'s own."""
    true = {"in_kernel": 0, "in_loop": 0, "in_brief_loop": 0, "in_c_code": 0}
    own_ns = 0
    ended = time.process_time() + seconds
    tended = time.monotonic()
    while time.process_time() < ended:
        before = time.thread_time_ns()
        turn(true)
        own_ns += time.thread_time_ns() - before
        if time.monotonic() - tended > 0.05:
            session.collect()
            tended = time.monotonic()
    true["turn"] = own_ns - sum(true.values())
    return true


def main():
    clock, hz, seconds, n_neighbours = sys.argv[2:6]
    busy = "while True: pass"
    neighbours = [subprocess.Popen([sys.executable, "-c", busy]) for _ in range(int(n_neighbours))]
    try:
        session = Session(hz=int(hz), clock=clock)
        if session.refusal:
            report(refusal=session.refusal)
            return
        waited_ns = read_wait()
        true = run_for(float(seconds), session)
        waited_ns = read_wait() - waited_ns
        session.stop()
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()
    in_turn = {name: 0 for name in true}
    for *_, cpu_ns, names in session.samples:
        if "turn" in names:
            at = names.index("turn")
            in_turn[names[at - 1] if at and names[at - 1] in true else "turn"] += cpu_ns
    report(
        refusal=None,
        clock=session.status["clock"],
        total=session.total_ns / session.cpu_ns,
        n_samples=sum(sample[2] for sample in session.samples),
        cpu_s=session.cpu_ns / 1e9,
        engine_s=session.status["engine_cpu_ns"] / 1e9,
        waited_s=waited_ns / 1e9,
        true={name: ns / sum(true.values()) for name, ns in true.items()},
        got={name: ns / max(1, sum(in_turn.values())) for name, ns in in_turn.items()},
    )


main()
