"""Threads that hand the GIL to each other thousands of times a second: SO CPU_SECONDS.

Most of their waiting is between the release by a thread and the start of the woken thread.
"""

import os
import sys

from gil import Session, core, report, run_threads


def pass_bytes():
    read, write = os.pipe()
    for _ in range(50):
        os.write(write, b"x")
        os.read(read, 1)
    os.close(read)
    os.close(write)


session = Session(hz=250)
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
results = run_threads([pass_bytes] * 4, float(sys.argv[2]), is_busy=True)
charges = session.settle()
status = core.gil_status()
session.stop()
total_ns = max(1, sum(ns for _, _, ns, _ in charges))
report(
    refusal=None,
    status=status,
    of={
        name: sum(ns for _, _, ns, names in charges if names[0] == name) / total_ns
        for name in ("pass_bytes", "<unknown>")
    },
    are_holders_ours=all(
        not holder or holder in [tid for tid, _, _ in results]
        for holder, _, _, names in charges
        if names[0] == "pass_bytes"
    ),
    deepest=max((len(names) for _, _, _, names in charges), default=0),
)
