"""Greenlets of a program patched by gevent: pools, queues, locks, sleeps, a thread pool."""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest, run_rounds

try:
    import gevent.monkey

    gevent.monkey.patch_all()
    import gevent
    import gevent.pool
    import gevent.queue
except ImportError:
    announce(ready="gevent", pid=os.getpid(), has_library=False)
    announce(result=digest(0), rounds=1, wrong=0)
    sys.exit(0)

import socket
import threading
import time

hub_pool = gevent.get_hub().threadpool


def compute(number):
    time.sleep(0)
    kept = [str(number + i) * 3 for i in range(200)]
    gevent.sleep(0.0005)
    return sum(map(len, kept))


def dive(depth):
    if depth == 0:
        gevent.sleep(0)
        return 0
    return 1 + dive(depth - 1)


def echo():
    left, right = socket.socketpair()
    with left, right:
        answer = gevent.spawn(lambda: right.sendall(right.recv(100) * 2))
        left.sendall(b"abc")
        received = left.recv(100)
        answer.join()
    return received


def pass_on():
    queue, lock, found = gevent.queue.Queue(2), threading.Lock(), []

    def put(number):
        for i in range(10):
            queue.put(number * i)

    def get():
        for _ in range(10):
            with lock:
                found.append(queue.get())

    gevent.joinall(
        [gevent.spawn(put, number) for number in range(4)] + [gevent.spawn(get) for _ in range(4)]
    )
    return sum(found)


def kill():
    sleepers = [gevent.spawn(gevent.sleep, 100) for _ in range(10)]
    gevent.sleep(0)
    gevent.killall(sleepers)
    return sum(sleeper.dead for sleeper in sleepers)


def do_round():
    pool = gevent.pool.Pool(10)
    return (
        pool.map(compute, range(30)),
        [greenlet.get() for greenlet in [gevent.spawn(dive, 60) for _ in range(10)]],
        echo(),
        pass_on(),
        kill(),
        hub_pool.apply(sum, (range(20000),)),
    )


run_rounds("gevent", do_round)
