"""Two subinterpreters with a GIL each, and then two threads inside of one: SO SECONDS. 3.14."""

import sys
import threading
import time
from concurrent import interpreters

from gil import Session, core, report

WORK = """
import time
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    for _ in range(100):
        pass
"""
WORK_TWICE = """
import threading
def work():
    exec({work!r}, {{}})
other = threading.Thread(target=work)
other.start()
work()
other.join()
"""


def run_apart(codes):
    """Each in an interpreter of its own: what was waited, in parts of the wall time."""
    made = [interpreters.create() for _ in codes]
    core.gil_set_rate(250)
    session.wait_for(lambda status: status["is_looking"])
    began_ns = time.monotonic_ns()
    threads = [
        threading.Thread(target=one.exec, args=(code,))
        for one, code in zip(made, codes, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall_ns = time.monotonic_ns() - began_ns
    # What was charged is left unnamed: their code must not be touched from here.
    core.gil_set_rate(0)
    session.wait_for(lambda status: not status["is_looking"])
    waited_ns = sum(ns for _, _, ns, _ in core.gil_drain())
    for one in made:
        one.close()
    return waited_ns / (2 * wall_ns)


session = Session()
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
work = WORK.format(seconds=float(sys.argv[2]))
alone = run_apart([work, work])
inside = run_apart([WORK_TWICE.format(work=work)])
status = core.gil_status()
session.stop()
report(refusal=None, alone=alone, inside=inside, status=status)
