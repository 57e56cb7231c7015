"""Greenlets of the plain library, suspended in every way, in two threads; counts calls of the
program's own code that a dump must not make.

Answers ``churn N`` (N switches between greenlets that begin and end), ``many N`` (N more that are
suspended, and as many objects beside each as a server has), ``drop`` (end those), and any other
word.
"""

import os
import sys
import threading

from rounds import announce, digest

try:
    import greenlet
except ImportError:
    announce(ready="greenlet", pid=os.getpid(), has_library=False)
    announce(result=digest(0), rounds=1, wrong=0)
    sys.exit(0)

OBJECTS = 200  # beside each greenlet of "many"
calls, many = [], []
turn, is_over = threading.Event(), threading.Event()


class Watchful(greenlet.greenlet):
    """Counts calls of its methods; its name is an attribute, as in gevent."""

    @property
    def kind(self):
        calls.append("kind")

    def __getattribute__(self, name):
        if name in ("name", "gr_frame", "dead", "parent"):
            calls.append(name)
        return super().__getattribute__(name)

    def __hash__(self):
        calls.append("hash")
        return super().__hash__()

    def __eq__(self, other):
        calls.append("eq")
        return self is other


def leave():
    return greenlet.getcurrent().parent.switch()


def dive(depth):
    return dive(depth - 1) if depth else leave()


def generate():
    yield leave()


def iterate():
    return list(generate())


def call_back():
    """Call a function through C code: from 3.11 on there is an entry frame in between."""
    return sorted([1], key=lambda _: leave())


def end():
    return None


def start(run, name=None):
    made = Watchful(run)
    if name:
        made.name = name
    made.switch()
    return made


def wait_elsewhere(keep):
    keep.append(start(leave, "elsewhere"))
    turn.set()
    is_over.wait()
    keep.pop().switch()


def churn(n):
    total = 0
    for number in range(n):
        ring = [greenlet.greenlet(dive) for _ in range(3)]
        for each in ring:
            each.switch(number % 20)
        total += sum(each.switch(1) for each in ring)
    return total


def keep_many(n):
    for _ in range(n):
        beside = [[] for _ in range(OBJECTS)]
        each = greenlet.greenlet(lambda kept: (dive(5), kept))
        each.switch(beside)
        many.append(each)


def answer(command, number):
    if command == "churn":
        return {"total": churn(number)}
    if command == "many":
        keep_many(number)
    elif command == "drop":
        while many:
            many.pop().switch()
    return {}


def run():
    elsewhere = []
    thread = threading.Thread(target=wait_elsewhere, args=(elsewhere,), name="other")
    thread.start()
    turn.wait()
    standing = [
        start(leave, "leaf"),
        start(lambda: dive(30), "deep"),
        start(iterate, "generator"),
        start(call_back, "called back"),
        start(leave),
    ]
    standing.append(Watchful(end))  # does not begin
    start(end, "ended")
    calls.clear()
    announce(ready="greenlet", pid=os.getpid(), has_library=True, other=thread.native_id)
    for line in sys.stdin:
        command, _, number = line.strip().partition(" ")
        announce(asked=list(calls), **answer(command, int(number or 0)))
    for each in standing:
        each.switch()
    is_over.set()
    thread.join()
    announce(result=digest(len(standing)), rounds=1, wrong=len(many))


main = greenlet.getcurrent()
inner = greenlet.greenlet(run)  # so that the main greenlet is suspended, too
inner.switch()
