"""The table of blocks grows by hundreds of thousands, and a collection frees them, while threads
without the GIL allocate and free: SO LIBRARY."""

import ctypes
import gc
import sys
import threading

from heap import Heap, core, report

N_STEPS = 7
N_BLOCKS = 100_000


def run_foreign():
    while not is_over:
        library.run(note_malloc, note_free, 2, 1000)


is_over = False
library = ctypes.CDLL(sys.argv[2])
with Heap(1) as heap:
    note_malloc, note_free = (ctypes.c_void_p(entry) for entry in core.heap_entries())
    worker = threading.Thread(target=run_foreign)
    worker.start()
    kept = []
    for _ in range(N_STEPS):
        kept.append([bytes(100) for _ in range(N_BLOCKS)])
    kept.append(kept)
    most = core.heap_status()["n_blocks"]
    del kept
    gc.collect()
    is_over = True
    worker.join()
    heap.pause()
    rows = heap.read()
    status = core.heap_status()
report(
    most=most,
    left=status["n_blocks"],
    foreign_in_use=sum(row.live.in_use[0] for row in rows if row.kind == 1),
    lost=[status["n_lost"], status["n_lost_frees"]],
)
