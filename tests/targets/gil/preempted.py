"""A pool whose threads hand the GIL over all the time, beside busy processes: SECONDS.

Threads that wake up for the GIL lose their processor while they hold its mutex. Only `work`
and what it calls, and the pool's own functions, ever have the GIL.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import threading
import time
import zlib

from gil import Session, core, report

N_THREADS = 8
TEXT = [{"a": number, "b": str(number)} for number in range(100)]
SPIN = "import os, sys\nparent = int(sys.argv[1])\nwhile os.getppid() == parent: pass"


def work(_):
    text = json.dumps(TEXT)
    json.loads(text)
    return len(zlib.compress(text.encode()))


def run():
    with concurrent.futures.ThreadPoolExecutor(N_THREADS) as pool:
        while not is_over.is_set():
            list(pool.map(work, range(100)))


is_over = threading.Event()
thread = threading.Thread(target=run)
thread.start()
session = Session()
others = [
    subprocess.Popen([sys.executable, "-S", "-c", SPIN, str(os.getpid())])
    for _ in range(2 * (os.cpu_count() or 1))
]
if not session.refusal:
    time.sleep(float(sys.argv[2]))
    session.settle()
for other in others:
    other.kill()
    other.wait()
is_over.set()
thread.join()
total_ns = sum(waited_ns for _, _, waited_ns, _ in session.charges) or 1
unknown_ns = sum(ns for _, _, ns, names in session.charges if names == ["<unknown>"])
main_tid = threading.get_native_id()
report(
    refusal=session.refusal,
    unknown=unknown_ns / total_ns,
    of_main=sum(ns for tid, _, ns, _ in session.charges if tid == main_tid) / total_ns,
    status=core.gil_status(),
)
session.stop()
