"""Runs as many full collections as each line of its input says, and no others. Its own callback
counts them, too. "fork" makes a forked child run one, and answers how often the callback was
called there."""

import gc
import os
import sys

from rounds import announce, digest

seen = []
gc.disable()
gc.callbacks.append(lambda phase, info: seen.append((phase, info["generation"])))
announce(ready="collecting", pid=os.getpid())


def fork():
    """Return the number of calls in a child that runs a collection."""
    before = len(seen)
    child = os.fork()
    if not child:
        gc.collect()
        os._exit(len(seen) - before)
    return os.WEXITSTATUS(os.waitpid(child, 0)[1])


for line in sys.stdin:
    if line == "fork\n":
        announce(seen=fork(), callbacks=len(gc.callbacks))
        continue
    for _ in range(int(line)):
        gc.collect()
    announce(seen=len(seen), callbacks=len(gc.callbacks))
wrong = [each for each in seen if each[1] != 2]
announce(result=digest("collecting"), rounds=1, wrong=len(wrong))
