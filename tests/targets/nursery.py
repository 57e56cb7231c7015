"""Forks a child for each line of input and says its PID; the children compute until the end.

Used to fork while the parent is profiled. Every child must compute the right result.
"""

import os
import sys

from rounds import announce, digest, is_stopped


def count():
    return digest(sorted(str(number) for number in range(2000)))


def raise_child(parent):
    """Compute until asked to stop, or until the parent has ended, as in a killed test run."""
    first = count()
    while not is_stopped() and os.getppid() == parent:
        if count() != first:
            os._exit(1)
    os._exit(0)


children = []
announce(ready="nursery", pid=os.getpid())
for _line in sys.stdin:
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        raise_child(parent)
    children.append(pid)
    announce(child=pid)
codes = [os.waitpid(pid, 0)[1] for pid in children]
announce(result=digest(count()), rounds=len(codes), wrong=sum(code != 0 for code in codes))
