"""Collections that begin in a slice of the search for names. One is due in every slice."""

import gc
import threading

from contention import PRIMITIVES, Contention, core, report

N_HOLDERS = 200
MOST_STEPS = 200  # steps of a slice


class Holder:
    __slots__ = ("lock",)  # to read slots, the search makes tracked objects

    def __init__(self):
        self.lock = threading.Lock()


def fill_free_list():
    """Free lists that the interpreter reuses, so that the marks of a walk are not allocated."""
    lists = [[] for _ in range(40)]
    del lists


def search():
    """Return the number of slices in which a collection began."""
    phases, n_collecting, is_more = [], 0, True
    gc.callbacks.append(lambda phase, info: phases.append(phase))
    while is_more:
        due = [Holder() for _ in range(10)]
        fill_free_list()
        phases.clear()
        gc.enable()
        is_more = core.lock_names_go_on(10**9, MOST_STEPS)
        gc.disable()
        n_collecting += bool(phases)
        del due
    gc.callbacks.pop()
    return n_collecting


def is_collected():
    """Return whether a collection that is due begins."""
    phases = []
    gc.callbacks.append(lambda phase, info: phases.append(phase))
    gc.enable()
    kept = [Holder() for _ in range(10)]
    gc.disable()
    gc.callbacks.pop()
    return bool(kept and phases)


gc.collect()
gc.disable()
gc.set_threshold(1)
holders = [Holder() for _ in range(N_HOLDERS)]
with Contention():
    for holder in holders:
        core.contention_lock(id(holder.lock), PRIMITIVES["Lock.acquire"])
    n_collecting = search()
report(n_collecting=n_collecting, is_collected=is_collected())
