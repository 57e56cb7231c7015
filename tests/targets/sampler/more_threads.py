"""More threads than slots: threads without a slot must be counted."""

import threading
import time

from sampler import Session, core, report

N_SLOTS, N_MORE = 4096, 7
STACK_BYTES = 128 * 1024
DEADLINE = time.monotonic() + 200  # each of the threads waits for a processor to end


def wait_for(is_so):
    while not is_so() and time.monotonic() < DEADLINE:
        time.sleep(0.05)
        session.collect()
    status = core.cpu_status()
    return status["n_threads"], status["n_unsampled_threads"]


session = Session(hz=10)
before = core.cpu_status()["n_threads"]
is_over = threading.Event()
threading.stack_size(STACK_BYTES)
threads = [threading.Thread(target=is_over.wait) for _ in range(N_SLOTS + N_MORE - before)]
try:
    for thread in threads:
        thread.start()
except RuntimeError as refused:  # a limit on threads
    report(refused=str(refused))
else:
    crowd = wait_for(lambda: core.cpu_status()["n_threads"] == N_SLOTS + N_MORE)
    is_over.set()
    alone = wait_for(lambda: core.cpu_status()["n_threads"] == before)
    report(refused="", before=before, crowd=crowd, alone=alone)
finally:
    is_over.set()
    session.stop()
