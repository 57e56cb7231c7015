"""One busy thread, and 3000 threads that wait for an event that never comes."""

import threading

from rounds import run_rounds

N_THREADS = 3000
threading.stack_size(64 * 1024)
never = threading.Event()


def compute():
    return sum(number * number for number in range(20000))


for _ in range(N_THREADS):
    threading.Thread(target=never.wait, daemon=True).start()
run_rounds("crowded", compute)
