"""Makes data frames of known sizes and drops them. Does what it reads, a word a line:

``polars``  a polars frame of 10 million integers (80 MB)
``arrow``   a pyarrow array of 10 million integers (80 MB)
``pandas``  a pandas frame with a column of 300 000 strings (6 MB) (pyarrow-backed from pandas 3 on)
``group``   polars groups a million rows by key: work for its threads
``drop``    drop all, and let the libraries return the memory that they keep for later
``?``       any other word: answer

Each answer has the bytes of the new frame as its library counts them, and the resident bytes.
"""

import gc
import json
import os
import sys

from rounds import announce, digest

N_ROWS = 10_000_000
N_TEXTS = 300_000
kept = []


def find_libraries():
    found = []
    for name in ("polars", "pyarrow", "pandas"):
        try:
            __import__(name)
        except ImportError:
            continue
        found.append(name)
    return found


def make_polars():
    frame = polars.DataFrame({"n": polars.int_range(N_ROWS, eager=True)})
    kept.append(frame)
    return frame.estimated_size()


def make_arrow():
    array = pyarrow.array(range(N_ROWS), type=pyarrow.int64())
    kept.append(array)
    return array.get_total_buffer_size()


def make_pandas():
    before = pyarrow.total_allocated_bytes()
    frame = pandas.DataFrame({"name": [f"name-{n:07}" for n in range(N_TEXTS)]})
    kept.append(frame)
    return pyarrow.total_allocated_bytes() - before


def group_polars():
    keys = polars.int_range(N_ROWS // 10, eager=True) % 100_003
    frame = polars.DataFrame({"key": keys, "value": keys})
    sums = (polars.col("value").sum().alias("sum"), polars.col("value").max().alias("most"))
    result = frame.group_by("key").agg(*sums)
    kept.append((frame, result))
    return frame.estimated_size() + result.estimated_size()


def drop_all():
    kept.clear()
    gc.collect()
    if "pyarrow" in libraries:
        pyarrow.default_memory_pool().release_unused()
    return 0


def read_resident():
    with open("/proc/self/statm") as figures:
        return int(figures.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


libraries = find_libraries()
polars, pyarrow, pandas = (sys.modules.get(name) for name in ("polars", "pyarrow", "pandas"))
words = {
    "polars": make_polars,
    "arrow": make_arrow,
    "pandas": make_pandas,
    "group": group_polars,
    "drop": drop_all,
}
announce(ready="data_frames", pid=os.getpid(), libraries=libraries)
for line in sys.stdin:
    word = line.strip()
    made_bytes = words[word]() if word in words else 0
    answer = {"word": word, "bytes": made_bytes, "resident": read_resident()}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
announce(result=digest("data_frames"), rounds=1, wrong=0)
