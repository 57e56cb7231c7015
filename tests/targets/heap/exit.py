"""A program that ends while it is sampled, with all hooks in place: SO."""

import sys
import threading
import time

from heap import Heap, core, report


class Late:
    def __del__(self):
        self.block = [bytes(100) for _ in range(50)]


def work():
    while True:
        [str(i) for i in range(100)]


Heap(1).__enter__()
sys.late = Late()
late = Late()
late.itself = late
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
report(is_over=core.heap_status()["n_samples"] > 1000)
