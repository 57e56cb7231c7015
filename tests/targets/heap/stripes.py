"""Stripe in which each of N simultaneous threads counts down: SO N."""

import os
import sys
import threading

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

core = load_core()
n = int(sys.argv[2])
all_are_there = threading.Barrier(n)


def ask_threads(find_stripe):
    stripes = []

    def ask():
        stripes.append(find_stripe())
        all_are_there.wait()
        stripes.append(find_stripe())

    threads = [threading.Thread(target=ask) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return stripes


threading.stack_size(256 << 10)  # from Linux 6.7 on, larger stacks are aligned alike
stripes = ask_threads(core.heap_stripe)
threading.stack_size(2 << 20)
report(stripes=stripes, native=ask_threads(core.native_stripe))
