"""Engine threads that Python has ended, in a program whose own threads end after them: SO."""

import threading

from sampler import core, report

failures = []


def work():
    kept = [bytearray(1000) for _ in range(100)]
    failures.append(core.engine_threads_end(5))
    del kept


for _ in range(3):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
report(failures=failures)
