"""Six threads that allocate all the time, by Python's allocators and by libraries' own."""

import gc
import json
import sqlite3
import threading
import zlib

from rounds import digest, run_rounds


class Node:
    def __init__(self, value):
        self.value = value
        self.itself = self


def parse(seed):
    text = json.dumps([{"id": i + seed, "tags": list(range(i % 7))} for i in range(150)])
    return sum(len(row["tags"]) + row["id"] for row in json.loads(text))


def pack(seed):
    return [len(zlib.compress(bytes([seed]) * size)) for size in range(1000, 60_000, 7000)]


def query(seed):
    with sqlite3.connect(":memory:") as database:
        database.execute("create table t (a, b)")
        database.executemany("insert into t values (?, ?)", ((i, "x" * i) for i in range(200)))
        return database.execute("select sum(a), max(length(b)) from t").fetchone()


def grow(seed):
    block = bytearray()
    for i in range(300):
        block += bytes([seed]) * (i % 90)
    nodes = [Node(i) for i in range(200)]
    del nodes[::2]
    gc.collect(0)
    return len(block), sum(node.value for node in nodes)


def run_threads():
    results = {}

    def work(seed):
        results[seed] = [kind(seed) for kind in (parse, pack, query, grow)]

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return digest(sorted(results.items()))


run_rounds("allocating_threads", run_threads)
