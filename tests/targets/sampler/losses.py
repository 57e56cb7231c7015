"""Ticks that are kept, or lost because the log is full: all must be counted, also losses after the
last drain but one.

The probe sends the ticks, so it knows their number: each is handled before the call returns. The
clock adds a tick for each second of CPU time, and each of these is a sample, too. (With the ticker,
a tick that finds the thread without a processor is none.)
"""

import threading

from sampler import Session, core, report

N_TICKS = 300


def tick_below(depth):
    """Receive a tick on a stack too deep for the table of recent stacks, and new each time."""
    if depth:
        return tick_below(depth - 1)
    return core.tick_send(own_tid, own_tid)


def tick_often():
    return sum(tick_below(130 + i) for i in range(N_TICKS))


own_tid = threading.get_native_id()
session = Session(hz=1, clock="timer")
session.collect()  # the slot is there
core.log_limit(1 << 14)
n_sent = tick_often()
session.collect()
n_sent += tick_often()
session.collect()
n_sent += tick_often()
n_lost_before_stop = core.cpu_status()["n_lost"]
session.stop()
core.log_limit(1 << 30)
lost = [sample for sample in session.samples if sample[4] == ("<lost samples>",)]
report(
    refusal=session.refusal,
    n_sent=n_sent,
    n_wanted=3 * N_TICKS,
    n_ticks=session.n_ticks,
    n_all=sum(sample[2] for sample in session.samples),
    n_lost=sum(sample[2] for sample in lost),
    n_lost_drains=len(lost),
    n_status=[session.status["n_samples"], session.status["n_lost"]],
    n_lost_before_stop=n_lost_before_stop,
)
