"""A tick for a slot that now belongs to another thread, as after the end of a thread."""

import threading
import time

from sampler import Session, core, report

PATIENCE_S = 20


def park():
    is_parked.set()
    is_over.wait()


def receive_for_another():
    """Send signals, which arrive before the call returns; enough to be certainly seen."""
    return [core.tick_send(own_tid, parked.native_id) for _ in range(20)]


def names_of(tid):
    return {name for sample in session.samples if sample[0] == tid for name in sample[4]}


is_parked, is_over = threading.Event(), threading.Event()
own_tid = threading.get_native_id()
session = Session(hz=1)
parked = threading.Thread(target=park)
parked.start()
is_parked.wait()
session.collect()
are_sent = receive_for_another()  # its slot has had no tick yet
session.collect()
n_of_none = sum(sample[0] == parked.native_id for sample in session.samples)
patience = time.monotonic() + PATIENCE_S
while "park" not in names_of(parked.native_id) and time.monotonic() < patience:
    are_sent.append(core.tick_send(parked.native_id, parked.native_id))
    time.sleep(0.01)
    session.collect()
are_sent += receive_for_another()  # and now it has
session.collect()
# The slot still works: its thread receives ticks.
n_before = sum(sample[2] for sample in session.samples if sample[0] == parked.native_id)
n_after = n_before
while n_after == n_before and time.monotonic() < patience:
    are_sent.append(core.tick_send(parked.native_id, parked.native_id))
    time.sleep(0.01)
    session.collect()
    n_after = sum(sample[2] for sample in session.samples if sample[0] == parked.native_id)
is_over.set()
parked.join()
session.stop()
report(
    refusal=session.refusal,
    are_sent=all(are_sent),
    n_of_none=n_of_none,
    is_own_seen="park" in names_of(parked.native_id),
    is_other_seen="receive_for_another" in names_of(parked.native_id),
    does_go_on=n_after > n_before,
)
