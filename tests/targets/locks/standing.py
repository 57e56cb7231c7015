"""Threads that stand in their last wait, by name, and the cases that are made of them."""

import threading

from locks import start

NEVER = threading.Semaphore(0)  # without an owner: its lock is released while one waits
tids = {}
cases = {}


def stay():
    NEVER.acquire()


def begin(name, function, *arguments):
    """A thread; returns once it says that it comes to its last wait."""
    said = threading.Event()

    def run():
        tids[name] = threading.get_native_id()
        function(said.set, *arguments)

    thread = start(run)
    said.wait()
    return thread


def case(make):
    cases[make.__name__] = make()


def take_both(say, one, other, barrier):
    with one:
        barrier.wait()
        say()
        with other:
            pass


def make_ring(name, locks):
    """As many threads, each of which holds one and wants the next."""
    barrier = threading.Barrier(len(locks))
    begun = []
    for i, lock in enumerate(locks):
        said = threading.Event()

        def run(i=i, lock=lock, said=said):
            tids[f"{name} {i}"] = threading.get_native_id()
            take_both(said.set, lock, locks[(i + 1) % len(locks)], barrier)

        start(run)
        begun.append(said)
    for said in begun:
        said.wait()
