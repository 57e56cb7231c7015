"""Four interpreters that allocate, wait for locks and die, while the main one does the same.

Each computes the same value again and again, and reports at its end whether it ever changed.
"""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest, is_stopped
from several import run_in_threads

N_INTERPRETERS = 4
N_ROUNDS = 8  # rounds before an interpreter is replaced

WORK = """
import os
import threading

def contend():
    lock, changed, total = threading.RLock(), threading.Condition(), [0]
    def add():
        for _ in range(30):
            with lock:
                total[0] += 1
            with changed:
                changed.notify_all()
    threads = [threading.Thread(target=add) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return total[0]

def allocate():
    kept = [bytes(1000 + i) for i in range(300)]
    table = {str(i): [i] * 10 for i in range(300)}
    block = bytearray()
    for i in range(100):
        block += b"x" * 500
    return len(kept), sum(map(len, table.values())), len(block)

def make_code(number):
    names = {}
    exec(f"def made(): return [{number}] * 3", names)
    return names["made"]()

first = None
for number in range(ROUNDS):
    found = contend(), allocate(), make_code(7)
    first = first or found
    if found != first:
        raise SystemError(f"{found} in place of {first}")
    if STOP and os.path.exists(STOP):
        break
"""


def work(stop, n_rounds):
    code = WORK.replace("ROUNDS", str(n_rounds)).replace("STOP", repr(stop))
    return run_in_threads([code] * N_INTERPRETERS)


def main():
    stop = sys.argv[1] if len(sys.argv) > 1 else ""
    failures = work(stop, 1)
    announce(ready="several interpreters", pid=os.getpid())
    n_rounds = 0
    while not is_stopped():
        failures += work(stop, N_ROUNDS)
        n_rounds += 1
    for failure in failures:
        print(failure, file=sys.stderr)
    announce(result=digest(0), rounds=n_rounds, wrong=len(failures))


main()
