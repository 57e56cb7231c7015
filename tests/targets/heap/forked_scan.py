"""A fork in the middle of a scan of import tables: SO LIBRARY.

The entries are redirected by then, and the list of them is not complete.
"""

import ctypes
import os
import shutil
import sys
import tempfile

from heap import Heap, core, report
from import_slots import list_changes, read_import_slots

program = ctypes.CDLL(None)
library = ctypes.CDLL(sys.argv[2])
library.start_churn(1)  # resolves every function before tables are read
library.stop_churn()
originals = {}


def note_originals():
    for slot, value in read_import_slots().items():
        originals.setdefault(slot, value)


def count_changes():
    return len(list_changes(originals, read_import_slots()))


def fork_in(scan):
    """Return how many entries are redirected in a child that is forked during the scan."""
    read_end, write_end = os.pipe()
    program.fork_in_visit()
    scan()
    if program.forked_child() == 0:
        os.write(write_end, str(count_changes()).encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as answer:
        return answer.read()


core.native_alloc_register_after_fork()
note_originals()
heap = Heap(4096)
heap.__enter__()
facts = {"first": fork_in(core.native_alloc_redirect), "n_first": count_changes()}
with tempfile.TemporaryDirectory() as folder:
    late = ctypes.CDLL(shutil.copy(sys.argv[2], f"{folder}/late.so"))
    note_originals()
    facts["second"] = fork_in(core.native_alloc_maintain)
    facts["n_second"] = count_changes()
core.native_alloc_restore()
heap.__exit__()
facts["n_restored"] = count_changes()
report(**facts)
