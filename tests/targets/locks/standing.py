"""Threads in their last wait, by name, and the cases made of them."""

import threading

from locks import start

NEVER = threading.Semaphore(0)  # has no owner: its lock is released during a wait
tids = {}
cases = {}


def stay():
    NEVER.acquire()


def begin(name, function, *arguments):
    """Start a thread; returns when it is about to enter its last wait."""
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
    """Start a thread for each lock, which holds it and wants the next."""
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
