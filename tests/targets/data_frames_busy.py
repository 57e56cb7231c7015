"""Two threads that group frames of polars and tables of pyarrow, and check each result.

Answers a line on standard input with the rounds of each thread; ``fork`` first makes a child, which
ends at once.
"""

import json
import os
import sys
import threading

from rounds import announce, digest

try:
    import polars
    import pyarrow
except ImportError:
    polars = pyarrow = None

N_ROWS, N_KEYS = 100_000, 1000
is_over = threading.Event()
counts = {"polars": 0, "arrow": 0}
n_wrong = 0


def check(name, value, expected):
    global n_wrong
    counts[name] += 1
    n_wrong += value != expected


def run_polars():
    while not is_over.is_set():
        keys = polars.int_range(N_ROWS, eager=True) % N_KEYS
        frame = polars.DataFrame({"key": keys, "value": keys})
        sums = frame.group_by("key").agg(polars.col("value").sum().alias("sum"))
        check("polars", sums["sum"].sum(), N_ROWS // N_KEYS * sum(range(N_KEYS)))


def run_arrow():
    while not is_over.is_set():
        values = pyarrow.array(range(N_ROWS // 10))
        names = pyarrow.array([f"name-{n}" for n in range(N_KEYS)] * (len(values) // N_KEYS))
        table = pyarrow.table({"value": values, "name": names})
        sums = table.group_by("name").aggregate([("value", "sum")])
        found = sum(sums["value_sum"].to_pylist())
        check("arrow", found, len(values) * (len(values) - 1) // 2)


is_there = polars is not None and pyarrow is not None
threads = [threading.Thread(target=run) for run in (run_polars, run_arrow) if is_there]
for thread in threads:
    thread.start()
announce(ready="data_frames_busy", pid=os.getpid(), is_there=is_there)
for line in sys.stdin:
    status = 0
    if line.strip() == "fork":
        child = os.fork()
        if child == 0:
            os._exit(0)
        status = os.waitpid(child, 0)[1]
    sys.stdout.write(json.dumps({"counts": counts, "status": status}) + "\n")
    sys.stdout.flush()
is_over.set()
for thread in threads:
    thread.join()
announce(result=digest("data_frames_busy"), rounds=1, wrong=n_wrong)
