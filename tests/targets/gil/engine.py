"""A program's thread that waits for the GIL while an engine thread holds it: SO HOLDS HOLD_NS."""

import sys
import threading

from gil import Session, core, report


def work():
    while not is_over:
        sum(range(100))


def hold():
    core.gil_engine_holds(hold_ns)


n_holds, hold_ns = int(sys.argv[2]), int(sys.argv[3])
is_over = False
session = Session(hz=500)
if session.refusal:
    report(refusal=session.refusal)
    raise SystemExit
worker = threading.Thread(target=work)
worker.start()
core.cpu_adopt()  # from here on this is an engine's thread
for _ in range(n_holds):
    hold()
    session.wait_for(lambda status: True)
core.cpu_disown()
is_over = True
worker.join()
charges = session.settle()
status = core.gil_status()
counted = core.gil_waited()
session.stop()
report(
    refusal=None,
    engine_ns=status["engine_ns"],
    counted_ns=counted[1],
    charged_ns=sum(ns for _, _, ns, _ in charges),
    charged_to_engine_ns=sum(ns for _, _, ns, names in charges if "hold" in names),
)
