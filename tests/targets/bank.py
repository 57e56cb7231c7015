"""Two transfers in a deadlock, in a program whose main thread has nothing more to do.

It ends with its input. The first line names the threads; the ``teller`` reads the input.
With BANK_BUSY_S set, the ``auditor`` computes all the time, and gives the GIL to another thread
only after so many seconds, so that work with the GIL takes long on a quiet machine, too.
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
BUSY_S = float(os.environ.get("BANK_BUSY_S", 0))
both = threading.Barrier(2)
is_open = threading.Event()
is_closed = False


def transfer(giver, taker):
    with contextlib.suppress(RuntimeError), ACCOUNTS[giver].lock:  # see close_till
        both.wait()
        with ACCOUNTS[taker].lock:
            pass


def is_asleep(tid):
    with open(f"/proc/self/task/{tid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def audit():
    is_open.wait()
    while not is_closed:
        sum(range(1000))


def close():
    global is_closed
    is_closed = True


def close_till():
    tids = {thread.name: thread.native_id for thread in transfers}
    waiting = [os.getpid(), *tids.values()]
    while threading.main_thread().is_alive() or not all(map(is_asleep, waiting)):
        time.sleep(0.01)
    time.sleep(0.1)
    if BUSY_S:
        sys.setswitchinterval(BUSY_S)
        is_open.set()
    announce(ready="bank", pid=os.getpid(), tids={**tids, "teller": threading.get_native_id()})
    sys.stdin.readline()
    close()
    ACCOUNTS["bob"].lock.release()  # by hand: its holder will find it released
    for thread in transfers:
        thread.join()
    announce(result=digest("bank"), rounds=1, wrong=0)


transfers = [
    threading.Thread(target=transfer, args=pair, name=f"{pair[0]} pays {pair[1]}")
    for pair in (("alice", "bob"), ("bob", "alice"))
]
for each in transfers:
    each.start()
if BUSY_S:
    threading.Thread(target=audit, name="auditor").start()
threading.Thread(target=close_till, name="teller").start()
