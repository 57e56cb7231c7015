"""Locks that one thread takes and another releases."""

import queue
import threading
import time

from exclusion import pause, work

GATE, PING, PONG = threading.Lock(), threading.Lock(), threading.Lock()
LEFT, RIGHT = threading.Lock(), threading.Lock()


def released_by_another(ground):
    """A lock that one thread takes, and another releases."""
    mark, taken = ground.mark(GATE), queue.Queue()

    def take():
        GATE.acquire()
        mark.taken()
        taken.put(1)

    def give():
        taken.get()
        pause(0.003)
        mark.given()
        GATE.release()

    ground.start(3, take)
    ground.start(2, give)


def ping_pong(ground):
    """Two threads that wait for their own lock, until the other thread releases it."""
    PONG.acquire()

    def ping():
        PING.acquire()
        pause()
        PONG.release()

    def pong():
        PONG.acquire()
        pause()
        PING.release()

    ground.start(1, ping)
    ground.start(1, pong)


def slow_signal(ground):
    """A thread that waits much longer than two snapshots take, for a lock that it took itself."""
    GATE.acquire()

    def wait():
        GATE.acquire()

    def give():
        time.sleep(0.5)
        if GATE.locked():
            GATE.release()

    ground.start(1, wait)
    ground.start(1, give)


def crossed_signals(ground):
    """Two threads that wait for the lock that the other took last; a third thread releases both."""

    def take(first, second):
        first.acquire()
        second.acquire()

    def give():
        time.sleep(0.3)
        for lock in (LEFT, RIGHT):
            if lock.locked():
                lock.release()

    ground.start(1, take, LEFT, RIGHT)
    ground.start(1, take, RIGHT, LEFT)
    ground.start(1, give)


def handed_over(ground):
    """New locks all the time, which are handed over while they are held."""
    jobs = queue.Queue(8)

    def make():
        locks = [threading.Lock() for _ in range(20)]
        for lock in locks:
            lock.acquire()
        jobs.put(locks)
        for lock in locks:
            lock.acquire()  # until the other thread has released it
        for lock in locks:
            lock.release()

    def finish():
        for lock in jobs.get():
            pause(0.0005)
            lock.release()

    ground.start(3, make)
    ground.start(2, finish)


def short_lived(ground):
    """Threads that take a lock and end; others wait for their end."""
    mark = ground.mark(GATE)

    def hold():
        with GATE:
            mark.taken()
            pause(0.002)
            mark.given()

    def step():
        threads = [threading.Thread(target=hold) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        work()

    ground.start(2, step)


def left_held(ground):
    """A thread takes a lock by hand and ends; another one releases it."""
    mark = ground.mark(GATE)

    def take():
        GATE.acquire()
        mark.taken()

    def step():
        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
        pause(0.002)
        mark.given()
        GATE.release()

    def wait():
        with GATE:
            mark.taken()
            work(200)
            mark.given()

    ground.start(1, step)
    ground.start(2, wait)
