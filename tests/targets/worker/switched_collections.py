"""Requested collections during which the program switches its collector: SO."""

import gc
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

core = load_core()


class Switching:
    """Garbage in a cycle; its finalizer does something to the collector."""

    def __init__(self, switch):
        self.own = self
        self.switch = switch

    def __del__(self):
        finalized.append(True)
        self.switch()


def collect(before, during):
    """Return whether the garbage was collected, and whether the collector is on afterwards."""
    finalized.clear()
    before()
    Switching(during)
    core.run_collection()
    return bool(finalized), gc.isenabled()


def keep():
    """Leave the switch as it is."""


finalized = []
gc.collect()
report(
    on=collect(gc.enable, keep),
    off=collect(gc.disable, keep),
    turned_off=collect(gc.enable, gc.disable),
    turned_on=collect(gc.disable, gc.enable),
)
