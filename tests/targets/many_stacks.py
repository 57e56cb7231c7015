"""Waits at very many stacks. Obeys its input, a word a line:

``all``    a wait at each of 2 ** 15 stacks, most for a lock of its own
``begin``  start a thread that waits at some of them again and again
``end``    end that thread
``?``      any other word: answer
"""

import json
import os
import random
import sys
import threading

from rounds import announce, digest

N_BITS = 15
N_LOCKS = 20_000  # more than the engine distinguishes
WAIT_S = 1e-6

LOCKS = [threading.Lock() for _ in range(N_LOCKS)]
stop = threading.Event()
threads = []
for held in LOCKS:
    held.acquire()


def go_left(path, n_bits):
    descend(path, n_bits)


def go_right(path, n_bits):
    descend(path, n_bits)


def descend(path, n_bits):
    """Descend by a path of calls that the number determines."""
    if n_bits == 0:
        LOCKS[path % N_LOCKS].acquire(timeout=WAIT_S)
    elif path >> (n_bits - 1) & 1:
        go_left(path, n_bits - 1)
    else:
        go_right(path, n_bits - 1)


def wait_everywhere():
    for path in range(1 << N_BITS):
        descend(path, N_BITS)
    return {"n": 1 << N_BITS}


def go_on():
    choice = random.Random(7)
    while not stop.wait(0.001):
        for _ in range(20):
            descend(choice.randrange(1 << N_BITS), N_BITS)


def begin():
    threads.append(threading.Thread(target=go_on))
    threads[0].start()
    return {}


def end():
    stop.set()
    threads.pop().join()
    return {}


WORDS = {"all": wait_everywhere, "begin": begin, "end": end}

announce(ready="many_stacks", pid=os.getpid())
for line in sys.stdin:
    word = line.strip()
    sys.stdout.write(json.dumps({"word": word, **WORDS.get(word, dict)()}) + "\n")
    sys.stdout.flush()
announce(result=digest("many_stacks"), rounds=1, wrong=0)
