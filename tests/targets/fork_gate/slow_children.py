"""Forks a child for each line of input and says its PID at once, while a fork handler of C code
(``HANDLER``) still runs in the child. The parent has two threads, so that Python has a thread's
state to delete in the child. The children compute until the end."""

import ctypes
import os
import sys
import threading

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest, is_stopped


def count():
    return digest(sorted(str(number) for number in range(2000)))


def raise_child(parent):
    first = count()
    while not is_stopped() and os.getppid() == parent:
        if count() != first:
            os._exit(1)
    os._exit(0)


threading.Thread(target=threading.Event().wait, daemon=True).start()
assert ctypes.CDLL(os.environ["HANDLER"]).register_handler() == 0
children = []
announce(ready="slow_children", pid=os.getpid())
for _line in sys.stdin:
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        raise_child(parent)
    children.append(pid)
    announce(child=pid)
codes = [os.waitpid(pid, 0)[1] for pid in children]
announce(result=digest(count()), rounds=len(codes), wrong=sum(code != 0 for code in codes))
