"""Two transfers that hold each other up, in a program whose main thread has nothing more to do.

It ends with its input. The first line says which threads they are; the ``teller`` reads the input.
"""

import contextlib
import os
import sys
import threading
import time

from rounds import announce, digest


class Account:
    def __init__(self):
        self.lock = threading.Lock()


ACCOUNTS = {"alice": Account(), "bob": Account()}
both = threading.Barrier(2)


def transfer(giver, taker):
    with contextlib.suppress(RuntimeError), ACCOUNTS[giver].lock:  # see tell
        both.wait()
        with ACCOUNTS[taker].lock:
            pass


def is_asleep(tid):
    with open(f"/proc/self/task/{tid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def tell():
    tids = {thread.name: thread.native_id for thread in transfers}
    waiting = [os.getpid(), *tids.values()]
    while threading.main_thread().is_alive() or not all(map(is_asleep, waiting)):
        time.sleep(0.01)
    time.sleep(0.1)
    announce(ready="bank", pid=os.getpid(), tids={**tids, "teller": threading.get_native_id()})
    sys.stdin.readline()
    ACCOUNTS["bob"].lock.release()  # by hand: who has it will find that it has not
    for thread in transfers:
        thread.join()
    announce(result=digest("bank"), rounds=1, wrong=0)


transfers = [
    threading.Thread(target=transfer, args=pair, name=f"{pair[0]} pays {pair[1]}")
    for pair in (("alice", "bob"), ("bob", "alice"))
]
for each in transfers:
    each.start()
threading.Thread(target=tell, name="teller").start()
