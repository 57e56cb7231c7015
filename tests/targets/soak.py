"""Mix of everything that can trouble a profiler, with a live set of fixed size.

Hundreds of threads and tasks that wait for each other, threads that allocate and die, a forked
child, cycles with finalisers, blocks that are reallocated, dicts that grow and shrink, exceptions,
generators, recursion. Every round computes the same.

After each round the file "memory", beside the stop file, has the number of the round and the bytes
that malloc has allocated in the whole process.
"""

import ctypes
import gc
import json
import os
import sys
import threading
import warnings
import zlib
from collections import OrderedDict, deque

from crowd import contend
from rounds import digest, run_rounds

# From 3.12 on fork() warns while there are more threads than one, and the engine's first and last
# milliseconds are not hidden from it (core/stackglass/native/README.md).
warnings.filterwarnings("ignore", ".*multi-threaded", DeprecationWarning)

N_KEPT = 3000
kept = OrderedDict()
n_finalised = 0


FIELDS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


class MallocInfo(ctypes.Structure):
    """The struct of mallinfo2, of glibc 2.33 and later."""

    _fields_ = [(name, ctypes.c_size_t) for name in FIELDS.split()]


mallinfo = getattr(ctypes.CDLL(None), "mallinfo2", None)
if mallinfo is not None:
    mallinfo.restype = MallocInfo
n_rounds = 0


def send_memory():
    global n_rounds
    n_rounds += 1
    if len(sys.argv) < 2 or mallinfo is None:
        return
    path = os.path.join(os.path.dirname(sys.argv[1]), "memory")
    with open(path + ".new", "w", encoding="ascii") as file:
        json.dump({"round": n_rounds, "used": mallinfo().uordblks}, file)
    os.replace(path + ".new", path)


class Knot:
    def __init__(self, number):
        self.me = self
        self.load = [number] * 50

    def __del__(self):
        global n_finalised
        n_finalised += 1


def use_threads():
    results = [None] * 6

    def work(number):
        words = [str(i * number) * 3 for i in range(1500)]
        index = {word: [i, word[:4]] for i, word in enumerate(words)}
        results[number] = sum(len(word) + pair[0] for word, pair in index.items())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def fork_child():
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        gc.collect()
        os.write(writer, digest([str(i) * 10 for i in range(2000)]).encode())
        os._exit(7)
    os.close(writer)
    answer = os.read(reader, 100)
    os.close(reader)
    return answer, os.waitpid(pid, 0)[1]


def tie_knots():
    for number in range(300):
        Knot(number)
    return [len(Knot(number).load) for number in range(20)]


def reallocate():
    block = bytearray()
    for _ in range(300):
        block += b"0123456789" * 50
    del block[1000:]
    rows = deque(maxlen=100)
    for i in range(2000):
        rows.append((i, float(i), f"row {i}"))
    return len(block), zlib.crc32(bytes(block)), list(rows)[-1]


def parse():
    text = json.dumps([{"id": i, "name": f"n{i}", "tags": ["a", str(i)]} for i in range(400)])
    return len(text), json.loads(text)[-1]


def turn_cache():
    for i in range(N_KEPT):
        kept[i] = {"key": str(i) * 4, "value": bytes(i % 300)}
        if len(kept) > N_KEPT:
            kept.popitem(last=False)
    return sum(len(entry["value"]) for entry in kept.values())


def dive(depth):
    if depth:
        return dive(depth - 1) + [depth][0]
    try:
        raise ValueError("at the bottom")
    except ValueError as error:
        return len(str(error))


def do_round():
    results = [
        use_threads(),
        fork_child(),
        tie_knots(),
        reallocate(),
        parse(),
        turn_cache(),
        dive(400),
        sum(i * i for i in range(3000)),
        zlib.adler32(zlib.compress(b"soak" * 5000)),
        contend(),
    ]
    gc.collect()
    send_memory()
    return results


run_rounds("soak", do_round)
