"""Attributes that the engine reads many times; reports how many more blocks exist afterwards."""

import sys

from probe import load_core, report

READS = (
    ("plain", "__code__"),
    ("plain", "__wrapped__"),  # missing in every function here
    ("general", "__qualname__"),
    ("call", "__repr__"),
    ("call", "stackglass_missing"),
)
N_READS = 2000  # of each attribute; fits the interpreter's cache of lookups

core = load_core()


def read_all(n_reads):
    for _ in range(n_reads):
        for how, name in READS:
            core.read_attribute(read_all, name, how)


found = [core.read_attribute(read_all, name, how) for how, name in READS]
read_all(1)
before = sys.getallocatedblocks()
read_all(N_READS)
report(
    found=[value if isinstance(value, str) else type(value).__name__ for value in found[:3]],
    is_called=found[3] == repr(read_all),
    is_missing=found[4] is None,
    n_more=sys.getallocatedblocks() - before,
)
