"""Holds memory of known size. Obeys its input, a word a line:

``trace``    build the live set under tracemalloc; its bytes by function
``build``    build it and keep it
``drop``     drop it
``tangle``   make garbage in cycles, with the collector switched off
``descend``  keep a large block that 701 frames lead to
``collect``  run a full collection
``?``        any other word: answer, after some allocations
"""

import gc
import json
import os
import sys
import tracemalloc

from rounds import announce, digest

N_BLOCKS = 2000
N_CYCLES = 500
kept = []


class Knot:
    def __init__(self):
        self.self = self
        self.load = bytes(5000)


def keep_blocks():
    return [bytes(1000) for _ in range(N_BLOCKS)]


def keep_texts():
    return [str(number) * 100 for number in range(N_BLOCKS)]


def keep_large():
    return bytearray(3 << 20)


def build():
    return [keep_blocks(), keep_texts(), keep_large()]


def descend(depth):
    return descend(depth - 1) if depth else keep_large()


def tangle():
    for _ in range(N_CYCLES):
        Knot()


def trace():
    tracemalloc.start(25)
    traced = build()
    snapshot = tracemalloc.take_snapshot()
    tracemalloc.stop()
    sizes = dict.fromkeys(("keep_blocks", "keep_texts", "keep_large"), 0)
    lines = {globals()[name].__code__.co_firstlineno + 1: name for name in sizes}
    for statistic in snapshot.statistics("traceback"):
        names = {lines.get(frame.lineno) for frame in statistic.traceback if is_here(frame)}
        for name in names & set(sizes):
            sizes[name] += statistic.size
    del traced
    return sizes


def is_here(frame):
    return os.path.basename(frame.filename) == "live_heap.py"


announce(ready="live_heap", pid=os.getpid())
for line in sys.stdin:
    word = line.strip()
    answer = {"word": word}
    if word == "trace":
        answer.update(trace())
    elif word == "build":
        kept.append(build())
    elif word == "drop":
        kept.clear()
    elif word == "descend":
        sys.setrecursionlimit(3000)
        kept.append(descend(700))
    elif word == "collect":
        gc.collect()
    elif word == "tangle":
        gc.disable()
        tangle()
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
announce(result=digest("live_heap"), rounds=1, wrong=0)
