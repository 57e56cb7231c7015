"""A finalizer that waits for a request: ``begin`` runs it on a thread of its own, ``collect`` makes
its object garbage in a cycle, ``gather`` collects such garbage on a thread of its own, ``end`` lets
it return, any other word does nothing."""

import gc
import os
import sys
import threading

from rounds import announce

go_on = threading.Event()
begun = threading.Event()


class Finalized:
    def __del__(self):
        begun.set()
        go_on.wait()


def drop():
    value = Finalized()
    del value


def make_garbage():
    value = Finalized()
    value.own = value


def gather():
    make_garbage()
    gc.collect()


gc.disable()
announce(ready="finalizing", pid=os.getpid())
for line in sys.stdin:
    word = line.strip()
    if word == "begin":
        threading.Thread(target=drop, name="dropper", daemon=True).start()
        begun.wait()
    elif word == "collect":
        make_garbage()
    elif word == "gather":
        threading.Thread(target=gather, name="gatherer", daemon=True).start()
        begun.wait()
    elif word == "end":
        go_on.set()
    announce(n=threading.active_count())
announce(result="", rounds=0, wrong=0)
