"""Locks for mutual exclusion, taken in every way."""

import contextlib
import functools
import operator
import random
import threading
import time

GLOBAL, SECOND, THIRD = threading.Lock(), threading.Lock(), threading.Lock()
RECURSIVE, OUTER = threading.RLock(), threading.RLock()
BY_KEY = {key: threading.Lock() for key in "abc"}


def work(n=2000):
    return sum(range(n))


def pause(most_s=0.004):
    time.sleep(random.random() * most_s)


def unfair(ground):
    """A thread that takes the lock again right after its release."""
    mark = ground.mark(GLOBAL)

    def step():
        with GLOBAL:
            mark.taken()
            time.sleep(0.005)
            mark.given()
        work()

    ground.start(3, step)


class Slow:
    """An object with a slow constructor, on request."""

    def __init__(self, is_slow):
        if is_slow:
            time.sleep(0.005)


def construct(is_slow):
    return Slow(is_slow)


def constructed(ground):
    """An object that is made inside a block: from 3.12 on, through a frame of the interpreter's own
    once the call is specialised."""
    mark = ground.mark(GLOBAL)
    for _ in range(200):
        construct(is_slow=False)

    def step():
        with GLOBAL:
            mark.taken()
            construct(is_slow=True)
            mark.given()
        work()

    ground.start(3, step)


def hot(ground):
    """Nothing but taking and releasing."""
    mark = ground.mark(GLOBAL)

    def step():
        with GLOBAL:
            mark.taken()
            mark.given()

    ground.start(4, step)


def fair(ground):
    """A thread that lets others take the lock after its release."""
    mark = ground.mark(GLOBAL)

    def step():
        GLOBAL.acquire()
        try:
            mark.taken()
            pause(0.001)
            mark.given()
        finally:
            GLOBAL.release()
        time.sleep(0.002)

    ground.start(4, step)


def recursive(ground):
    """RLocks, taken several times, and one within the other."""
    mark, outer = ground.mark(RECURSIVE), ground.mark(OUTER)

    def step():
        with OUTER:
            outer.taken()
            with RECURSIVE:
                mark.taken()
                with RECURSIVE:
                    pause()
                mark.given()
            outer.given()
        with RECURSIVE:
            mark.taken()
            work()
            mark.given()

    ground.start(4, step)


def in_order(ground):
    """Three locks, always in one order."""
    marks = [ground.mark(lock) for lock in (GLOBAL, SECOND, THIRD)]

    def step():
        with GLOBAL:
            marks[0].taken()
            with SECOND:
                marks[1].taken()
                pause(0.001)
                with THIRD:
                    marks[2].taken()
                    pause()
                    marks[2].given()
                marks[1].given()
            marks[0].given()
        with THIRD:
            marks[2].taken()
            work()
            marks[2].given()

    ground.start(4, step)


def by_key(ground):
    """Locks in a dict, one a key."""
    marks = {key: ground.mark(lock) for key, lock in BY_KEY.items()}

    def step():
        key = random.choice("abc")
        with BY_KEY[key]:
            marks[key].taken()
            pause()
            marks[key].given()

    ground.start(4, step)


def stacked(ground):
    """contextlib.ExitStack."""
    marks = [(lock, ground.mark(lock)) for lock in (GLOBAL, SECOND)]

    def step():
        with contextlib.ExitStack() as stack:
            for lock, mark in marks:
                stack.enter_context(lock)
                mark.taken()
                stack.callback(mark.given)
            pause()

    ground.start(3, step)


def called_by_c(ground):
    """acquire and release, called by C code."""
    mark, acquire = ground.mark(GLOBAL), operator.methodcaller("acquire")

    def step():
        list(map(acquire, [GLOBAL]))
        mark.taken()
        pause()
        mark.given()
        functools.partial(GLOBAL.release)()

    ground.start(3, step)


def generators(ground):
    """Generators that hold a lock while they are suspended."""
    mark = ground.mark(GLOBAL)

    def generate():
        with GLOBAL:
            mark.taken()
            yield 1
            pause(0.002)
            yield 2
            mark.given()

    def step():
        for _ in generate():
            pause(0.002)

    ground.start(3, step)


def decorated(ground):
    """Locks taken by a generator of contextlib's."""
    mark = ground.mark(GLOBAL)

    @contextlib.contextmanager
    def locked():
        with GLOBAL:
            mark.taken()
            try:
                yield
            finally:
                mark.given()

    def step():
        with locked():
            pause()

    ground.start(3, step)


def with_timeouts(ground):
    """Two locks, in either order: a cycle now and then, until a short time-out."""
    cross_with(ground, 0.01)


def with_long_timeouts(ground):
    """Two locks in either order, with cycles of some tenths of a second until a time-out."""
    cross_with(ground, 0.4)


def cross_with(ground, timeout):
    marks = {lock: ground.mark(lock) for lock in (GLOBAL, SECOND)}

    def step(first, second):
        with first:
            marks[first].taken()
            pause(0.002)
            if second.acquire(timeout=timeout * (0.5 + random.random())):
                marks[second].taken()
                work()
                marks[second].given()
                second.release()
            marks[first].given()
        pause(0.001)  # else a busy machine gives the lock to the same thread again and again

    ground.start(2, step, GLOBAL, SECOND)
    ground.start(2, step, SECOND, GLOBAL)


def tried(ground):
    """Loops that try to take a lock without waiting."""
    mark = ground.mark(GLOBAL)

    def step():
        while not GLOBAL.acquire(blocking=False):
            time.sleep(0)
        mark.taken()
        work(200)
        mark.given()
        GLOBAL.release()
        pause(0.002)

    def wait():
        with GLOBAL:
            mark.taken()
            pause(0.001)
            mark.given()
        pause(0.002)

    ground.start(3, step)
    ground.start(2, wait)


class Released:
    """A block in which the lock is free: it is released on entry, and taken on exit."""

    def __init__(self, lock):
        self.lock = lock

    def __enter__(self):
        self.lock.release()

    def __exit__(self, *error):
        self.lock.acquire()


def take_by_hand(mark):
    GLOBAL.acquire()
    mark.taken()
    time.sleep(0.02)
    mark.given()
    GLOBAL.release()


def released_within(ground):
    """A block in which a method that has returned releases the lock for a while; other threads take
    it by hand meanwhile."""
    mark = ground.mark(GLOBAL)

    def step():
        with GLOBAL:
            mark.taken()
            pause(0.002)
            mark.given()
            with Released(GLOBAL):
                time.sleep(0.02)
            mark.taken()
            mark.given()

    ground.start(1, step)
    ground.start(2, take_by_hand, mark)


def released_in_turn(ground):
    """The lock is released inside its block by a generator of contextlib, and by functions."""
    mark = ground.mark(GLOBAL)

    @contextlib.contextmanager
    def released():
        GLOBAL.release()
        try:
            yield
        finally:
            GLOBAL.acquire()

    def let_others():
        GLOBAL.release()

    def come_back():
        GLOBAL.acquire()

    def step():
        with GLOBAL:
            with released():
                time.sleep(0.02)
            mark.taken()
            mark.given()

    def call():
        with GLOBAL:
            let_others()
            time.sleep(0.02)
            come_back()
            mark.taken()
            mark.given()

    ground.start(1, step)
    ground.start(1, call)
    ground.start(1, take_by_hand, mark)
