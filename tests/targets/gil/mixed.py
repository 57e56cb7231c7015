"""Threads that sleep, read and write, or are busy in C, with their charges: SO SECONDS."""

import os
import sys
import time

from gil import Session, core, find_delay_ns, read_delays, report, run_threads

NUMBERS = list(range(100000))
READ, WRITE = os.pipe()


def sleep():
    time.sleep(0.02)


def pass_a_byte():
    os.write(WRITE, b"x")
    os.read(READ, 1)


def work():
    total = 0
    for i in range(10000):
        total += i * i


def keep_in_c():
    for _ in range(10):
        sum(NUMBERS)


def measure(functions, is_busy=True):
    core.gil_set_rate(250)
    session.wait_for(lambda status: status["is_looking"])
    free_ns = core.gil_status()["free_ns"]
    before = read_delays()
    results = run_threads(functions, float(sys.argv[2]), is_busy)
    charges = session.settle()
    delay_ns = find_delay_ns(before)
    free_ns = core.gil_status()["free_ns"] - free_ns
    total_ns = sum(ns for _, _, ns, _ in charges)
    return {
        "share": total_ns / sum(wall_ns for _, wall_ns, _ in results),
        "delay": len(functions) * delay_ns / sum(wall_ns for _, wall_ns, _ in results),
        "free": free_ns / max(1, total_ns),
        "waits": sum(n_waits for _, n_waits, _, _ in charges),
        "of": {
            name: sum(ns for _, _, ns, names in charges if name in names) / max(1, total_ns)
            for name in ("<unknown>", *(function.__name__ for function in functions))
        },
    }


session = Session()
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
sleeping = measure([sleep] * 3, is_busy=False)
one_busy = measure([work, sleep])
passing = measure([work, pass_a_byte])
in_c = measure([keep_in_c, work])
session.stop()
report(refusal=None, sleeping=sleeping, one_busy=one_busy, passing=passing, in_c=in_c)
